"""Errors of means and proportions on a made-up state: missing answers ignored, or imputed in two ways.

Every run draws anew who does not answer, and all noise. Figures are written to docs/guides/.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from bench.census import GRID, TOP, People, people
from bench.report import show, write
from privet.core.rows import Array
from privet.imputation.changes import most_changes
from privet.imputation.donors import find_donors
from privet.imputation.influence import Influence
from privet.imputation.smooth_calibration import Guess, NoiseChoice, choose_noise
from privet.noise import discrete_laplace

RUNS = 200
LINE = 658  # a wage that supports a family, in dollars of 1940
EPSILONS = {"6 ln 2": Fraction("4.1588830833596718"), "1": Fraction(1), "0.5": Fraction(1, 2)}
GUESS = Guess(incomplete=60_000, changes=8)
FIGURES = Path(__file__).parents[1] / "docs" / "guides"
WAYS = ("ignored", "global", "smooth")
GROUPS = {"ages 20-59": (2, 5), "ages 20-29": (2, 2), "ages 40-49": (4, 4)}
FINE = 1000  # noise is drawn in thousandths


def run() -> None:
    """Compare the three ways."""
    state = people()
    found = {(query, group): _Query(state, query, group) for query in ("mean", "proportion") for group in GROUPS}
    cells = GRID.encode(state.codes)
    for seed in range(RUNS):
        missing = state.missing(seed)
        donors = find_donors(GRID, cells, state.labels, ~missing, k=1)
        changes = most_changes(donors)
        income = state.income.copy()
        income[donors.incomplete] = state.income[donors.rows[:, 0]]
        for one in found.values():
            one.observe(income, missing, changes)
    rows = [[f"{query}, {group}", name, *one.row(name)] for (query, group), one in found.items() for name in EPSILONS]
    heading = ["query", "epsilon", "ignored", "global", "imputed", "ignored / imputed", "global / imputed", "medians"]
    note = (
        f"Mean squared errors over {RUNS} runs on a made-up state of a million people (bench/census.py), against the "
        "true value; the last column is the ratio of the medians of squared errors, ignored to imputed. Sizes of "
        "groups are taken as known in all three. Standard deviation of the noise at 6 ln 2: "
        f"{deviation():.3f} S. Written by `python -m bench imputation_errors`."
    )
    show("errors of imputation", heading, rows, note)
    write("errors of imputation", heading, rows, note)
    for query, group in (("mean", "ages 20-59"), ("mean", "ages 40-49"), ("proportion", "ages 20-29")):
        _figure(found[query, group], f"imputation_{query}_{group.replace(' ', '_').replace('-', '_')}.png")


class _Query:
    """One query over one age group, whose releases are collected over runs."""

    def __init__(self, state: People, query: str, group: str) -> None:
        low, high = GROUPS[group]
        self.title = f"{query} of wages, {group}" if query == "mean" else f"share above {LINE}, {group}"
        self.inside = (state.codes[:, 0] >= low) & (state.codes[:, 0] <= high)
        self.value = self._value(state.income) if query == "mean" else self._above(state.income)
        self.of = self._value if query == "mean" else self._above
        self.truth = float(self.value[self.inside].mean())
        whole = Fraction(TOP) if query == "mean" else Fraction(1)
        self.influence = Influence(own=whole / 2 if query == "mean" else whole, donee=whole)
        self.noise: dict[str, NoiseChoice] = {
            name: choose_noise(epsilon, self.influence, GUESS) for name, epsilon in EPSILONS.items()
        }
        self.found: dict[tuple[str, str], list[float]] = {(way, name): [] for way in WAYS for name in EPSILONS}

    @staticmethod
    def _value(income: Array) -> Array:
        return income.astype(float)

    @staticmethod
    def _above(income: Array) -> Array:
        return (income > LINE).astype(float)

    def observe(self, income: Array, missing: Array, changes: int) -> None:
        """Release once in each way, at each epsilon; the size of the group is public here."""
        size = int(self.inside.sum())
        told = self.inside & ~missing
        imputed = float(self.of(income)[self.inside].mean())
        ignored = float(self.value[told].mean())
        lacking = int(missing.sum())
        own = float(self.influence.own)
        for name, epsilon in EPSILONS.items():
            choice = self.noise[name]
            bound = self.influence.smooth(changes=changes, incomplete=lacking, beta=choice.beta)
            heavy = choice.calibration.law.rounded(Fraction(FINE)) / FINE * float(bound / choice.calibration.alpha)
            worst = (own + float(self.influence.donee) * lacking) / float(epsilon)
            self.found["ignored", name].append(ignored + _laplace() * own / float(epsilon) / int(told.sum()))
            self.found["global", name].append(imputed + _laplace() * worst / size)
            self.found["smooth", name].append(imputed + heavy / size)

    def row(self, name: str) -> list[str]:
        """Mean squared errors, their ratios, and the ratio of the medians."""
        errors = {way: (np.array(self.found[way, name]) - self.truth) ** 2 for way in WAYS}
        means = {way: float(each.mean()) for way, each in errors.items()}
        medians = {way: float(np.median(each)) for way, each in errors.items()}
        return [
            *(f"{means[way]:.3g}" for way in WAYS),
            f"{means['ignored'] / means['smooth']:.3g}",
            f"{means['global'] / means['smooth']:.3g}",
            f"{medians['ignored'] / medians['smooth']:.3g}",
        ]


def _laplace() -> float:
    return float(discrete_laplace(Fraction(FINE), size=1)[0]) / FINE


def _figure(query: _Query, name: str) -> None:
    """Draw boxes of quartiles with whiskers from the 5th to the 95th percentile, and the true value."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, len(EPSILONS), figsize=(9, 3.2), constrained_layout=True)
    for axis, epsilon in zip(axes, EPSILONS, strict=True):
        shown: list[Any] = [query.found[way, epsilon] for way in ("ignored", "smooth")]
        axis.boxplot(shown, whis=(5, 95), showfliers=False, widths=0.5, tick_labels=["ignored", "imputed"])
        axis.axhline(query.truth, color="tab:green", linewidth=1)
        axis.set_title(f"epsilon = {epsilon}", fontsize=10)
        axis.tick_params(labelsize=8)
        axis.ticklabel_format(axis="y", useOffset=False)
    figure.suptitle(query.title, fontsize=11)
    figure.savefig(FIGURES / name, dpi=110)
    plt.close(figure)


def deviation() -> float:
    """The standard deviation of the noise at 6 ln 2 in multiples of S, where the source has 1.443."""
    return choose_noise(EPSILONS["6 ln 2"], Influence(own=1, donee=1), GUESS, aim="variance").calibration.deviation()
