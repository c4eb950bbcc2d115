"""Frames of pandas whose texts have a type in every version."""

import pandas as pd


def with_text_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Give columns of texts the type that says so; since version 3 pandas does it by itself."""
    return frame.astype({name: "string" for name, kind in frame.dtypes.items() if kind.kind == "O"})
