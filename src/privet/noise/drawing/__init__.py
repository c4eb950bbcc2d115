"""What the samplers draw with: parameters, lazy uniforms, certified tables, coins and batches."""

from privet.noise.drawing.batches import SMALL, draw_on_scale, gather, one_or_many, smallest_word, symmetric, with_signs
from privet.noise.drawing.coin import flips, toss
from privet.noise.drawing.exp_filter import exp_minus
from privet.noise.drawing.heavy_tails import Magnitude, draw_rounded
from privet.noise.drawing.lazy import (
    GUARD,
    LazyUniform,
    cell_ball,
    certified_bounds,
    invert,
    near,
    outward,
    smallest_within,
)
from privet.noise.drawing.parameters import count, integer, number, positive, probability
from privet.noise.drawing.ratio_law import ratio_bounds
from privet.noise.drawing.split import Split, exp_bounds, split_of
from privet.noise.drawing.table import table_of
from privet.noise.drawing.walk import draw_by_walking
from privet.noise.entropy import Entropy, current

__all__ = [
    "GUARD",
    "SMALL",
    "Entropy",
    "LazyUniform",
    "Magnitude",
    "Split",
    "cell_ball",
    "certified_bounds",
    "count",
    "current",
    "draw_by_walking",
    "draw_on_scale",
    "draw_rounded",
    "exp_bounds",
    "exp_minus",
    "flips",
    "gather",
    "integer",
    "invert",
    "near",
    "number",
    "one_or_many",
    "outward",
    "positive",
    "probability",
    "ratio_bounds",
    "smallest_within",
    "smallest_word",
    "split_of",
    "symmetric",
    "table_of",
    "toss",
    "with_signs",
]
