"""Which picture shows a search?  Its lattice, its cuts, its candidates, or the groups that it made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sidelight.errors import BadMeasure, as_given, is_one_of, parameter
from sidelight.measures.classics import GroupSize
from sidelight.report.charts.candidates import candidates_chart, candidates_of
from sidelight.report.charts.cuts import CutsDrawn, cuts_chart
from sidelight.report.charts.histograms import sizes_chart
from sidelight.report.charts.lattice import SearchedLattice, lattice_chart
from sidelight.search.method import SearchPicture, SearchResult
from sidelight.search.utility import DEFAULT_UTILITY

if TYPE_CHECKING:
    import altair as alt


def shape_of(found: SearchResult) -> SearchPicture:
    """Return which picture shows best how a release was found."""
    return "lattice" if found.levels else "tree" if found.outcome.cuts is not None else "sizes"


def search_chart(found: SearchResult, of: SearchPicture | None = None) -> alt.TopLevelMixin:
    """Draw what was searched and found."""
    picture: object = shape_of(found) if of is None else of
    if not is_one_of(picture, SearchPicture):
        message = f"there is no picture {parameter('of', as_given(picture))}; choose lattice, tree, candidates or sizes"
        raise BadMeasure(message)
    if picture == "lattice":
        return lattice_chart(SearchedLattice.from_result(found))
    if picture == "tree":
        return cuts_chart(CutsDrawn.from_result(found))
    if picture == "candidates":
        criterion = found.policy.criteria[0]
        utility = found.chosen_by or DEFAULT_UTILITY
        return candidates_chart(candidates_of(found, criterion.measure), criterion, utility=utility)
    limits = [each.bound for each in found.policy.criteria if isinstance(each.measure, GroupSize)]
    return sizes_chart(found.release, limit=max(limits, default=None))
