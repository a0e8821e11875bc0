"""Publish noisy counts: a file of them, and beside it a document that says what they cost and promise; and read them.

Both files are written aside and then put into place, the counts last: when they are there, their document is.  Nothing
in the document was seen in the data but the noisy counts, so that it costs no privacy.  Whatever goes wrong, what a
ledger spent stays spent, as the noise was drawn.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa

from sidelight import __version__
from sidelight.errors import BadLedger, BadNoise, BadRelease, NotPublished, expect, is_one_of, parameter
from sidelight.files import (
    flush_to_disk,
    move_into_place,
    read_whole,
    refuse_existing,
    refuse_input,
    refuse_left_over,
    settle,
    unfinished_folder,
)
from sidelight.noise.account import Account, budget_document
from sidelight.noise.accountant import CountedColumns, Spending
from sidelight.noise.domain import COUNT, MEASURED, OTHER, Domain, Outside
from sidelight.noise.ledger import say_spent
from sidelight.noise.marginals import CellLayout, CoarserLevel, coarser_level
from sidelight.noise.mechanism import Mechanism, NoiseKind
from sidelight.noise.noisy_counts import NoisyCounts
from sidelight.noise.parameters import Neighbours, PrivacyUnit, Sensitivity, amount_text, units_changed
from sidelight.noise.workload import Marginal
from sidelight.publish.formats import Format, Sheet, format_of
from sidelight.publish.sidecar import digest, noise_path
from sidelight.table.labels import SUPPRESSED, Label, Semantics, label
from sidelight.table.roles import EACH_ROW, Missing
from sidelight.text import html_table

if TYPE_CHECKING:
    from sidelight.arrays import Integers
    from sidelight.noise.stable_counts import StableCounts

CHOICE = "choosing the levels"
"""What was paid for where levels were chosen from the data."""

READ_BY = {"noisy counts": "sl.read_noise", "stable counts": "sl.read_stable_counts"}
"""What documents beside counts are about, and what reads them."""

AS_UNDECLARED = "as undeclared"
"""What became of missing values where they are a value that was not declared: `outside` says the rest."""

SCHEMA_VERSION = 3
"""Raised whenever a reader of the document would have to change; version 2 said less, and is read too."""


@dataclass(frozen=True, slots=True, repr=False)
class PublishedNoise:
    """What was written: the file of noisy counts, the document beside it, and what that says."""

    path: Path
    beside: Path
    document: dict[str, Any]

    def to_json(self) -> str:
        """Give the document as it stands beside the counts, byte for byte."""
        return json.dumps(self.document, indent=2, ensure_ascii=False) + "\n"

    def __repr__(self) -> str:
        rows = self.document["file"]["rows"]
        return f"<PublishedNoise {self.path.name}: {rows:,} counts, epsilon {self.document['epsilon']}>"

    def _repr_html_(self) -> str:
        names = ("sensitive", "epsilon", "delta", "margin_95")
        rows = [(name, self.document[name]) for name in names]
        note = f"{self.document['promise']['sentence']} All that is told of it is in {self.beside.name}."
        return html_table(f"Published as {self.path.name}", ("", ""), rows, note=note)


def publish_noise(noisy: NoisyCounts, path: str | Path, *, force: bool = False) -> PublishedNoise:
    """Write the counts and what is said about them, both or none; `NoisyCounts.publish` says what the options mean."""
    return publish_drawn(noisy, path, _sheet(noisy), noise_document, force=force)


Drawn = TypeVar("Drawn", "NoisyCounts", "StableCounts")


def publish_drawn(
    noisy: Drawn, path: str | Path, sheet: Sheet, document: Callable[[Drawn, Path], dict[str, Any]], *, force: bool
) -> PublishedNoise:
    """Write what was drawn, and a document about it and the file that it stands in: both or none."""
    path = Path(path)
    expect(bool, force, parameter("force"))
    beside = refuse_noise_targets(path, force=force, inputs=() if noisy.ledger is None else noisy.ledger.files)
    try:
        with unfinished_folder(path) as folder:
            file = folder / path.name
            with file.open("wb") as open_file:
                format_of(path, None).write(sheet, open_file)
            flush_to_disk(file)
            published = PublishedNoise(path, beside, document(noisy, file))
            (folder / beside.name).write_bytes(published.to_json().encode())
            flush_to_disk(folder / beside.name)
            # on the ledger before it is anywhere: the ledger may say more than was published, never less
            if noisy.ledger is not None and noisy.receipt is not None:
                noisy.ledger.enter_file(noisy.receipt, path, published.document["file"]["sha256"])
            # the counts last: when they are there, all is there
            move_into_place(folder, (beside, path), force=force)
    except (NotPublished, BadLedger) as problem:
        message = f"{problem}; what a ledger spent on it stays spent, as the noise was drawn"
        raise NotPublished(message) from None
    except BaseException as interrupt:
        if noisy.ledger is not None:
            say_spent(interrupt, noisy.ledger, noisy.spending)
        raise
    return published


def refuse_noise_targets(path: Path, *, force: bool, inputs: Sequence[Path] = ()) -> Path:
    """Refuse places that cannot be written or that something is read from, best before any budget is spent.

    Gives where the document will stand.
    """
    beside = noise_path(path)
    format_of(path, None)
    for each in (path, beside):
        refuse_input(each, inputs)
    refuse_left_over(path, beside, force=force)
    for each in (path, beside):
        refuse_existing(each, force=force)
    return beside


def _sheet(noisy: NoisyCounts) -> Sheet:
    groups, values = noisy.declared_domain.shape
    row = np.repeat(np.arange(groups), values)
    columns = {column.name: column.take(row) for column in noisy.columns}
    return Sheet({**columns, noisy.sensitive: noisy.values_column(), **noisy.numbers()})


def _levels_chosen(noisy: NoisyCounts) -> str:
    if noisy.paid_choice is None:
        return "in advance, as the publisher says"
    return f"from the data, for an epsilon of {amount_text(noisy.paid_choice.epsilon)} more, which the promise counts"


def _missing(noisy: NoisyCounts) -> str | None:
    """Say what became of missing sensitive values: a cell of their own, if the domain lists them."""
    return AS_UNDECLARED if noisy.missing == "a value" and None not in noisy.domain else noisy.missing


def _query(noisy: NoisyCounts, marginal: Marginal, margin: float) -> dict[str, Any]:
    """Say what was measured beside the cells: counts by some of the columns, the last column changing first."""
    mechanism, columns = marginal.mechanism, noisy.columns_of(marginal)
    coarser = {name: each for name, each in columns.items() if each is not None}
    return {
        "by": [*columns],
        # of each published label, in order, the label that it is counted under
        "coarser": {
            name: {"level": each.level, "labels": [each.labels[place] for place in each.place.tolist()]}
            for name, each in coarser.items()
        },
        "margin_95": margin,
        "mechanism": {"kind": mechanism.kind, "scale": mechanism.scale, **asdict(mechanism.sensitivity)},
        "measured": marginal.measured.ravel().tolist(),
    }


def noise_document(noisy: NoisyCounts, file: Path) -> dict[str, Any]:
    """Say what a reader of the counts should know: nothing of it was seen in the data but the noisy counts."""
    spending, mechanism = noisy.spending, noisy.mechanism
    in_beliefs = not spending.delta or noisy.people_at_most is not None  # else nobody knows what it means in beliefs
    promise = noisy.promise() if in_beliefs else None
    return {
        "kind": "noisy counts",
        "schema_version": SCHEMA_VERSION,
        "file": {"name": file.name, "sha256": digest(file), "rows": int(noisy.counts.size)},
        "sensitive": noisy.sensitive,
        "domain": list(noisy.domain),
        "outside": noisy.outside,
        "missing": _missing(noisy),
        "levels": dict(noisy.levels),
        "levels_chosen": _levels_chosen(noisy),
        "levels_epsilon": None if noisy.paid_choice is None else amount_text(noisy.paid_choice.epsilon),
        "epsilon": amount_text(spending.epsilon),
        "delta": amount_text(spending.delta),
        "rho": None if spending.charged_rho is None else amount_text(spending.charged_rho),
        "neighbours": spending.neighbours,
        "mechanism": {"kind": mechanism.kind, "scale": mechanism.scale, **asdict(mechanism.sensitivity)},
        "margin_95": noisy.margin(0.95),
        "queries": [
            _query(noisy, *each) for each in zip(noisy.marginals, noisy.margins_of_queries().values(), strict=True)
        ],
        "sums": noisy.how_to_add_up(),
        "privacy_unit": unit_document(noisy.unit, noisy.people_at_most),
        "promise": {
            "made": noisy.unit.sentence(),
            "shift": None if promise is None else promise.shift,
            "chance": None if promise is None else promise.chance,
            "sentence": noisy.promise_in_words(),
        },
        "ledger": None if noisy.budget is None else account_document(noisy.budget),
        "receipt": noisy.receipt,
        "warnings": list(noisy.warnings()),
        "versions": {"sidelight": __version__, "opendp": version("opendp")},
    }


def unit_document(unit: PrivacyUnit, people_at_most: int | None) -> dict[str, Any]:
    """Say whom the promise is made to, and how that is known."""
    return {
        "unit": unit.word,
        "person": unit.person,
        "checked": unit.checked,
        "values": unit.values,
        "values_per_person": unit.values_per_person,
        "rows_per_person": unit.rows_per_person,
        "people_at_most": people_at_most,
    }


def account_document(budget: Account) -> dict[str, str]:
    """Say which account the counts were paid from: its budget for all releases together, and how it adds up."""
    return {
        **budget_document(budget),
        "accounting": budget.accounting,
    }


NOT_AS_WRITTEN = (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, BadNoise)
"""What comes of reading a document, or with Arrow a file, that is not as we write them."""


def read_noise(path: str | Path) -> NoisyCounts:
    """What do noisy counts that were published say?

    The document beside the file says what was counted, and which noise was added; a file that is not the one it tells
    of is an error.

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
    path = Path(path)
    document = noise_beside(path)
    try:
        unit = read_unit(document["privacy_unit"])
        form = format_of(path, None)
        sheet = read_sheet(path, form)
        domain = _declared(document, sheet, form)
        spending, paid = _spending(document, domain, unit), document["levels_epsilon"]
        return NoisyCounts(
            domain,
            document["sensitive"],
            _numbers(sheet, MEASURED, domain),
            _numbers(sheet, COUNT, domain),
            spending,
            unit,
            paid_choice=None if paid is None else Spending(CHOICE, paid, Fraction(0), spending.neighbours),
            people_at_most=whole_or_none(document["privacy_unit"]["people_at_most"]),
            missing=_read_missing(document["missing"]),
            budget=read_budget(document["ledger"], spending.neighbours),
            receipt=text_or_none(document["receipt"]),
            **_marginals(document, domain, spending),
        )
    except NOT_AS_WRITTEN:
        message = f"'{noise_path(path).name}' does not fit '{path.name}'; publish the counts again"
        raise BadRelease(message) from None


