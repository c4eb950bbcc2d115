"""Data sets on which defaults of `privet.models` were chosen: their figures say what is reached, not what is new.

Adult is coded as in private-pgm: each column of numbers is a whole number below a known limit. The bounds of the data
of scikit-learn are the ranges that its descriptions print, rounded outward.
"""

from bench.models.task import Bounds, Task

_ADULT_NUMBERS: dict[str, Bounds] = {
    "age": (0, 84),
    "fnlwgt": (0, 99),
    "education-num": (0, 15),
    "capital-gain": (0, 99),
    "capital-loss": (0, 99),
    "hours-per-week": (0, 98),
}
_ADULT_SIZES = {
    "workclass": 9,
    "marital-status": 7,
    "occupation": 15,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "native-country": 42,
}
_ADULT_CATEGORIES = {name: tuple(range(size)) for name, size in _ADULT_SIZES.items()}
ADULT = Task(
    name="Adult",
    source=("adult",),
    target="income>50K",
    numbers=_ADULT_NUMBERS,
    categories=_ADULT_CATEGORIES,
    classes=(0, 1),
    squares=("age",),
)
ADULT_EDUCATION = Task(
    name="Adult education",
    source=("adult",),
    target="education-num",
    numbers={name: bounds for name, bounds in _ADULT_NUMBERS.items() if name != "education-num"},
    categories={**_ADULT_CATEGORIES, "income>50K": (0, 1)},
    target_bounds=(0, 15),
    squares=("age",),
)
_CELLS: dict[str, tuple[Bounds, Bounds, Bounds]] = {  # mean, standard error and worst of the nuclei of a sample
    "radius": ((6, 30), (0, 3), (7, 37)),
    "texture": ((9, 40), (0, 5), (12, 50)),
    "perimeter": ((43, 190), (0, 22), (50, 252)),
    "area": ((143, 2510), (6, 550), (185, 4260)),
    "smoothness": ((0.05, 0.17), (0, 0.04), (0.07, 0.23)),
    "compactness": ((0, 0.35), (0, 0.14), (0, 1.1)),
    "concavity": ((0, 0.43), (0, 0.4), (0, 1.26)),
    "concave points": ((0, 0.21), (0, 0.06), (0, 0.3)),
    "symmetry": ((0.1, 0.31), (0, 0.08), (0.15, 0.67)),
    "fractal dimension": ((0.05, 0.1), (0, 0.03), (0.05, 0.21)),
}
BREAST_CANCER = Task(
    name="breast cancer",
    source=("sklearn/breast_cancer",),
    target="target",
    numbers={
        **{f"mean {name}": bounds[0] for name, bounds in _CELLS.items()},
        **{f"{name} error": bounds[1] for name, bounds in _CELLS.items()},
        **{f"worst {name}": bounds[2] for name, bounds in _CELLS.items()},
    },
    classes=(0, 1),
    seeds=30,
)
DIGITS = Task(
    name="digits",
    source=("sklearn/digits",),
    target="target",
    numbers={f"pixel_{row}_{column}": (0, 16) for row in range(8) for column in range(8)},
    classes=tuple(range(10)),
    seeds=30,
)
IRIS = Task(
    name="iris",
    source=("sklearn/iris",),
    target="target",
    numbers={
        "sepal length (cm)": (4, 8),
        "sepal width (cm)": (2, 5),
        "petal length (cm)": (1, 7),
        "petal width (cm)": (0, 2.5),
    },
    classes=(0, 1, 2),
    seeds=30,
)
WINE = Task(
    name="wine",
    source=("sklearn/wine",),
    target="target",
    numbers={
        "alcohol": (11, 15),
        "malic_acid": (0.7, 6),
        "ash": (1.3, 3.3),
        "alcalinity_of_ash": (10, 30),
        "magnesium": (70, 165),
        "total_phenols": (0.9, 4),
        "flavanoids": (0.3, 5.1),
        "nonflavanoid_phenols": (0.1, 0.7),
        "proanthocyanins": (0.4, 3.6),
        "color_intensity": (1, 13),
        "hue": (0.4, 1.8),
        "od280/od315_of_diluted_wines": (1.2, 4),
        "proline": (270, 1700),
    },
    classes=(0, 1, 2),
    seeds=30,
)
DIABETES = Task(
    name="diabetes",
    source=("sklearn/diabetes",),
    target="target",
    numbers={
        "age": (18, 80),
        "sex": (1, 2),
        "bmi": (18, 43),
        "bp": (60, 135),
        "s1": (95, 305),
        "s2": (40, 245),
        "s3": (20, 100),
        "s4": (2, 9.5),
        "s5": (3, 6.2),
        "s6": (55, 125),
    },
    target_bounds=(25, 350),
    seeds=30,
)
CPS = Task(
    name="CPS wages",
    source=("AER/CPSSW8",),
    target="earnings",
    target_form="log10",
    numbers={"age": (18, 65), "education": (6, 20)},
    categories={"gender": ("female", "male"), "region": ("Northeast", "Midwest", "South", "West")},
    target_bounds=(0, 2),
)
GSS = Task(
    name="GSS wages",
    source=("stevedata/gss_wages",),
    target="realrinc",
    target_form="log10",
    numbers={"age": (18, 90), "prestg10": (15, 80), "childs": (0, 8)},
    categories={
        "occrecode": (
            "Office and Administrative Support",
            "Professional",
            "Business/Finance",
            "Construction/Extraction",
            "Sales",
            "Service",
            "Transportation",
            "Production",
            "Farming, Fishing, and Forestry",
            "Installation, Maintenance, and Repair",
            "Armed Forces",
        ),
        "gender": ("Female", "Male"),
        "educcat": ("Less Than High School", "High School", "Junior College", "Bachelor", "Graduate"),
        "maritalcat": ("Married", "Widowed", "Divorced", "Separated", "Never Married"),
    },
    target_bounds=(3, 5.5),
)
SMALL = (BREAST_CANCER, DIGITS, IRIS, WINE, DIABETES)
LARGE = (ADULT, ADULT_EDUCATION, CPS, GSS)
