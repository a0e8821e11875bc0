"""The answer to a measure's question: an exact number, and the witness that reaches it.

*Invariants.*  `finding.value` is exact (or a float rounded towards caution), and a bound is decided on it.
`finding.replay(release)` computes it again from the witness, by another path.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidelight.errors import expect
from sidelight.measures.exact import Amount
from sidelight.release.groups import GroupName
from sidelight.release.release import Release
from sidelight.rounding import in_words
from sidelight.table.labels import Label
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt

    from sidelight.measures.measure import Measure


@dataclass(frozen=True, slots=True, repr=False)
class Witness:
    """Who is worst off: a group and, where one decides, a value.  Measures that know more extend it."""

    group: GroupName
    value: Label = None

    def describe(self) -> str:
        """Return the group and the value, in words."""
        return str(self.group) + (f": {self.value}" if self.value is not None else "")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.describe()}>"


@dataclass(frozen=True, slots=True, repr=False)
class Finding:
    """The answer to one question about a release: an exact number and the witness that reaches it.

    >>> from sidelight.measures.k_anonymity import GroupSize
    >>> GroupSize().measure(Release.from_counts([{"Flu": 2, "Cold": 1}, {"Flu": 2}]))
    <Finding: group size is 2, in group 2>
    """

    measure: Measure
    value: Amount
    witness: Witness | None
    notes: tuple[str, ...] = ()
    kindest: Amount | None = None
    """Where the time was up before it was exact, or estimates differ: the kind end; `value` is the cautious one."""

    def explain(self) -> str:
        """Return it in a sentence or two, for someone who has to sign."""
        return self.measure.explain(self)

    def replay(self, release: Release) -> Amount:
        """Compute the value again from the witness alone, by the definition or by counting worlds."""
        if self.witness is None:
            return self.value
        return self.measure.replay(self.witness, expect(Release, release, "what a finding is replayed on"))

    def plot(self, release: Release) -> alt.TopLevelMixin:
        """Draw it on the release that it is of.

        The risk against how much is known, with what was asked about marked; the sizes of groups; or the values of the
        group that decides beside those of everybody.  An Altair chart, which needs the extra `plot`: a notebook shows
        it, `chart.save("finding.svg")` writes it.
        """
        from sidelight.report.charts.finding import finding_chart  # noqa: PLC0415 - it stands below

        return finding_chart(self, release)

    def __repr__(self) -> str:
        where = f", in {self.witness.group}" if self.witness else ""
        return f"<Finding: {self.measure} is {self.value_in_words()}{where}>"

    def _repr_html_(self) -> str:
        row = (self.measure, self.value_in_words(), self.worst_off())
        note = " ".join((self.explain(), *self.notes))
        return html_table("Finding", ["measure", "found", "who is worst off"], [row], note=note)

    def worst_off(self) -> str:
        """Return who is worst off, in a few words; nothing where nobody is."""
        return "" if self.witness is None else self.witness.describe()

    def value_in_words(self) -> str:
        """Return the value for a person, rounded towards caution: risks up, sizes and diversities down."""
        value = in_words(self.value, large_is_bad=self.measure.large_is_bad)
        return f"{value}, an estimate" if self.measure.estimate else value
