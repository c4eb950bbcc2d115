"""A made-up state: a million people with features and a wage income, some of whom do not tell it.

Everybody has an age (by decade), sex, education, relationship to the head of the household, employment and a kind of
place. Wages follow from these and from chance, and are cut at 5,001 as in an old census. Whether somebody leaves the
question open depends on age, education, employment and place, and these go with income: leaving out the missing answers
gives a mean that is too low. No real person is in these data.
"""

from dataclasses import dataclass

import numpy as np

from privet.core.rows import Array
from privet.imputation.feature_grid import Feature, FeatureGrid

TOP = 5001
AGES = ("0-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60-69", "70+")
GRID = FeatureGrid(
    features=(
        Feature(kind="ordinal", levels=8),  # decade of age
        Feature(kind="categorical", levels=2),  # sex
        Feature(kind="ordinal", levels=9),  # education
        Feature(kind="categorical", levels=6),  # relationship to the head
        Feature(kind="categorical", levels=5),  # employment
        Feature(kind="categorical", levels=3),  # place
    )
)


@dataclass(frozen=True)
class People:
    """A state, and who answers.

    Args:
        codes: The level of each feature, people by features.
        income: The true wage in whole dollars.
        silent: The probability of leaving the question open.
        labels: A number that stays with each person.
    """

    codes: Array
    income: Array
    silent: Array
    labels: Array

    def missing(self, seed: int) -> Array:
        """Draw who does not answer."""
        return np.asarray(np.random.default_rng(seed).random(len(self.silent)) < self.silent)


def people(number: int = 1_000_000, seed: int = 1940) -> People:
    """Make a state."""
    dice = np.random.default_rng(seed)
    age = dice.choice(8, number, p=[0.17, 0.18, 0.17, 0.15, 0.13, 0.10, 0.06, 0.04])
    sex = dice.integers(0, 2, number)
    schooling = np.clip(np.rint(dice.normal(3.5 + 0.5 * (age > 1) - 0.25 * (age > 4), 1.8, number)), 0, 8).astype(int)
    head = np.where(age < 2, dice.choice([3, 4, 5], number, p=[0.9, 0.06, 0.04]), dice.integers(0, 6, number))
    works = np.where(age < 1, 4, dice.choice(5, number, p=[0.5, 0.1, 0.1, 0.1, 0.2]))
    place = dice.choice(3, number, p=[0.5, 0.3, 0.2])
    log_wage = (
        5.6
        + 0.12 * schooling
        + np.array([0, -1.5, 0.3, 0.7, 0.8, 0.75, 0.4, -0.3])[age]
        + 0.35 * (sex == 0)
        + np.array([0.5, 0.0, -0.4, -0.8, -2.0])[works]
        + np.array([0.0, 0.15, 0.3])[place]
        + 0.15 * (head == 0)
    )
    wage = np.exp(log_wage + dice.normal(0, 0.55, number))
    income = np.where((age == 0) | (works == 4), 0, np.minimum(np.rint(wage), TOP)).astype(np.int64)
    odds = -4.3 + 0.25 * schooling + 0.3 * (age >= 4) + 0.7 * (place == 2) + 0.8 * (works == 0)
    silent = np.where(age == 0, 0.0, 1 / (1 + np.exp(-odds)))
    labels = dice.integers(0, 2**63, number, dtype=np.int64)
    return People(
        codes=np.column_stack([age, sex, schooling, head, works, place]), income=income, silent=silent, labels=labels
    )
