"""Several publish to one place at the same time: one release stands there in the end, whole, and each is told its fate."""

import threading

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import SidelightError

PUBLISHERS = 4


@pytest.fixture(scope="module")
def releases():
    rows = pa.table({"age": [str(n % 20) for n in range(400)], "disease": ["Flu", "Cold"] * 200})
    table = sl.read_table(rows, quasi=["age"], sensitive="disease")
    sizes = [20 * (1 + at) for at in range(PUBLISHERS)]
    policies = [sl.Policy(sl.GroupSize() >= size) for size in sizes]
    return [sl.protect(table, policy, method="mondrian", ask="nobody") for policy in policies]


def publish_at_once(releases, path, *, force):
    outcomes, begin = [], threading.Barrier(len(releases))

    def publish(release):
        begin.wait()
        try:
            outcomes.append(release.publish(path, force=force).document.policy)
        except SidelightError as problem:
            outcomes.append(problem)

    writers = [threading.Thread(target=publish, args=(each,)) for each in releases]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    return outcomes


@pytest.mark.parametrize("force", [False, True])
def test_one_release_is_there_in_the_end(releases, force, tmp_path):
    path = tmp_path / "release.csv"
    for _ in range(3):
        outcomes = publish_at_once(releases, path, force=force)
        published = [each for each in outcomes if isinstance(each, str)]
        assert len(published) == (PUBLISHERS if force else 1)
        for problem in outcomes:
            if not isinstance(problem, str):
                assert "appeared in the meantime" in str(problem) or "exists; give another name" in str(problem)
                assert "\n" not in str(problem)
        release = sl.read_published(path)  # it is the one that its sidecar tells of
        assert release.provenance.policy in [each.policy for each in releases]
        left = {each.name for each in tmp_path.iterdir()}
        assert left == {"release.csv", "release.csv.sidelight.json", "release.csv-metadata.json"}
        if not force:
            for each in tmp_path.iterdir():
                each.unlink()


def test_who_reads_while_it_is_replaced_finds_one_or_the_other(releases, tmp_path):
    path = tmp_path / "release.csv"
    first, second, *_ = releases
    first.publish(path)
    done, problems = threading.Event(), []

    def read():
        while not done.is_set():
            try:
                sl.read_published(path)
            except Exception as problem:  # noqa: BLE001 - whatever it is
                problems.append(problem)

    reader = threading.Thread(target=read)
    reader.start()
    for at in range(5):  # a reader looks oftener, however slow it is
        (first if at % 2 else second).publish(path, force=True)
    done.set()
    reader.join()
    assert problems == []
