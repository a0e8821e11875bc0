"""Rows in order, from files that nobody sees; and a disk that is full."""

import errno
import os
import resource
import subprocess
import sys

import numpy as np
import pytest

from sidelight.errors import NoRoom
from sidelight.streams import sorted_runs
from sidelight.streams.sorted_runs import SortedRuns


def test_rows_that_fit_are_not_written():
    runs = SortedRuns(words=1, room=100)
    runs.add([np.array([3, 1, 3])])
    assert [(words[0].tolist(), counts.tolist()) for words, counts in runs.batches()] == [([1, 3], [1, 2])]
    assert runs.spilled == 0


def test_rows_that_repeat_make_room_and_are_not_written():
    runs = SortedRuns(words=1, room=4)
    for _ in range(10):
        runs.add([np.array([7, 7, 7, 7])])
    assert runs.spilled == 0
    assert [counts.tolist() for _, counts in runs.batches()] == [[40]]


def test_batches_can_be_had_again():
    runs = SortedRuns(words=1, room=2)
    for rows in ([5, 1], [4, 1], [9, 2]):
        runs.add([np.array(rows)])
    once, again = ([words[0].tolist() for words, _ in runs.batches()] for _ in range(2))
    assert once == again
    assert runs.spilled == 6 * 8


@pytest.mark.parametrize("many", [2, 40])
def test_blocks_are_alike_however_many_runs_there_are(many):
    rng = np.random.default_rng(7)
    runs = SortedRuns(words=1, room=100_000 // many)
    for _ in range(many):
        runs.add([rng.choice(1 << 40, 100_000 // many, replace=False)])
    sizes = [len(counts) for _, counts in runs.batches(10_000)]
    assert len(runs._files) == many
    assert sum(sizes) == 100_000
    assert max(sizes) < 12_000
    assert min(sizes[:-1]) > 8_000


@pytest.mark.parametrize(
    ("rows", "counts", "columns"),
    [([5, 1], None, 1), ([5, 5, 1], None, 1), ([5, 1], [1, 900], 1), ([1 << 61, 1], [1, 900], 2)],
)
def test_how_often_rows_occur_is_kept_in_bits_that_they_leave(rows, counts, columns):
    runs = SortedRuns(words=1, room=2)
    runs.add([np.array(rows)], None if counts is None else np.array(counts))
    ((words, times),) = runs.batches()
    expected = [rows.count(row) if counts is None else counts[rows.index(row)] for row in sorted(set(rows))]
    assert (words[0].tolist(), times.tolist()) == (sorted(set(rows)), expected)
    assert runs.spilled == 8 * columns * 2


def test_runs_have_no_name_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(sorted_runs.tempfile, "tempdir", str(tmp_path))
    runs = SortedRuns(words=1, room=2)
    runs.add([np.array([5, 1])])
    assert runs.spilled
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_disk_too_small_to_spill(monkeypatch, number):
    def full(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(sorted_runs._Run, "write", full)
    runs = SortedRuns(words=1, room=2, rows_in_all=100_000_000)
    with pytest.raises(NoRoom, match=r"too small for temporary files; it takes up to 1.6 GB; set TMPDIR to a larger"):
        runs.add([np.array([5, 1])])


def test_a_file_that_may_not_grow_is_a_disk_too_small():
    limited = (
        "import numpy as np\n"
        "from sidelight.streams.sorted_runs import SortedRuns\n"
        "runs = SortedRuns(words=1, room=100_000, rows_in_all=100_000)\n"
        "try:\n    runs.add([np.arange(100_000)])\nexcept Exception as error:\n    print(type(error).__name__)\n"
    )
    limit = 4096
    done = subprocess.run(
        [sys.executable, "-c", limited],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    assert done.stdout == "NoRoom\n"
