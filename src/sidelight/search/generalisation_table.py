"""Measure and weigh every generalisation of a table.

Nodes       all of the lattice (one level per column), or with a policy those within it: all, or the minimal ones.
Measured    Each node is grouped once, by rolling up a finer one, and many small ones are measured at once.
Exact       Every value is that of `measure.measure` on the release: a fraction, `math.inf`, or rounded towards caution.
Weighed     Utilities look at how a node recodes the table (`NodeRecodings`), as searches do.
Stopped     After Ctrl-C the table has the rows that were measured by then, and says that it is not complete.

Nodes differ in how they put the same people together.  A measure that is as bad as its worst group looks at the groups
of many small nodes side by side, as parts of one set of groups (`worst_of_parts`): floats for all of them in one pass,
and exactly, once for all nodes, the kinds of groups near the worst of theirs.  Measures of groups together, and nodes
in which people are suppressed, are measured one by one.

Cost: nearly that of the groupings for measures of single groups (benchmarks/prior_belief.py).
Source: the tables and figures of Martin et al., ICDE 2007, section 4 (entropy and risk of 72 generalisations), and of
Machanavajjhala, Gehrke and Götz, VLDB 2009, section 4 (the smallest ε of 72 generalisations, and their utility).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

from sidelight.errors import BadHierarchy, BadMeasure, BadPolicy, as_names, did_you_mean, expect, parameter
from sidelight.measures.about import ask_each_column, findings
from sidelight.measures.epsilon_privacy.prior import settings_in_words
from sidelight.measures.epsilon_privacy.prior_belief import PriorBelief
from sidelight.measures.group_by_group import GroupByGroup
from sidelight.measures.measure import Measure
from sidelight.progress import Progress, quiet
from sidelight.release.generalise import Lattice, Node
from sidelight.release.release import Release
from sidelight.rounding import printed_cautiously, short_amount
from sidelight.search.effort import EFFORT
from sidelight.search.full_domain import FullDomain, NodeRecodings, Suppressed, refuse_too_many
from sidelight.search.lattice_search import CheckedNodes, finest_first
from sidelight.search.method import searched_levels
from sidelight.search.protect import SearchProblem
from sidelight.search.utility import UTILITIES, UtilityName
from sidelight.table.hierarchy import Hierarchy, as_hierarchies
from sidelight.table.labels import Tabular
from sidelight.table.table import Counts, Table, held
from sidelight.text import counted, html_table

if TYPE_CHECKING:
    from sidelight.measures.criterion import Amount, Criterion
    from sidelight.policy.policy import Policy
    from sidelight.release.groups import Groups

ROW_SIZES = ("groups", "suppressed people")
"""The figures of every generalisation, whatever is measured."""


@dataclass(frozen=True, slots=True)
class GeneralisationRow:
    """One generalisation: `node` has a level per column, `values` one per measure, `worths` one per utility."""

    columns: tuple[str, ...]
    measures: tuple[str, ...]
    utilities: tuple[UtilityName, ...]
    node: Node
    values: tuple[Amount, ...]
    worths: tuple[float, ...] = ()
    groups: int = 0
    suppressed: int = 0  # people, where a policy says whom

    @property
    def levels(self) -> dict[str, int]:
        """Column → level, as `generalise` takes it."""
        return searched_levels(dict(zip(self.columns, self.node, strict=True)))

    @property
    def measured(self) -> dict[str, Amount]:
        """Measure → its exact value."""
        return dict(zip(self.measures, self.values, strict=True))

    @property
    def epsilon(self) -> dict[str, Amount]:
        """Adversary → the smallest ε for which it is ε-private against them, where that is what was measured."""
        return self.measured

    @property
    def utility(self) -> dict[str, float]:
        """Utility → what the generalisation is worth by it; smaller is better."""
        return dict(zip(self.utilities, self.worths, strict=True))


@dataclass(frozen=True, slots=True)
class GeneralisationTable(Tabular):
    """The measured generalisations, a row each, finer ones before coarser ones."""

    columns: tuple[str, ...]
    measures: tuple[str, ...]
    utilities: tuple[UtilityName, ...]
    rows: tuple[GeneralisationRow, ...]
    large_is_bad: tuple[bool, ...]  # of each measure: a risk, or a size or diversity
    complete: bool = True  # whether there are rows of all generalisations, or of all within the policy
    notes: tuple[str, ...] = ()  # what to know about the values, of whichever generalisation
    of_epsilon: bool = False  # whether the measures are the smallest ε against adversaries

    @property
    def adversaries(self) -> tuple[str, ...]:
        """Against whom, where the smallest ε was measured."""
        return self.measures if self.of_epsilon else ()

    def __repr__(self) -> str:
        unfinished = "" if self.complete else ", not complete,"
        size = f"{counted(len(self.rows), 'generalisation')} of {', '.join(self.columns)}{unfinished}"
        if self.of_epsilon:
            return f"<EpsilonTable: {size} against {counted(len(self.measures), 'adversary')}>"
        names = ((self.measures, "measure"), (self.utilities, "utility"))
        measured = " and ".join(counted(len(each), noun) for each, noun in names if each)
        return f"<GeneralisationTable: {size} by {measured}>"

    def _repr_html_(self) -> str:
        rows = (
            (*row.node, row.groups, *self.glances(row), *(float(f"{worth:.4g}") for worth in row.worths))
            for row in self.rows
        )
        heads = [*self.columns, "groups", *self.measures, *self.utilities]
        title = "Generalisations" if self.complete else "Generalisations, not complete"
        title = "Smallest ε of each generalisation" if self.of_epsilon else title
        return html_table(title, heads, rows, total=len(self.rows), note="; ".join(self.notes))

    def glances(self, row: GeneralisationRow) -> Iterator[str]:
        """Yield each value of a row in a few figures, rounded towards caution."""
        for value, large_is_bad in zip(row.values, self.large_is_bad, strict=True):
            yield short_amount(value, large_is_bad=large_is_bad)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[GeneralisationRow]:
        return iter(self.rows)

    def at(self, levels: Mapping[str, int]) -> GeneralisationRow:
        """Return the row of a generalisation; columns that are not named are at level 0."""
        node = tuple(levels.get(name, 0) for name in self.columns)
        for row in self.rows:
            if row.node == node and set(levels) <= set(self.columns):
                return row
        raise BadMeasure(f"no generalisation {dict(levels)} in the table; it has levels of {', '.join(self.columns)}")

    def to_arrow(self) -> pa.Table:
        """Return a row per generalisation: columns' levels, sizes, values rounded towards caution, and utilities."""
        levels = {_name_level(name): [row.node[at] for row in self.rows] for at, name in enumerate(self.columns)}
        groups, suppressed = ROW_SIZES
        sizes = {groups: [row.groups for row in self.rows], suppressed: [row.suppressed for row in self.rows]}
        values = {
            name: [printed_cautiously(row.values[at], large_is_bad=large_is_bad) for row in self.rows]
            for at, (name, large_is_bad) in enumerate(zip(self.measures, self.large_is_bad, strict=True))
        }
        worths = {name: [row.worths[at] for row in self.rows] for at, name in enumerate(self.utilities)}
        integers = {name: pa.array(column, pa.int64()) for name, column in (levels | sizes).items()}
        floats = {name: pa.array(column, pa.float64()) for name, column in (values | worths).items()}
        return pa.table(integers | floats)


