"""How does the risk grow with what an attacker knows?  The data behind curves and heat maps.

A curve is a measure at every combination of some amounts of knowledge: exact, and the same whether it is
drawn, written as JSON or returned as a frame.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import signature
from itertools import product
from math import isfinite, prod
from typing import TYPE_CHECKING

import pyarrow as pa

from sidelight.errors import BadMeasure, WrongKind, as_given, did_you_mean, expect
from sidelight.measures.criterion import Amount, Bound, value_text
from sidelight.measures.measure import Measure
from sidelight.release.release import Release
from sidelight.rounding import in_words, round_up
from sidelight.table.labels import Tabular
from sidelight.table.table import expect_one_sensitive
from sidelight.text import html_table

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True, slots=True)
class KnowledgeAxis:
    """A kind of knowledge and the amounts of it that were tried; a fixed kind has one amount."""

    name: str
    amounts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DisclosureCurve(Tabular):
    """The risk at each combination of amounts; `risks` run along the last axis first."""

    measure: str
    settings: tuple[tuple[str, str], ...]  # the measure's other parameters, the same everywhere: value, Flu
    axes: tuple[KnowledgeAxis, ...]
    risks: tuple[Amount, ...]

    def __repr__(self) -> str:
        ranges = {axis.name: f"{min(axis.amounts)} to {max(axis.amounts)}" for axis in self.axes if axis.amounts[1:]}
        axes = ", ".join(f"{axis.name} {ranges.get(axis.name, axis.amounts[0])}" for axis in self.axes)
        settings = "".join(f", {name} {value}" for name, value in self.settings)
        return f"<DisclosureCurve of {self.measure}{settings}: {axes}>"

    def _repr_html_(self) -> str:
        names = [axis.name for axis in self.axes]
        rows = ((*amounts.values(), in_words(risk)) for amounts, risk in self.points())
        return html_table(f"{self.measure}: risk by what is known", [*names, "risk"], rows, total=len(self.risks))

    def at(self, **amounts: int) -> Amount:
        """Return the risk at some amounts; fixed ones may be left out."""
        # row-major, as in `points`: the last axis varies fastest
        index = 0
        for axis in self.axes:
            amount = amounts.pop(axis.name, axis.amounts[0] if len(axis.amounts) == 1 else None)
            if amount not in axis.amounts:
                raise BadMeasure(
                    f"the curve has no {axis.name}={as_given(amount)}; there are {', '.join(map(str, axis.amounts))}"
                )
            index = index * len(axis.amounts) + axis.amounts.index(amount)
        if amounts:
            name = next(iter(amounts))
            raise BadMeasure(f"the curve has no amount '{name}'{did_you_mean(name, [axis.name for axis in self.axes])}")
        return self.risks[index]

    def points(self) -> Iterator[tuple[dict[str, int], Amount]]:
        """Yield all combinations with their risks."""
        names = [axis.name for axis in self.axes]
        combinations = product(*(axis.amounts for axis in self.axes))
        for amounts, risk in zip(combinations, self.risks, strict=True):
            yield dict(zip(names, amounts, strict=True)), risk

    def plot(self, *, limit: Bound | None = None) -> alt.TopLevelMixin:
        """Draw the risk against what is known; with a limit, also the first amount at which it is no longer below.

        One kind of knowledge is a step line, two or three are cells, side by side.  An Altair chart, which needs the
        extra `plot`: a notebook shows it, `chart.save("curve.svg")` writes it.
        """
        from sidelight.report.charts.skyline import curve_chart  # noqa: PLC0415 - it stands below

        return curve_chart(self, limit=limit)

    def to_json(self) -> str:
        """Return the curve as JSON; risks exactly, and as numbers rounded up."""
        points = [
            {**amounts, "exact": str(risk), "risk": round_up(risk) if isfinite(risk) else None}
            for amounts, risk in self.points()
        ]
        axes = [{"name": axis.name, "amounts": axis.amounts} for axis in self.axes]
        return json.dumps({"measure": self.measure, "settings": dict(self.settings), "axes": axes, "points": points})

    def to_arrow(self) -> pa.Table:
        """Return a row per combination: the amounts, the risk rounded up, and exactly, as text."""
        points = [amounts for amounts, _ in self.points()]
        columns = {axis.name: [amounts[axis.name] for amounts in points] for axis in self.axes}
        return pa.table({**columns, "risk": list(map(round_up, self.risks)), "exact": list(map(str, self.risks))})


def disclosure_curve(
    release: Release,
    measure_family: Callable[..., Measure],
    amounts: Iterable[int] | Mapping[str, Iterable[int]],
    **settings: object,
) -> DisclosureCurve:
    """Compute how the risk grows with what an attacker knows.

    `measure_family` is a measure's class; `amounts` are those of its first parameter, or name → amounts for several;
    `settings` are its other parameters.  An amount with one number only is fixed.

    >>> from sidelight.measures.privacy_skyline.acquaintance import Acquaintance
    >>> release = Release.from_counts([{"Flu": 4, "Cold": 3, "AIDS": 1}])
    >>> curve = disclosure_curve(release, Acquaintance, {"rules_out": [0, 1], "others": range(3)}, value="AIDS")
    >>> [str(risk) for risk in curve.risks]
    ['1/8', '1/7', '1/6', '1/4', '1/3', '1/2']
    >>> curve.at(rules_out=1, others=2)
    Fraction(1, 2)
    """
    expect(Release, release, "what is measured")
    expect_one_sensitive(release, "a curve")
    parameters = _parameters(measure_family)
    if not isinstance(amounts, Mapping) and not parameters:
        raise BadMeasure(
            "this measure has no amount of knowledge to vary; give the class of one that has: sl.Implications"
        )
    named = amounts if isinstance(amounts, Mapping) else {parameters[0]: amounts}
    axes = tuple(KnowledgeAxis(name, _amounts(name, each)) for name, each in named.items())
    # checked before anything is measured, so that a long run does not end at a misspelt name
    for name in (*(axis.name for axis in axes), *settings):
        if name not in parameters:
            raise BadMeasure(f"no parameter '{name}' of this measure{did_you_mean(name, parameters)}")
    if prod(len(axis.amounts) for axis in axes) == 0:
        raise BadMeasure("no amounts of knowledge were given; give at least one, such as range(6)")
    measures: list[Measure] = []
    for combination in product(*(axis.amounts for axis in axes)):
        chosen = dict(zip((axis.name for axis in axes), combination, strict=True))
        made = measure_family(**chosen, **settings)
        measures.append(expect(Measure, made, "what the measure's class makes"))  # type: ignore[type-abstract]
    risks = tuple(measure.measure(release).value for measure in measures)
    texts = tuple((key, value if isinstance(value, str) else value_text(value)) for key, value in settings.items())
    return DisclosureCurve(measures[0].name, texts, axes, risks)


def _parameters(measure_family: object) -> list[str]:
    if not callable(measure_family):
        kind = type(measure_family).__name__
        raise WrongKind(f"a curve is of a measure's class, not of one {kind}; give the class, such as sl.Implications")
    try:
        return list(signature(measure_family).parameters)
    except ValueError:  # Python's own types do not say
        raise WrongKind("a curve is of a measure's class; give one, such as sl.Implications") from None


def _amounts(name: str, amounts: object) -> tuple[int, ...]:
    if not isinstance(amounts, Iterable):
        raise BadMeasure(
            f"the amounts of {name} are a list, not {as_given(amounts)}; "
            f"give [{as_given(amounts)}], or range(6) for several"
        )
    return tuple(amounts)
