"""Publish noisy counts with a document about their cost and their promise beside them; read both again.

The cells are declared (`NoisyCounts`) or found (`StableCounts`).  Both files are written aside and then moved into
place, the counts last: if they are there, so is their document.  The document contains nothing from the data but the
noisy counts, so that it costs no privacy; on reading, it is checked against the counts and their noise.  Whatever
fails, the budget stays spent, as the noise was drawn.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
from pydantic import PositiveInt, TypeAdapter

from sidelight import __version__
from sidelight.engines.formats.write import Sheet, Writer, writer_of
from sidelight.errors import BadLedger, BadNoise, BadRelease, NotPublished, expect, parameter
from sidelight.files import (
    digest,
    flush_to_disk,
    move_into_place,
    noise_path,
    read_whole,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    settle,
    unfinished_folder,
)
from sidelight.noise.accountant import CountedColumns, Spending
from sidelight.noise.domain import COUNT, MEASURED, OTHER, Domain, Outside
from sidelight.noise.estimates import Marginal
from sidelight.noise.ledger import BudgetDocument, LedgerPart, note_spent
from sidelight.noise.mechanism import (
    Mechanism,
    Neighbours,
    NoiseKind,
    PrivacyUnit,
    Sensitivity,
    amount_text,
    exact_amount,
    units_changed,
)
from sidelight.noise.noisy_counts import NoisyCounts
from sidelight.noise.stable_counts import StableCounts, smallest_threshold
from sidelight.noise.workload import CellLayout, CoarserLevel, coarser_level
from sidelight.publish.sidecar import PublishedFile
from sidelight.table.labels import SUPPRESSED, Column, Label, Semantics, label
from sidelight.table.roles import EACH_ROW, Missing
from sidelight.text import html_table

if TYPE_CHECKING:
    from sidelight.arrays import Integers


# Raised whenever programs that read the documents would have to change
NOISE_VERSION: Final = 3
STABLE_VERSION: Final = 1

Figure: TypeAlias = int | float  # as it was computed: a whole number is not written as 5.0


class MechanismDocument(LedgerPart):
    """Noise, and the sensitivity of the counts that it was added to."""

    kind: NoiseKind
    scale: Figure
    l1: int
    l2_squared: int

    @classmethod
    def build(cls, mechanism: Mechanism) -> MechanismDocument:
        """Write noise with its sensitivity."""
        return cls(kind=mechanism.kind, scale=mechanism.scale, **asdict(mechanism.sensitivity))

    def to_mechanism(self, sensitivity: Sensitivity) -> Mechanism:
        """Return the noise; raise `ValueError` where it is for another sensitivity."""
        if Sensitivity(self.l1, self.l2_squared) != sensitivity:
            raise ValueError("no such noise")
        return Mechanism(self.kind, float(self.scale), sensitivity)


class CoarserDocument(LedgerPart):
    """A coarser level of a column: for each published label, in order, its label at that level."""

    level: int
    labels: tuple[Label, ...]


class QueryDocument(LedgerPart):
    """Counts by some of the columns, measured in addition to the cells, the last column changing first."""

    by: tuple[str, ...]
    coarser: dict[str, CoarserDocument]
    margin_95: Figure
    mechanism: MechanismDocument
    measured: tuple[int, ...]


class UnitDocument(LedgerPart):
    """The privacy unit of the promise, and whether it was checked."""

    unit: str
    person: str
    checked: bool
    values: Semantics
    values_per_person: PositiveInt
    rows_per_person: PositiveInt | None
    people_at_most: PositiveInt | None

    @classmethod
    def build(cls, unit: PrivacyUnit, people_at_most: int | None) -> UnitDocument:
        """Write a privacy unit."""
        return cls(unit=unit.word, checked=unit.checked, people_at_most=people_at_most, **asdict(unit))

    def to_unit(self) -> PrivacyUnit:
        """Return the privacy unit; raise `ValueError` where the document contradicts itself."""
        word = "row" if self.person == EACH_ROW else "person"
        # the three fields depend on each other; a document in which they differ was not written by us
        if (self.unit, self.checked) != (word, word == "person"):
            raise ValueError("no such people")
        return PrivacyUnit(self.person, self.values, self.values_per_person, self.rows_per_person)


class PromiseDocument(LedgerPart):
    """The promise, in numbers where they are known, and in a sentence."""

    made: str
    shift: Figure | None
    chance: Figure | None
    sentence: str


class NoisyCountsDocument(LedgerPart):
    """The document beside noisy counts of declared cells."""

    kind: Literal["noisy counts"] = "noisy counts"
    schema_version: Literal[3] = NOISE_VERSION
    file: PublishedFile
    sensitive: str
    domain: tuple[Label, ...]
    outside: Outside
    missing: Missing | Literal["as undeclared"] | None
    levels: dict[str, int]
    levels_chosen: str
    levels_epsilon: str | None
    epsilon: str
    delta: str
    rho: str | None
    neighbours: Neighbours
    mechanism: MechanismDocument
    margin_95: Figure
    queries: tuple[QueryDocument, ...]
    sums: str
    privacy_unit: UnitDocument
    promise: PromiseDocument
    ledger: BudgetDocument | None  # of the account that the counts were paid from, and how that adds up
    receipt: str | None
    warnings: tuple[str, ...]
    versions: dict[str, str]


class StableCountsDocument(LedgerPart):
    """The document beside noisy counts of cells that were found."""

    kind: Literal["stable counts"] = "stable counts"
    schema_version: Literal[1] = STABLE_VERSION
    file: PublishedFile
    sensitive: str
    columns: tuple[str, ...]
    domain: None = None  # not declared
    threshold: int
    epsilon: str
    delta: str
    neighbours: Neighbours
    mechanism: MechanismDocument
    margin_95: Figure
    privacy_unit: UnitDocument
    promise: PromiseDocument
    ledger: BudgetDocument | None  # of the account that the counts were paid from, and how that adds up
    receipt: str | None
    warnings: tuple[str, ...]
    versions: dict[str, str]


NoiseDocument: TypeAlias = NoisyCountsDocument | StableCountsDocument

DocumentT = TypeVar("DocumentT", NoisyCountsDocument, StableCountsDocument)
CountsT = TypeVar("CountsT", NoisyCounts, StableCounts)


@dataclass(frozen=True, slots=True, repr=False)
class PublishedNoise:
    """The files that were written: the noisy counts and the document beside them, with its content."""

    path: Path
    beside: Path
    document: NoiseDocument

    def to_json(self) -> str:
        """Return the document as it stands beside the counts, byte for byte."""
        return json.dumps(self.document.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"

    def __repr__(self) -> str:
        return f"<PublishedNoise {self.path.name}: {self.document.file.rows:,} counts, epsilon {self.document.epsilon}>"

    def _repr_html_(self) -> str:
        rows = [(name, getattr(self.document, name)) for name in ("sensitive", "epsilon", "delta", "margin_95")]
        note = f"{self.document.promise.sentence} All that is told of it is in {self.beside.name}."
        return html_table(f"Published as {self.path.name}", ("", ""), rows, note=note)


def publish_noise(noisy: NoisyCounts | StableCounts, path: str | Path, *, force: bool = False) -> PublishedNoise:
    """Write the counts and their document, both or none; the options are those of `NoisyCounts.publish`."""
    path = Path(path)
    expect(bool, force, parameter("force"))
    document_path = refuse_noise_targets(path, force=force, inputs=() if noisy.ledger is None else noisy.ledger.files)
    try:
        with unfinished_folder(path) as folder:
            file = folder / path.name
            writer_of(path, None).write_to(file, Sheet(noisy.cells()))
            published = PublishedNoise(path, document_path, noise_document(noisy, file))
            (folder / document_path.name).write_bytes(published.to_json().encode())
            flush_to_disk(folder / document_path.name)
            # on the ledger before it is anywhere: the ledger may say more than was published, never less
            if noisy.ledger is not None and noisy.receipt is not None:
                noisy.ledger.enter_file(noisy.receipt, path, published.document.file.sha256)
            # the counts last: when they are there, all is there
            move_into_place(folder, (document_path, path), force=force)
    except (NotPublished, BadLedger) as problem:
        raise NotPublished(f"{problem}; what a ledger spent on it stays spent, as the noise was drawn") from None
    except BaseException as interrupt:
        if noisy.ledger is not None:
            note_spent(interrupt, noisy.ledger, noisy.spending)
        raise
    return published


def refuse_noise_targets(path: Path, *, force: bool, inputs: Sequence[Path] = ()) -> Path:
    """Return the path of the document; raise where a file cannot be written or is an input, before budget is spent."""
    document_path = noise_path(path)
    writer_of(path, None)
    for each in (path, document_path):
        refuse_input(each, inputs)
    refuse_left_over(path, document_path, force=force)
    for each in (path, document_path):
        refuse_existing(each, force=force)
    return document_path


def noise_document(noisy: NoisyCounts | StableCounts, file: Path) -> NoiseDocument:
    """Build the document about counts; it contains nothing from the data but the noisy counts."""
    spending, budget, stable = noisy.spending, noisy.budget, isinstance(noisy, StableCounts)
    # without the number of people, a delta has no meaning in beliefs
    in_beliefs = noisy.people_at_most is not None or (not stable and not spending.delta)
    promise = noisy.promise() if in_beliefs else None
    facts: dict[str, Any] = {
        "file": PublishedFile(
            name=file.name,
            sha256=digest(file),
            rows=len(noisy) if isinstance(noisy, StableCounts) else int(noisy.counts.size),
        ),
        "sensitive": noisy.sensitive,
        "epsilon": amount_text(spending.epsilon),
        "delta": amount_text(spending.delta),
        "neighbours": spending.neighbours,
        "mechanism": MechanismDocument.build(noisy.mechanism),
        "margin_95": noisy.margin(0.95),
        "privacy_unit": UnitDocument.build(noisy.unit, noisy.people_at_most),
        "promise": PromiseDocument(
            made=noisy.unit.sentence(),
            shift=None if promise is None else promise.shift,
            chance=None if promise is None else promise.chance,
            sentence=noisy.promise_in_words(),
        ),
        "ledger": None if budget is None else BudgetDocument.from_account(budget, budget.accounting),
        "receipt": noisy.receipt,
        "warnings": tuple(noisy.warnings()),
        "versions": {"sidelight": __version__, "opendp": version("opendp")},
    }
    if isinstance(noisy, StableCounts):
        columns = tuple(column.name for column in noisy.columns)
        return StableCountsDocument(**facts, columns=columns, threshold=noisy.threshold)
    price = None if noisy.paid_choice is None else amount_text(noisy.paid_choice.epsilon)
    from_data = f"from the data, for an epsilon of {price} more, which the promise counts"
    queries = []
    for marginal, margin in zip(noisy.marginals, noisy.margins_of_queries().values(), strict=True):
        columns_of_query = noisy.columns_of(marginal)
        coarser = {
            name: CoarserDocument(level=each.level, labels=tuple(each.labels[place] for place in each.place.tolist()))
            for name, each in columns_of_query.items()
            if each is not None
        }
        mechanism, measured = MechanismDocument.build(marginal.mechanism), tuple(marginal.measured.ravel().tolist())
        by = tuple(columns_of_query)
        queries.append(QueryDocument(by=by, coarser=coarser, margin_95=margin, mechanism=mechanism, measured=measured))
    return NoisyCountsDocument(
        **facts,
        domain=tuple(noisy.domain),
        outside=noisy.outside,
        # missing sensitive values have a cell of their own if the domain lists them
        missing="as undeclared" if noisy.missing == "a value" and None not in noisy.domain else noisy.missing,
        levels=dict(noisy.levels),
        levels_chosen="in advance, as the publisher says" if price is None else from_data,
        levels_epsilon=price,
        rho=None if spending.charged_rho is None else amount_text(spending.charged_rho),
        queries=tuple(queries),
        sums=noisy.how_to_add_up(),
    )


# Errors of reading a document, or with Arrow a file, that we did not write
NOT_AS_WRITTEN = (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, BadNoise)


def read_noise(path: str | Path) -> NoisyCounts:
    """Read published noisy counts.

    The document beside the file has the counted columns and the noise; a file that differs from the one it describes is
    an error.

    >>> import sidelight as sl
    >>> from tempfile import TemporaryDirectory
    >>> adult = sl.datasets.adult(quasi=["sex"])
    >>> noisy = sl.noisy_counts(
    ...     adult.table, by=adult.hierarchies, levels={"sex": 0}, domain=sl.datasets.OCCUPATIONS, epsilon=1,
    ...     ledger="no ledger")
    >>> with TemporaryDirectory() as folder:
    ...     _ = noisy.publish(f"{folder}/counts.csv")
    ...     read_noise(f"{folder}/counts.csv")
    <NoisyCounts of occupation: 3 groups x 15 values, epsilon 1>
    """
    return _read_counts(Path(path), NoisyCountsDocument, _build_noisy_counts)


def _build_noisy_counts(
    document: NoisyCountsDocument, unit: PrivacyUnit, sheet: pa.Table, writer: Writer
) -> NoisyCounts:
    domain = _declared_domain(document, sheet, writer)
    spending, price = _spending(document, domain, unit), document.levels_epsilon
    paid = None
    if price is not None:
        paid = Spending("choosing the levels", exact_amount(price, "epsilon"), Fraction(0), spending.neighbours)
    measured, counts = (sheet.column(name).to_numpy().astype(np.int64) for name in (MEASURED, COUNT))
    return NoisyCounts(
        domain,
        document.sensitive,
        measured.reshape(domain.shape),
        counts.reshape(domain.shape),
        paid_choice=paid,
        missing="a value" if document.missing == "as undeclared" else document.missing,
        **_marginals(document, domain, spending),
        **_facts(document, unit, spending),
    )


def _read_counts(
    path: Path, model: type[DocumentT], build: Callable[[DocumentT, PrivacyUnit, pa.Table, Writer], CountsT]
) -> CountsT:
    """Read counts and the document beside them; digests are compared before the file is parsed."""
    text = read_document(path, *(model.model_fields[name].default for name in ("kind", "schema_version")))
    try:
        document = model.model_validate_json(text)
        return build(document, document.privacy_unit.to_unit(), *read_sheet(path))
    except NOT_AS_WRITTEN:
        raise BadRelease(f"'{noise_path(path).name}' does not fit '{path.name}'; publish the counts again") from None


ANY_DOCUMENT = TypeAdapter(dict[str, Any])
"""A document of any kind and version, of which only the head is used."""


def read_document(path: Path, kind: str, version: int) -> bytes:
    """Return the text of the document beside the counts; raise where its kind, version or file is another one."""
    document_path = noise_path(path)
    settle(path)
    try:
        text = read_whole(document_path)
        head = ANY_DOCUMENT.validate_json(text)
        about, schema_version, sha256 = head["kind"], head["schema_version"], head["file"]["sha256"]
    except FileNotFoundError:
        raise BadRelease(f"no '{document_path.name}' beside '{path}'; which noise was added stands in it") from None
    except (OSError, ValueError, KeyError, TypeError):
        raise BadRelease(f"'{document_path}' cannot be read; publish the counts again") from None
    functions = {"noisy counts": "sl.read_noise", "stable counts": "sl.read_stable_counts"}
    if about != kind and isinstance(about, str) and about in functions:
        raise BadRelease(
            f"'{document_path.name}' tells of {about}, and {kind} are needed here; in Python, {functions[about]} reads "
            "them"
        )
    if about != kind or schema_version != version:
        raise BadRelease(f"'{document_path.name}' is of another version; this Sidelight reads {version}")
    if not path.is_file() or digest(path) != sha256:
        raise BadRelease(f"'{path}' is not the file that '{document_path.name}' tells of; publish the counts again")
    return text


def _facts(document: NoiseDocument, unit: PrivacyUnit, spending: Spending) -> dict[str, Any]:
    """Return the fields of counts of either kind."""
    paid = document.ledger
    return {
        "spending": spending,
        "unit": unit,
        "people_at_most": document.privacy_unit.people_at_most,
        "budget": None if paid is None else paid.to_account(paid.accounting, spending.neighbours),
        "receipt": document.receipt,
    }


def _spending(document: NoisyCountsDocument, domain: Domain, unit: PrivacyUnit) -> Spending:
    """Return what was spent; raise where the noise is too small for the cost in the document."""
    sensitivity = unit.sensitivity(document.neighbours)
    merged = sensitivity.merge(units_changed(document.neighbours))
    noise = document.mechanism.to_mechanism(sensitivity)
    of_queries = tuple(each.mechanism.to_mechanism(merged) for each in document.queries)
    counted = CountedColumns(document.sensitive, tuple(domain.levels.items()), int(np.prod(domain.shape)), unit)
    cost = exact_amount(document.epsilon, "epsilon"), exact_amount(document.delta, "delta")
    rho = None if document.rho is None else exact_amount(document.rho, "rho")
    spending = Spending(str(counted), *cost, document.neighbours, noise, counted, of_queries, rho)
    # Gaussian noise never keeps a promise without delta, and Laplace noise never needs one
    needs_delta = noise.kind == "discrete Gaussian"
    if not spending.keeps() or needs_delta != (spending.delta > 0):
        raise ValueError("the noise costs more than the document says")
    return spending


def _marginals(document: NoisyCountsDocument, domain: Domain, spending: Spending) -> dict[str, Any]:
    names, queries = [*domain.levels, document.sensitive], document.queries
    numbers: dict[tuple[str, int], int] = {}
    coarser: list[CoarserLevel] = []
    for name, document_level in (pair for query in queries for pair in query.coarser.items()):
        level = coarser_level(names.index(name), document_level.level, document_level.labels)
        # one axis per (column, level): several queries may use the same coarser level
        known = numbers.setdefault((name, level.level), len(names) + len(coarser))
        if known == len(names) + len(coarser):
            coarser.append(level)
        if not np.array_equal(coarser[known - len(names)].place, level.place):
            raise ValueError("two levels of one number")
    layout = CellLayout(domain.sizes, tuple(coarser))
    marginals = []
    for query, mechanism in zip(queries, spending.marginal_noise, strict=True):
        levels = {name: each.level for name, each in query.coarser.items()}
        axes = tuple(numbers[name, levels[name]] if name in levels else names.index(name) for name in query.by)
        measured = np.array(query.measured, np.int64)
        # stored flat, the last column changing first: C order, so reshape to (labels of each axis)
        marginals.append(Marginal(axes, mechanism, measured.reshape([layout.labels_of(axis) for axis in axes])))
    every = [each.axes for each in marginals]
    columns = [[*map(layout.column, axes)] for axes in every]
    fitting = all(len(each.place) == layout.shape[each.column] for each in coarser) and layout.is_nested()
    # no marginal twice, none that is the full table, and each with its columns in order, as they are written
    if not fitting or len({*every, layout.every}) <= len(every) or any(each != sorted({*each}) for each in columns):
        raise ValueError("no such marginals")
    return {"marginals": tuple(marginals), "coarser": layout.coarser}


def read_sheet(path: Path) -> tuple[pa.Table, Writer]:
    """Return the cells under the original names of the columns, and the format's writer."""
    writer = writer_of(path, None)
    return writer.read(path, (COUNT, MEASURED)), writer


