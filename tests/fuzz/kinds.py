"""What the fuzzer tries: for each kind a function of a seed that raises where a law is broken."""

from collections.abc import Callable

from tests.fuzz.chains import check_chains
from tests.fuzz.expressions import check_expressions
from tests.fuzz.functions import check_functions
from tests.fuzz.questions import check_questions
from tests.fuzz.words import check_words

KINDS: dict[str, Callable[[int], None]] = {
    "chains": check_chains,
    "expressions": check_expressions,
    "functions": check_functions,
    "questions": check_questions,
    "words": check_words,
}