Mark = TypeVar("Mark")


def _name_level(column: str) -> str:
    return f"level of {column}"


def generalisation_table(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    measures: Mapping[str, Measure] | Iterable[Measure] | Measure = (),
    utilities: Iterable[UtilityName] | UtilityName = (),
    *,
    policy: Policy | Criterion | Iterable[Criterion] | None = None,
    minimal: bool = True,
    suppress: float = 0,
    suppressed: Suppressed = "as *",
    columns: str | Sequence[str] | None = None,
    progress: Progress = quiet,
) -> GeneralisationTable:
    """Measure and weigh every full-domain generalisation of a table.

    A row for each choice of one level per column (of all quasi-identifiers, or of `columns` alone, as if the table had
    no others).  With a `policy`, only the minimal choices within it, or with `minimal=False` all within it; then
    `suppress` is the share of people who may be suppressed to be within it, and `suppressed` what becomes of them, as
    in `FullDomain`.  Measures may have names of your own; of several sensitive columns, each is asked about.  Values
    are exact.  After Ctrl-C the table has the rows that are there by then, and is marked as not complete.

    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"])
    >>> levels = generalisation_table(
    ...     adult.table, adult.hierarchies, [sl.GroupSize(), sl.Implications(1)], ["loss", "discernibility"])
    >>> levels
    <GeneralisationTable: 12 generalisations of age, sex by 2 measures and 2 utilities>
    >>> row = levels.at({"age": 4, "sex": 1})
    >>> row.groups, row.measured["group size"], round(row.utility["loss"], 3)
    (3, Fraction(143, 1), 0.701)
    >>> safe = generalisation_table(
    ...     adult.table, adult.hierarchies, sl.GroupSize(), policy=[sl.GroupSize() >= 50, sl.Implications(1) <= 0.3])
    >>> [(row.levels, int(row.values[0])) for row in safe]
    [({'age': 4, 'sex': 1}, 143)]

    Source: as the tables and figures of Martin et al., ICDE 2007, and Machanavajjhala et al., VLDB 2009.
    """
    by, chosen = as_hierarchies(hierarchies), expect(Table, table, "what is generalised")
    if columns is not None:
        if not as_names(columns):
            raise BadMeasure(f"{parameter('columns')} names none; name some of the table's, or leave it out")
        chosen = table.only(tuple(dict.fromkeys(as_names(columns))))
    named = named_measures(measures)
    names = (utilities,) if isinstance(utilities, str) else tuple(dict.fromkeys(utilities))
    questions = _build_questions(named, names, chosen)
    method = FullDomain(suppress=suppress, suppressed=suppressed, nodes=None)
    if method.suppress and policy is None:
        raise BadPolicy(
            f"{parameter('suppress')} needs a policy, which says whom to suppress; give one, or leave it out"
        )
    problem = None if policy is None else SearchProblem.build(chosen, policy, by, [method])
    # the populations that the questions, or the policy, compare generalisations with
    compared = (measure.register for measure in questions.values())
    registers = [each for each in compared if each is not None]
    registers += problem.searchable.registers if problem else ()
    lattice = Lattice(chosen, by, populations=tuple(dict.fromkeys(registers)))
    release = lattice.release_at(lattice.bottom)
    for measure in questions.values():
        plain, view = measure.resolve(release)
        plain.check(view)
    if problem is None:
        if len(lattice) > EFFORT.listed_nodes:
            raise BadHierarchy(
                f"these hierarchies make {len(lattice):,} generalisations, more than a table should have rows; leave "
                "levels or columns out, or give a policy to have the minimal ones within it"
            )
        checked = CheckedNodes((), tuple(lattice.nodes()), len(lattice), complete=True)
    else:
        checked = _find_within(lattice, problem, method, progress)
    nodes = tuple(finest_first(checked.minimal if minimal else checked.within)) if problem else checked.within
    recodings = NodeRecodings(lattice, by) if names else None
    return _measure_nodes(lattice, replace(checked, within=nodes), questions, names, recodings, progress=progress)


