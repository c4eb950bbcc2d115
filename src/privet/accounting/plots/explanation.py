"""Explanations: what a privacy loss means for one person, in plain words, with a table and a picture.

All bounds are rounded toward more loss. Proof: docs/accounting/planning/explain.md.
"""

import math
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.numerics import (
    Amount,
    belief_down,
    belief_up,
    factor_text,
    odds_up,
    share_down_text,
    share_up_text,
    walked,
)
from privet.accounting.plots.attack import SCORE, guess_lines
from privet.accounting.plots.axes import BLUE, GREY, ORANGE, PALE, check_axes, finish_axes, new_axes
from privet.core import (
    Array,
    amount_text,
    html_table,
    number_text,
    percent_text,
    read_share,
    to_float_down,
    to_float_up,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HALF = Fraction(1, 2)
COMMON = tuple(map(Fraction, ("0.1", "0.5", "1", "2", "5", "10")))
_POINTS = 201
_CERTAIN = 1e6  # from here on, every guess is right
_OPEN = (
    "what the data say about people in general, which may be true of somebody who is not in the data",
    "several persons together: the epsilon of a group of n is n times as large",
    "what is known from elsewhere, and other releases of the same data, whose losses add up",
)
_USUAL = "An epsilon of 0.1 to 1 is usual; above 5 it protects little."
_ATTACK = (
    f"An attack at this epsilon, as in privet demo: two private means of a class, with and without one student, give a "
    f"guess of that student's score, which is {SCORE} of 100. So often a guess is:"
)


def _read_prior(value: object) -> Fraction:
    return read_share("explain.prior", value)


@final
@frozen(kw_only=True)
class Explanation:
    """What a privacy loss means for one person.

    Args:
        epsilon: The loss; infinite where nothing bounds it.
        delta: The probability that the bound does not hold.
        prior: How likely somebody thinks it is, before the release, that a person is in the data.
        stated: The loss in the form in which it was stated, where that is not an epsilon.
        assumptions: What was asserted and nobody proved.
        notes: Further lines for the reader.

    Guarantee: no belief of ``prior`` rises above ``highest`` or falls below ``lowest``, except with ``delta``.
    Proof: docs/accounting/planning/explain.md.

    >>> round(float(Explanation(epsilon=Fraction(1)).highest), 4)
    0.7311
    """

    epsilon: Amount
    delta: Fraction = Fraction(0)
    prior: Fraction = field(default=HALF, converter=_read_prior)
    stated: str = ""
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def highest(self) -> Fraction:
        """The largest belief after all releases that this loss bounds; never too low."""
        return belief_up(self.epsilon, self.prior)

    @property
    def lowest(self) -> Fraction:
        """The smallest belief after them; never too high."""
        return belief_down(self.epsilon, self.prior)

    @property
    def highest_of_values(self) -> Fraction:
        """The largest belief about what the data of a person say: the person is removed, and added with other data."""
        return belief_up(2 * self.epsilon, self.prior)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The explanation, sentence by sentence."""
        if self.epsilon == math.inf:
            return ("Nothing bounds this loss: a release may reveal everything about a person.",)
        meaning = (
            f"{self._title} means: with or without the data of any one person, each result is about as likely, up to a "
            f"factor of {factor_text(self.epsilon)}."
        )
        return (
            meaning,
            self._beliefs,
            self._exception,
            f"It does not protect {'; nor '.join(_OPEN)}.",
            _USUAL,
            *(f"Assumed: {line}." for line in self.assumptions),
            *self.notes,
        )

    def table(self) -> list[list[str]]:
        """Compare common epsilons, as lines of a table with its head; this loss has an arrow."""
        before = self._prior_text
        own = {} if self.epsilon == math.inf else {Fraction(self.epsilon): "<- this loss"}
        lines = [["epsilon", "odds grow by at most", f"from {before} to at most", "at least", ""]]
        for epsilon in sorted({*COMMON, *own}):
            most, least = belief_up(epsilon, self.prior), belief_down(epsilon, self.prior)
            ends = [share_up_text(most), share_down_text(least)]
            lines.append([amount_text(epsilon), f"{factor_text(epsilon)} times", *ends, own.get(epsilon, "")])
        return lines

    def plot(self, ax: Any = None) -> "Axes":
        """Draw how far each belief may move: before the release on one axis, after it on the other.

        Args:
            ax: Matplotlib axes to draw into; by default new ones. Needs ``privet[plot]``.
        """
        check_axes(ax)
        axes = new_axes(ax)
        priors = np.linspace(0.0, 1.0, _POINTS)
        for epsilon in COMMON[:-1]:
            axes.plot(priors, _largest_beliefs(epsilon, priors), color=GREY, linewidth=0.8, linestyle=":")
            height = float(_largest_beliefs(epsilon, np.array([0.25]))[0])
            axes.annotate(
                f"{float(epsilon):g}", (0.25, height), (-3, 2), textcoords="offset points", color=GREY, ha="right"
            )
        top, bottom = _largest_beliefs(self.epsilon, priors), 1 - _largest_beliefs(self.epsilon, 1 - priors)
        axes.fill_between(priors, bottom, top, color=BLUE, alpha=PALE, linewidth=0, label=f"possible at {self._title}")
        axes.plot(priors, top, color=BLUE)
        axes.plot(priors, bottom, color=BLUE)
        axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1, label="nothing can be learnt")
        where = float(self.prior)
        ends = [to_float_down(self.lowest), to_float_up(self.highest)]
        axes.plot([where, where], ends, color=ORANGE, marker="o", label=f"from {self._prior_text}")
        title = "How far the belief that a person is in the data may move"
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", title=title)
        axes.set(xlabel="belief before the release", ylabel="belief after the release")
        return finish_axes(axes, "lower right")

    def __str__(self) -> str:
        rows = self.table()
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        lines = [
            "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
        ]
        return "\n".join([*self.sentences, "", *lines, *(("", *self._attack) if self._attack else ())])

    def _repr_html_(self) -> str:
        heads, *rows = self.table()
        words = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        picture = escape("\n".join(self._attack))
        return f"<div>{words}{html_table(heads, rows)}<pre>{picture}</pre></div>"

    @property
    def _attack(self) -> tuple[str, ...]:
        """The picture of the demo at this epsilon; none where nothing bounds the loss."""
        if self.epsilon == math.inf:
            return ()
        return (_ATTACK, *guess_lines(min(to_float_up(Fraction(self.epsilon)), _CERTAIN)))

    @property
    def _title(self) -> str:
        epsilon = f"epsilon = {amount_text(self.epsilon)}" + (
            f", delta = {number_text(self.delta)}" if self.delta else ""
        )
        return f"{self.stated} ({epsilon})" if self.stated else epsilon

    @property
    def _prior_text(self) -> str:
        return percent_text(self.prior)

    @property
    def _beliefs(self) -> str:
        most, least = share_up_text(self.highest), share_down_text(self.lowest)
        values, before = share_up_text(self.highest_of_values), self._prior_text
        return (
            f"Someone who thinks it {before} likely that a person is in the data, and who knows all other data, can "
            f"think it at most {most} likely afterwards, and at least {least}. A guess about what a person's data say "
            f"counts as two steps: it can go from {before} to at most {values}."
        )

    @property
    def _exception(self) -> str:
        if self.delta == 0:
            return "There is no exception: delta is zero."
        often = number_text(math.floor(1 / self.delta))
        return (
            f"There is one exception: with probability delta = {number_text(self.delta)}, 1 in {often}, a release may "
            "reveal everything. For two steps this probability is "
            f"{share_up_text(walked(self.delta, Fraction(self.epsilon), 2))}."
        )


def _largest_beliefs(epsilon: Amount, priors: Array) -> Array:
    """Give the largest beliefs in floats, for a picture."""
    factor = odds_up(epsilon)
    if factor == math.inf:
        return np.where(priors > 0, 1.0, 0.0)
    odds = to_float_up(Fraction(factor))
    return np.asarray(1 - (1 - priors) / (priors * odds + 1 - priors))