def _read_missing(word: object) -> Missing | None:
    if word is None:
        return None
    missing: Missing = "a value" if word == AS_UNDECLARED else _one_of(Missing, word)
    return missing


def noise_kind(path: Path) -> object:
    """Say what a document beside a file is about; None where it cannot be read."""
    settle(path)
    try:
        return json.loads(read_whole(noise_path(path)))["kind"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def noise_beside(path: Path, kind: str = "noisy counts", version: int = SCHEMA_VERSION) -> dict[str, Any]:
    """Read what is said about the counts, and make sure that it is about this file."""
    beside = noise_path(path)
    settle(path)
    try:
        document: dict[str, Any] = json.loads(read_whole(beside))
        about = document["kind"]
        known = about == kind and document["schema_version"] == version
        sha256 = document["file"]["sha256"]
    except FileNotFoundError:
        message = f"no '{beside.name}' beside '{path}'; which noise was added stands in it"
        raise BadRelease(message) from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        message = f"'{beside}' cannot be read; publish the counts again"
        raise BadRelease(message) from None
    if about != kind and isinstance(about, str) and about in READ_BY:
        message = (
            f"'{beside.name}' tells of {about}, and {kind} are needed here; in Python, {READ_BY[about]} reads them"
        )
        raise BadRelease(message)
    if not known:
        message = f"'{beside.name}' is of another version; this Sidelight reads {version}"
        raise BadRelease(message)
    if not path.is_file() or digest(path) != sha256:
        message = f"'{path}' is not the file that '{beside.name}' tells of; publish the counts again"
        raise BadRelease(message)
    return document


def read_unit(document: dict[str, Any]) -> PrivacyUnit:
    """Read whom the promise is made to."""
    person = document["person"]
    values, at_most = _one_of(Semantics, document["values"]), whole_or_none(document["values_per_person"])
    rows = whole_or_none(document["rows_per_person"])
    word = "row" if person == EACH_ROW else "person"
    if at_most is None or (document["unit"], document["checked"]) != (word, word == "person"):
        message = "no such people"
        raise ValueError(message)
    return PrivacyUnit(person, values, at_most, rows)


def _one_of(kind: Any, word: object) -> Any:  # noqa: ANN401 - one of a few words
    if not is_one_of(word, kind):
        message = "no such word"
        raise ValueError(message)
    return word


def read_budget(document: dict[str, Any] | None, neighbours: Neighbours) -> Account | None:
    """Read the budget that the counts were paid from."""
    if document is None:
        return None
    budget = document["epsilon"], document["delta"], document["accounting"]
    return Account(*budget, neighbours, rho=document.get("rho"))


def _spending(document: dict[str, Any], domain: Domain, unit: PrivacyUnit) -> Spending:
    """Read what was spent; noise that is too small for what the document says of it is refused."""
    sensitivity = unit.sensitivity(document["neighbours"])
    merged = sensitivity.merged(units_changed(document["neighbours"]))
    noise = read_mechanism(document["mechanism"], sensitivity)
    beside = tuple(read_mechanism(each["mechanism"], merged) for each in document["queries"])
    counted = CountedColumns(document["sensitive"], tuple(domain.levels.items()), int(np.prod(domain.shape)), unit)
    cost = document["epsilon"], document["delta"], document["neighbours"]
    spending = Spending(str(counted), *cost, noise, counted, beside, document["rho"])
    needs_delta = noise.kind == "discrete Gaussian"
    if not spending.keeps() or needs_delta != (spending.delta > 0):
        message = "the noise costs more than the document says"
        raise ValueError(message)
    return spending


def read_mechanism(document: dict[str, Any], sensitivity: Sensitivity) -> Mechanism:
    """Read the noise; `ValueError` where it is for another sensitivity."""
    written = Sensitivity(document["l1"], document["l2_squared"])
    if written != sensitivity or not is_one_of(document["kind"], NoiseKind):
        message = "no such noise"
        raise ValueError(message)
    return Mechanism(document["kind"], float(document["scale"]), sensitivity)


def _marginals(document: dict[str, Any], domain: Domain, spending: Spending) -> dict[str, Any]:
    names, queries = [*domain.levels, document["sensitive"]], document["queries"]
    numbers: dict[tuple[str, int], int] = {}
    coarser: list[CoarserLevel] = []
    for name, each in (pair for query in queries for pair in query["coarser"].items()):
        level = coarser_level(names.index(name), int(each["level"]), each["labels"])
        known = numbers.setdefault((name, level.level), len(names) + len(coarser))
        if known == len(names) + len(coarser):
            coarser.append(level)
        if not np.array_equal(coarser[known - len(names)].place, level.place):
            message = "two levels of one number"
            raise ValueError(message)
    layout = CellLayout(domain.sizes, tuple(coarser))
    marginals = []
    for query, mechanism in zip(queries, spending.marginal_noise, strict=True):
        levels = {name: int(each["level"]) for name, each in query["coarser"].items()}
        axes = tuple(numbers[name, levels[name]] if name in levels else names.index(name) for name in query["by"])
        measured = np.array(query["measured"], np.int64)
        if measured.tolist() != query["measured"]:
            message = "counts are whole"
            raise ValueError(message)
        marginals.append(Marginal(axes, mechanism, measured.reshape([layout.labels_of(axis) for axis in axes])))
    every = [each.axes for each in marginals]
    columns = [[*map(layout.column, axes)] for axes in every]
    fitting = all(len(each.place) == layout.shape[each.column] for each in coarser) and layout.nested()
    if not fitting or len({*every, layout.every}) <= len(every) or any(each != sorted({*each}) for each in columns):
        message = "no such marginals"
        raise ValueError(message)
    return {"marginals": tuple(marginals), "coarser": layout.coarser}


def whole_or_none(number: object) -> int | None:
    """Read a number of people, if there is one."""
    if number is None or (isinstance(number, int) and not isinstance(number, bool) and number > 0):
        return number
    message = "no number of people"
    raise ValueError(message)


def text_or_none(text: object) -> str | None:
    """Read a receipt, if there is one."""
    if text is None or isinstance(text, str):
        return text
    message = "no receipt"
    raise ValueError(message)


def read_sheet(path: Path, form: Format) -> pa.Table:
    """Read the cells under the names that columns had: as they were stored, or as texts."""
    if form.name == "parquet":
        from pyarrow.parquet import read_table  # noqa: PLC0415 - slow to import, and only Parquet needs it

        return read_table(path)
    from pyarrow.csv import ConvertOptions, ParseOptions, read_csv  # noqa: PLC0415 - only CSV needs it

    with path.open(newline="", encoding="utf-8") as file:
        names = next(csv.reader(file))
    kinds = {name: pa.int64() if name in (COUNT, MEASURED) else pa.string() for name in names}
    sheet = read_csv(
        path,
        convert_options=ConvertOptions(column_types=kinds),  # where texts are never null
        parse_options=ParseOptions(newlines_in_values=True),
    )
    return sheet.rename_columns([form.decode(name) for name in names])


def _declared(document: dict[str, Any], sheet: pa.Table, form: Format) -> Domain:
    """Find the labels of each column; the rows are all combinations, in the order of the declared domain."""
    values, names = tuple(document["domain"]), [*document["levels"]]
    labels, codes = zip(
        *(read_labels(sheet.column(name), form) for name in [*names, document["sensitive"]]), strict=True
    )
    outside: Outside = _one_of(Outside, document["outside"])
    if outside == "other" and not all(each[-1] == OTHER for each in (values, *labels[:-1]) if each != (SUPPRESSED,)):
        message = "nobody is other"
        raise ValueError(message)
    domain = Domain(MappingProxyType(dict(document["levels"])), labels[:-1], values, outside)
    expected = [np.repeat(column.codes, len(values)) for column in domain.columns]
    expected.append(np.tile(np.arange(len(values)), len(domain)))
    if labels[-1] != values or not all(map(np.array_equal, codes, expected)):
        message = "the rows are not all combinations, in order"
        raise ValueError(message)
    return domain


def _numbers(sheet: pa.Table, name: str, domain: Domain) -> Integers:
    numbers: Integers = sheet.column(name).to_numpy().astype(np.int64).reshape(domain.shape)
    return numbers


def read_labels(column: pa.ChunkedArray, form: Format) -> tuple[tuple[Label, ...], Integers]:
    """Give the labels of a column in the order in which they occur, and which one each cell has."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    texts = (label(cell) for cell in encoded.dictionary.to_pylist())
    empty = None if form.name != "parquet" else ""  # what an empty cell means
    labels = tuple(text if text is None else (form.decode(text) or empty) for text in texts)
    return labels, encoded.indices.to_numpy().astype(np.int64)