def smallest_epsilon_table(
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    adversaries: Mapping[str, PriorBelief] | Iterable[PriorBelief] | PriorBelief,
    *,
    columns: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GeneralisationTable:
    """Compute the smallest ε of every full-domain generalisation against each of these adversaries.

    The `generalisation_table` of prior beliefs: for each choice of one level per column (of all quasi-identifiers, or
    of `columns`) the smallest ε, exactly.  `adversaries` may have names of your own; `progress(done, total)` is called
    after each generalisation.

    >>> import math
    >>> import sidelight as sl
    >>> adult = sl.datasets.adult(quasi=["age", "sex"], sensitive="salary-class")
    >>> epsilons = smallest_epsilon_table(adult.table, adult.hierarchies, {
    ...     "any shape, 1,000": PriorBelief(stubbornness=1_000),
    ...     "the table's shape, unmoved": PriorBelief(shape="release", stubbornness=math.inf)})
    >>> len(epsilons), epsilons.rows[0].levels, epsilons.rows[0].values
    (12, {'age': 0, 'sex': 0}, (inf, inf))
    >>> row = epsilons.at({"age": 4, "sex": 1})
    >>> {adversary: f"{float(epsilon):.3f}" for adversary, epsilon in row.epsilon.items()}
    {'any shape, 1,000': '7.986', "the table's shape, unmoved": '1.541'}

    Source: Machanavajjhala, Gehrke and Götz, Data publishing against realistic adversaries, VLDB 2009, section 4.
    """
    beliefs = named_measures(adversaries, lambda each: settings_in_words(expect(PriorBelief, each, "an adversary")))
    for name, each in beliefs.items():
        expect(PriorBelief, each, f"adversary '{name}'")

    def report(what: str, done: int, total: int | None) -> None:
        del what
        if progress is not None and total is not None:
            progress(done, total)

    levels = generalisation_table(table, hierarchies, beliefs, columns=columns, progress=report)
    return replace(levels, of_epsilon=True)


def named_measures(
    measures: Mapping[str, Measure] | Iterable[Measure] | Measure, name_of: Callable[[Measure], str] = str
) -> dict[str, Measure]:
    """Return measures by the caller's own names, or by what they ask.

    >>> from sidelight.measures.classics import GroupSize
    >>> named_measures(GroupSize()), named_measures({"k": GroupSize()})
    ({'group size': GroupSize()}, {'k': GroupSize()})
    """

    def checked(thing: object, name: str = "a measure") -> Measure:
        return expect(Measure, thing, name)  # type: ignore[type-abstract]

    if isinstance(measures, Mapping):
        return {
            expect(str, name, "the name of a measure"): checked(each, f"measure '{name}'")
            for name, each in measures.items()
        }
    several = list(measures) if isinstance(measures, Iterable) else [measures]
    named = {name_of(checked(each)): each for each in several}
    if len(named) < len(several):
        raise BadMeasure("two of the measures are the same; leave one out, or name them in a mapping")
    return named


def _build_questions(
    named: Mapping[str, Measure], utilities: tuple[UtilityName, ...], table: Table
) -> dict[str, Measure]:
    """Build the questions about each sensitive column, with the table at hand where a question needs it."""
    questions: dict[str, Measure] = {}
    for name, measure in named.items():
        for part in ask_each_column(measure, table.sensitive_columns, table.domain):
            own = name if part is measure else str(part) if name == str(measure) else f"{name}: {part}"
            questions[own] = part.bind_table(table)
    for name in utilities:
        if expect(str, name, "a utility") not in UTILITIES:
            raise BadPolicy(f"no utility '{name}'{did_you_mean(name, [*UTILITIES])}")
    taken = (*utilities, *ROW_SIZES, *(_name_level(column.name) for column in table.quasi))
    clash = next((name for name in taken if name in questions), None)
    if clash is not None:
        raise BadMeasure(f"'{clash}' is a column of the answer already; call the measure something else")
    if not questions and not utilities:
        raise BadMeasure("nothing is asked; name measures, such as 'group size', or utilities, such as 'loss'")
    return questions


def _find_within(lattice: Lattice, problem: SearchProblem, method: FullDomain, progress: Progress) -> CheckedNodes:
    unmergeable = next((each for each in problem.policy.criteria if not each.measure.mergeable), None)
    if unmergeable is not None:
        raise BadPolicy(
            f"'{unmergeable.measure.name}' looks at a whole release at once, and no search can follow its limit; leave "
            "that out, and name it among the measures"
        )
    refuse_too_many(lattice)
    return method.find_nodes(lattice, problem.searchable, progress=progress)


def _measure_nodes(
    lattice: Lattice,
    checked: CheckedNodes,
    questions: Mapping[str, Measure],
    utilities: tuple[UtilityName, ...] = (),
    recodings: NodeRecodings | None = None,
    *,
    progress: Progress,
) -> GeneralisationTable:
    """Measure and weigh node after node; Ctrl-C keeps what is there."""
    rows: list[GeneralisationRow] = []
    notes: dict[str, None] = {}
    complete, measures = checked.complete, [*questions.values()]
    names = lattice.columns, tuple(questions), utilities
    try:
        chosen_nodes = checked.chosen
        printed = (
            (node, chosen_nodes[node].release(lattice).groups if node in chosen_nodes else lattice.held_groups_at(node))
            for node in checked.within
        )
        for batch in batch_groups(printed):
            # which groups are suppressed differs from node to node, so such nodes are measured one by one
            alike = not any(node in chosen_nodes for node, _ in batch)
            values_here, notes_here = values_of(
                [groups for _, groups in batch], measures, held(lattice.table), alike=alike
            )
            notes |= dict.fromkeys(notes_here)
            for (node, groups), values in zip(batch, values_here, strict=True):
                chosen = chosen_nodes.get(node)
                recoding = None if recodings is None else recodings.recode(node, chosen)
                worths = () if recoding is None else tuple(UTILITIES[name](recoding) for name in utilities)
                suppressed = 0 if chosen is None else chosen.people
                rows.append(GeneralisationRow(*names, node, values, worths, len(groups), suppressed))
                progress(f"levels {node}", len(rows), len(checked.within))
    # rows measured so far are exact; only the list of them is not complete
    except KeyboardInterrupt:
        complete = False
    large_is_bad = tuple(measure.large_is_bad for measure in measures)
    return GeneralisationTable(*names, tuple(rows), large_is_bad, complete, tuple(notes))


def batch_groups(marked: Iterable[tuple[Mark, Groups]]) -> Iterator[list[tuple[Mark, Groups]]]:
    """Yield groups, each with its mark, until there are enough counts to look at together: many small ones or one."""
    batch: list[tuple[Mark, Groups]] = []
    counts = 0
    for mark, groups in marked:
        batch.append((mark, groups))
        counts += len(groups) * len(groups.domain)
        if counts >= EFFORT.measured_counts:
            yield batch
            batch, counts = [], 0
    if batch:
        yield batch


def values_of(
    nodes: list[Groups], measures: Sequence[Measure], table: Table, *, alike: bool = True
) -> tuple[list[tuple[Amount, ...]], list[str]]:
    """Return for each node of a batch the values of all measures, and notes on them.

    Where all nodes have the same people, measures of one group at a time look at them side by side, class by class.
    """
    columns: dict[int, list[Amount]] = {}
    notes: list[str] = []
    by_class: dict[type[GroupByGroup], dict[int, GroupByGroup]] = {}
    for at, measure in enumerate(measures):
        if alike and isinstance(measure, GroupByGroup) and measure.counts_decide:
            by_class.setdefault(type(measure), {})[at] = measure
    for kind, members in by_class.items():
        for at, (values, known) in zip(members, _measure_side_by_side(nodes, kind, [*members.values()]), strict=True):
            columns[at] = values
            notes += known
    others = [at for at in range(len(measures)) if at not in columns]
    releases = [Release(each, sensitive=table.sensitive, intake=table.intake) for each in nodes] if others else []
    one_by_one = [findings([measures[at] for at in others], release) for release in releases]
    for index, at in enumerate(others):
        columns[at] = [each[index].value for each in one_by_one]
        notes += [note for each in one_by_one for note in each[index].notes]
    return [tuple(columns[at][node] for at in range(len(measures))) for node in range(len(nodes))], notes


def _measure_side_by_side(
    nodes: list[Groups], kind: type[GroupByGroup], measures: Sequence[GroupByGroup]
) -> Iterator[tuple[list[Amount], Sequence[str]]]:
    """Yield, per measure of one class, the worst value of each node, as parts of one set of groups, and notes."""
    worse = max if kind.large_is_bad else min
    worst_known: list[dict[int, Amount]] = [{} for _ in measures]
    # a large node comes in blocks that fit into memory, and may go on in the next lot
    marked = ((node, block) for node, groups in enumerate(nodes) for block in groups.blocks() if len(block))
    for lot in batch_groups(marked):
        blocks = [block for _, block in lot]
        # groups of the same people, stacked as if they were those of one release
        cells = np.concatenate([block.counts.dense() for block in blocks])
        sizes = np.concatenate([block.sizes for block in blocks])
        stack = replace(
            replace(blocks[0], populations=(), weights=None),
            sizes=sizes,
            counts=Counts(cells.shape, cells=cells),
            columns=(),
            numbers=np.arange(1, len(sizes) + 1),
        )
        # the row at which each block begins in the stack
        starts = np.cumsum([0, *(len(block) for block in blocks[:-1])])
        for known, worst in zip(worst_known, kind.worst_of_parts(measures, stack, starts), strict=True):
            for (node, _), value in zip(lot, worst, strict=True):
                if value is not None:  # a large node comes in several blocks
                    known[node] = worse(known[node], value) if node in known else value
    for measure, known in zip(measures, worst_known, strict=True):
        # a node in which nothing could be measured has the notes that say why
        silent = next((groups for node, groups in enumerate(nodes) if node not in known), None)
        notes = measure.notes(nodes[0]) if silent is None else measure.summarize(silent).finding().notes
        yield [known.get(node, kind.if_nothing_to_measure) for node in range(len(nodes))], notes
