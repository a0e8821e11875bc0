"""What gave one person away: the group in each release, and what each release ruled out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sidelight.attack.bayes import exact_posterior
from sidelight.attack.linkage import Published, release_of
from sidelight.attack.posterior import View
from sidelight.attack.targets import People
from sidelight.measures.finding import in_words
from sidelight.release.groups import GroupName
from sidelight.table.labels import Label, shown


@dataclass(frozen=True, slots=True)
class Sighting:
    """One release: the groups that the person may be in, the values there, and those that only others allow."""

    release: int  # from 1
    groups: tuple[GroupName, ...]
    values: tuple[Label, ...]
    rules_out: tuple[Label, ...]

    def __str__(self) -> str:
        if not self.groups:
            return f"release {self.release}: not located"
        where = ", ".join(map(str, self.groups[:3])) + (" …" if len(self.groups) > 3 else "")
        said = f"release {self.release}: {where}, {_many(len(self.values), 'value')}: {_listed(self.values)}"
        return said + (f"; rules out {_listed(self.rules_out)}" if self.rules_out else "")


@dataclass(frozen=True, slots=True)
class ExposureWitness:
    """What an attacker concludes about one person, and from what."""

    says: tuple[tuple[str, Label], ...]  # what is known about the person
    people: int  # who look like this
    sightings: tuple[Sighting, ...]
    candidates: tuple[Label, ...]
    beliefs: Mapping[Label, Fraction]  # posterior, of the candidates; empty when the releases contradict each other

    def explain(self) -> str:
        """Say it in a few lines.

        >>> seen = Sighting(1, (GroupName(2),), ("AIDS", "Flu"), ()), Sighting(2, (GroupName(1),), ("AIDS",), ("Flu",))
        >>> print(ExposureWitness((("zip", "13012"),), 1, seen, ("AIDS",), {"AIDS": Fraction(1)}).explain())
        1 person (zip 13012)
        release 1: group 2, 2 values: AIDS, Flu
        release 2: group 1, 1 value: AIDS; rules out Flu
        Only AIDS is in all of them.
        """
        known = ", ".join(f"{name} {shown(text)}" for name, text in self.says)
        who = f"{self.people:,} people who look alike" if self.people > 1 else "1 person"
        return "\n".join([who + (f" ({known})" if known else ""), *map(str, self.sightings), self._conclusion()])

    def _conclusion(self) -> str:
        if not self.candidates:
            return (
                "No value is in all of them: the releases contradict each other, or the person is not in one of them."
            )
        if len(self.candidates) == 1:
            return f"Only {shown(self.candidates[0])} is in all of them."
        likely = max(self.beliefs, key=lambda value: self.beliefs[value])
        return (
            f"{len(self.candidates)} values are left: {_listed(self.candidates)}; "
            f"the likeliest is {shown(likely)}, with {in_words(self.beliefs[likely])}."
        )

    def replay(self, releases: Sequence[Published], same_values: Mapping[str, str] | None = None) -> tuple[Label, ...]:
        """Find the candidates again from the groups named here alone, with plain sets."""
        same = same_values or {}
        left: set[Label] | None = None
        for sighting, published in zip(self.sightings, releases, strict=True):
            release = release_of(published)
            found: set[Label] = set()
            for name in sighting.groups:
                counts = release.group(name).counts.row(0).tolist()
                found |= {same.get(shown(text), text) for text, n in zip(release.domain, counts, strict=True) if n}
            if sighting.groups:
                left = found if left is None else left & found
        return self.candidates if left is None else tuple(text for text in self._order() if text in left)

    def _order(self) -> dict[Label, None]:
        return dict.fromkeys(text for sighting in self.sightings for text in (*sighting.values, *sighting.rules_out))


def witness_of(
    row: int,
    people: People,
    *,
    views: Sequence[View],
    domain: tuple[Label, ...],
    prior: Sequence[Fraction],
) -> ExposureWitness:
    """Put together what is concluded about one row of people."""
    says = tuple((column.name, column.cell(row)) for column in people.known)
    has = [_values(view, row, domain) for view in views]
    seen = [set(values) for view, values in zip(views, has, strict=True) if len(view.located.groups_of(row))]
    allowed = set().union(*seen)
    sightings = tuple(
        Sighting(
            number,
            tuple(view.groups.name(int(group)) for group in view.located.groups_of(row)),
            values,
            tuple(text for text in domain if text in allowed.difference(values)),
        )
        for number, (view, values) in enumerate(zip(views, has, strict=True), start=1)
    )
    left = tuple(text for text in domain if all(text in values for values in has))
    posterior = exact_posterior(views, prior, row)
    beliefs = {} if posterior is None else dict(zip(domain, posterior, strict=True))
    return ExposureWitness(says, int(people.sizes[row]), sightings, left, {text: beliefs[text] for text in left})


def _values(view: View, row: int, domain: tuple[Label, ...]) -> tuple[Label, ...]:
    groups = view.located.groups_of(row)
    if not len(groups):
        return domain
    totals = view.counts.take(groups).totals().tolist()
    return tuple(text for text, total in zip(domain, totals, strict=True) if total)


def _many(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _listed(values: Sequence[Label]) -> str:
    return ", ".join(map(shown, values)) or "none"