def _declared_domain(document: NoisyCountsDocument, sheet: pa.Table, writer: Writer) -> Domain:
    """Return the domain with the labels of each column; the rows are all combinations in its order."""
    values, names = document.domain, [*document.levels]
    labels, codes = zip(
        *(read_labels(sheet.column(name), writer) for name in [*names, document.sensitive]), strict=True
    )
    outside = document.outside
    if outside == "other" and not all(each[-1] == OTHER for each in (values, *labels[:-1]) if each != (SUPPRESSED,)):
        raise ValueError("nobody is other")
    domain = Domain(MappingProxyType(dict(document.levels)), labels[:-1], values, outside)
    # every combination of keys with every value: keys change slowest
    expected = [np.repeat(column.codes, len(values)) for column in domain.columns]
    expected.append(np.tile(np.arange(len(values)), len(domain)))
    if labels[-1] != values or not all(map(np.array_equal, codes, expected)):
        raise ValueError("the rows are not all combinations, in order")
    return domain


def read_labels(column: pa.ChunkedArray, writer: Writer) -> tuple[tuple[Label, ...], Integers]:
    """Return the labels of a column in the order in which they occur, and (cells,) codes into them."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    texts = (label(cell) for cell in encoded.dictionary.to_pylist())
    labels = tuple(text if text is None else (writer.decode(text) or writer.empty) for text in texts)
    return labels, encoded.indices.to_numpy().astype(np.int64)


def read_stable_counts(path: str | Path) -> StableCounts:
    """Read published counts of cells that were found.

    A file that differs from the one of its document is an error, and so is a threshold too low for its δ.

    >>> import sidelight as sl
    >>> from tempfile import TemporaryDirectory
    >>> adult = sl.datasets.adult(quasi=["sex"])
    >>> found = sl.stable_counts(adult.table, columns=["sex"], epsilon=1, delta="1e-9", ledger="no ledger")
    >>> with TemporaryDirectory() as folder:
    ...     _ = found.publish(f"{folder}/counts.csv")
    ...     read_stable_counts(f"{folder}/counts.csv").spending == found.spending
    True
    """
    return _read_counts(Path(path), StableCountsDocument, _build_stable_counts)


def _build_stable_counts(
    document: StableCountsDocument, unit: PrivacyUnit, sheet: pa.Table, writer: Writer
) -> StableCounts:
    names = [*document.columns, document.sensitive]
    if sheet.column_names != [*names, MEASURED]:
        raise ValueError("other columns")
    read = ((name, *read_labels(sheet.column(name), writer)) for name in names)
    *columns, value = (Column(name, labels, codes.astype(np.int32)) for name, labels, codes in read)
    noise = document.mechanism.to_mechanism(unit.sensitivity(document.neighbours))
    counts = CountedColumns(document.sensitive, tuple((name, 0) for name in document.columns), 0, unit)
    cost = exact_amount(document.epsilon, "epsilon"), exact_amount(document.delta, "delta")
    spending = Spending(counts.describe_undeclared(), *cost, document.neighbours, noise, counts)
    measured = sheet.column(MEASURED).to_numpy().astype(np.int64)
    # an edited document could promise more than its noise keeps: nothing is returned before this check
    least = smallest_threshold(noise.scale, spending.delta, unit)
    if not spending.keeps() or document.threshold < least or (measured < document.threshold).any():
        raise ValueError("the counts cost more than the document says")
    return StableCounts(tuple(columns), value, measured, document.threshold, **_facts(document, unit, spending))


def read_drawn(path: Path) -> NoisyCounts | StableCounts:
    """Read published noisy counts, of declared or of found cells."""
    settle(path)
    try:
        kind = ANY_DOCUMENT.validate_json(read_whole(noise_path(path))).get("kind")
    except (OSError, ValueError):  # reading it as the usual kind raises with the reason
        kind = None
    return read_stable_counts(path) if kind == "stable counts" else read_noise(path)
