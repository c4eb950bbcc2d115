"""What the fuzzer tries: for each kind a function of a seed that raises where a law is broken."""

from collections.abc import Callable

from tests.fuzz.answers import check_answers
from tests.fuzz.chains import check_chains
from tests.fuzz.expressions import check_expressions
from tests.fuzz.functions import check_functions
from tests.fuzz.join_statements import check_join_statements
from tests.fuzz.losses import check_losses
from tests.fuzz.nodes import check_nodes
from tests.fuzz.persons import check_persons
from tests.fuzz.questions import check_questions
from tests.fuzz.statements import check_statements
from tests.fuzz.words import check_words
from tests.laws.json_text import check_json
from tests.laws.limits import check_limits
from tests.laws.messy import check_messy
from tests.laws.reading import check_lines, check_reading


def check_files(seed: int) -> None:
    """Read lines at every border of pieces, and files under hostile names."""
    check_lines(seed, 20)
    check_reading(seed)


KINDS: dict[str, Callable[[int], None]] = {
    "answers": check_answers,
    "chains": check_chains,
    "expressions": check_expressions,
    "files": check_files,
    "functions": check_functions,
    "joins": check_join_statements,
    "json": check_json,
    "losses": check_losses,
    "limits": check_limits,
    "messy": check_messy,
    "nodes": check_nodes,
    "persons": check_persons,
    "questions": check_questions,
    "statements": check_statements,
    "words": check_words,
}
