"""Four more data sets on which no default of `privet.models` was chosen, listed before the first run on them.

The history of the repository does not show it, since list and results came in one piece: `bench.models.untouched` has
data sets for which it does. Bounds are round numbers, as in `bench.models.fresh`.
"""

from bench.models.fresh import YES
from bench.models.task import Task

CREDIT = Task(
    name="credit",  # 4,039 borrowers, whether they paid back
    source=("modeldata/credit_data",),
    target="Status",
    numbers={
        "Seniority": (0, 50),
        "Time": (0, 72),
        "Age": (18, 80),
        "Expenses": (0, 200),
        "Income": (0, 1_000),
        "Assets": (0, 100_000),
        "Debt": (0, 30_000),
        "Amount": (0, 5_000),
        "Price": (0, 10_000),
    },
    categories={
        "Home": ("rent", "owner", "parents", "priv", "other", "ignore"),
        "Marital": ("married", "widow", "single", "separated", "divorced"),
        "Records": ("no", "yes"),
        "Job": ("freelance", "fixed", "partime", "others"),
    },
    classes=("bad", "good"),
)
INSURED = Task(
    name="insured",  # 8,802 persons, whether they have health insurance
    source=("AER/HealthInsurance",),
    target="insurance",
    numbers={"age": (18, 65), "family": (1, 15)},
    categories={
        "health": YES,
        "limit": YES,
        "gender": ("female", "male"),
        "married": YES,
        "selfemp": YES,
        "region": ("northeast", "midwest", "south", "west"),
        "ethnicity": ("other", "afam", "cauc"),
        "education": ("none", "ged", "highschool", "bachelor", "master", "phd", "other"),
    },
    classes=YES,
)
SENIORS = Task(
    name="seniors",  # 4,406 persons above 65, visits to a doctor
    source=("AER/NMES1988",),
    target="visits",
    numbers={"hospital": (0, 8), "chronic": (0, 8), "age": (6.6, 11), "school": (0, 18), "income": (-2, 20)},
    categories={
        "health": ("poor", "average", "excellent"),
        "adl": ("normal", "limited"),
        "region": ("northeast", "midwest", "west", "other"),
        "afam": YES,
        "gender": ("female", "male"),
        "married": YES,
        "employed": YES,
        "insurance": YES,
        "medicaid": YES,
    },
    target_bounds=(0, 60),
)
ONTARIO = Task(
    name="Ontario wages",  # 3,987 persons, logarithm of the wage in dollars an hour
    source=("carData/SLID",),
    target="wages",
    target_form="log10",
    numbers={"education": (0, 20), "age": (15, 80)},
    categories={"sex": ("Female", "Male"), "language": ("English", "French", "Other")},
    target_bounds=(0, 2),
)
HELD_OUT = (CREDIT, INSURED, SENIORS, ONTARIO)
