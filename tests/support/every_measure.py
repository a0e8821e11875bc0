"""Every measure at once: a drawn release costs more than most measures of it, so all are asked of the same one."""

from __future__ import annotations

from collections.abc import Iterable

from sidelight.measures.measure import Measure
from sidelight.policy.measure_names import all_measures

SEMANTICS = ("single", "set", "multiset")


def every_measure(domain: tuple[object, ...], kinds: Iterable[type[Measure]] | None = None) -> list[Measure]:
    """The examples of all kinds, or of some, on a domain."""
    return [measure for kind in kinds or all_measures() for measure in kind.examples(domain)]


def measures_of(release: object, kinds: Iterable[type[Measure]] | None = None) -> list[Measure]:
    """The same, without those that cannot be asked of a release of its semantics."""
    return [measure for measure in every_measure(release.domain, kinds) if release.semantics in measure.semantics]
