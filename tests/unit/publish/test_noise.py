"""Noisy counts as files: the counts and their document, both or none."""

import json
from fractions import Fraction

import pyarrow.csv as pc
import pytest

import sidelight as sl
from sidelight.errors import NotPublished, SidelightError

pytest.importorskip("opendp", reason="noise needs the extra dp")

ADULT = sl.datasets.adult(quasi=["sex"])
DECLARED = {"by": ADULT.hierarchies, "domain": ADULT.table.domain}


def noisy(**options):
    return sl.noisy_counts(ADULT.table, **DECLARED, **({"levels": {"sex": 0}, "epsilon": 1} | options))


def test_counts_and_document_say_the_same(tmp_path):
    counts = noisy()
    published = counts.publish(tmp_path / "counts.csv")
    assert repr(published) == "<PublishedNoise counts.csv: 28 counts, epsilon 1>"
    assert "counts.csv.noise.json" in published._repr_html_()
    assert published.beside.read_text(encoding="utf-8") == published.to_json()
    table = pc.read_csv(published.path)
    assert table["measured"].to_pylist() == counts.measured.ravel().tolist()
    assert json.loads(published.to_json())["promise"]["shift"] == sl.semantic_privacy(1).shift


def test_a_choice_that_was_paid_for_is_told_and_promised(tmp_path):
    chosen = sl.choose_levels(ADULT.table, **DECLARED, among=[{"sex": 0}, {"sex": 1}], epsilon=0.5)
    counts = noisy(levels=chosen)
    assert counts.promise().epsilon == Fraction(3, 2)
    document = counts.publish(tmp_path / "counts.parquet").document
    assert document["epsilon"] == "1"
    assert document["levels_chosen"].startswith("from the data, for an epsilon of 0.5 more")


def test_nothing_is_replaced_unasked(tmp_path):
    counts, path = noisy(), tmp_path / "counts.csv"
    path.write_text("mine")
    with pytest.raises(SidelightError, match="exists; give another name"):
        counts.publish(path)
    assert path.read_text() == "mine"
    assert counts.publish(path, force=True).path == path
    with pytest.raises(NotPublished, match=r"name it \.parquet or \.csv"):
        counts.publish(tmp_path / "counts.txt")
