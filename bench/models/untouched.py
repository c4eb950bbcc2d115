"""Five data sets that no version of `privet.models` had been run on when this list was committed.

The commit of this list comes before the commit of their results, and nothing in `privet.models` changes between the
two. Bounds are round numbers, as in `bench.models.fresh`.
"""

from bench.models.fresh import BIT, YES
from bench.models.task import Task

PENSIONS = Task(
    name="pensions",  # 9,275 households, whether their employer offers a pension plan
    source=("wooldridge/k401ksubs",),
    target="e401k",
    numbers={"inc": (0, 200), "age": (25, 65), "fsize": (1, 13), "nettfa": (-100, 500)},
    categories={"marr": BIT, "male": BIT, "pira": BIT},
    classes=BIT,
)
COMPUTERS = Task(
    name="computers",  # 6,259 computers of the nineties, their prices
    source=("Ecdat/Computers",),
    target="price",
    numbers={
        "speed": (25, 100),
        "hd": (0, 2_000),
        "ram": (2, 32),
        "screen": (14, 17),
        "ads": (0, 400),
        "trend": (1, 35),
    },
    categories={"cd": YES, "multi": YES, "premium": YES},
    target_bounds=(500, 6_000),
)
WAGES = Task(
    name="wages",  # 3,000 men of the Mid-Atlantic region, what they earn
    source=("ISLR/Wage",),
    target="wage",
    numbers={"year": (2003, 2009), "age": (18, 80)},
    categories={
        "maritl": ("1. Never Married", "2. Married", "3. Widowed", "4. Divorced", "5. Separated"),
        "race": ("1. White", "2. Black", "3. Asian", "4. Other"),
        "education": (
            "1. < HS Grad",
            "2. HS Grad",
            "3. Some College",
            "4. College Grad",
            "5. Advanced Degree",
        ),
        "jobclass": ("1. Industrial", "2. Information"),
        "health": ("1. <=Good", "2. >=Very Good"),
        "health_ins": ("1. Yes", "2. No"),
    },
    target_bounds=(0, 350),
)
YOUNG_MEN = Task(
    name="young men",  # 4,360 years of young men, the logarithm of their hourly wages
    source=("Ecdat/Males",),
    target="wage",
    numbers={"year": (1980, 1987), "school": (0, 20), "exper": (0, 20)},
    categories={"union": YES, "ethn": ("other", "black", "hisp"), "maried": YES, "health": YES},
    target_bounds=(-1, 4),
)
JUICE = Task(
    name="juice",  # 1,070 purchases of one of two brands of orange juice
    source=("ISLR/OJ",),
    target="Purchase",
    numbers={
        "PriceCH": (1, 3),
        "PriceMM": (1, 3),
        "DiscCH": (0, 1),
        "DiscMM": (0, 1),
        "LoyalCH": (0, 1),
        "WeekofPurchase": (220, 280),
    },
    categories={"SpecialCH": BIT, "SpecialMM": BIT, "StoreID": (1, 2, 3, 4, 7)},
    classes=("CH", "MM"),
    seeds=30,
)
UNTOUCHED = (PENSIONS, COMPUTERS, WAGES, YOUNG_MEN, JUICE)
