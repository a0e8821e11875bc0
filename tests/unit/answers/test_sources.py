"""Published files with a sidecar: options have the last word, and what they do not say, the sidecar does."""

import json

import pytest
from support.command_line import invoke
from support.words import mentions

import sidelight as sl
from sidelight.answers.sources import inputs_of
from sidelight.files import sidecar_path


def audit(*args):
    return invoke(["audit", *map(str, args)])


def told(*args):
    result = audit(*args, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["answer"]


def published(place, layout):
    """A release by age and sex."""
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(
        adult.table, sl.Policy(sl.GroupSize() >= 200), by=adult.hierarchies, method="mondrian", ask="nobody"
    )
    return found.publish(place / "release.csv", layout=layout).path


@pytest.mark.parametrize("layout", ["people", "counts"])
def test_one_group_option_overrides_the_groups_and_nothing_else(tmp_path, layout):
    path = published(tmp_path, layout)
    whole = sl.read_published(path)
    report = told(path, "-g", "age", "-l", "group size >= 1")
    assert (report["release"]["sensitive"], report["release"]["columns"]) == (whole.sensitive, ["age"])
    assert report["release"]["people"] == whole.size
    assert report["release"]["groups"] == len(whole.groups.columns[0].labels) < len(whole)


def test_another_sensitive_column_keeps_the_groups(tmp_path):
    report = told(published(tmp_path, "people"), "-s", "sex")
    assert (report["release"]["sensitive"], report["release"]["columns"]) == ("sex", ["age"])


def test_suppressed_rows_can_be_left_out(tmp_path):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    policy = sl.Policy(sl.GroupSize() >= 200)
    found = sl.protect(adult.table, policy, by=adult.hierarchies, suppress=0.05, ask="nobody")
    found.publish(tmp_path / "release.csv")
    assert found.suppressed > 0
    path = tmp_path / "release.csv"
    assert told(path)["release"]["people"] == adult.table.people
    left = told(path, "--suppressed", "leave out")["release"]["people"]
    assert left == adult.table.people - found.suppressed


def test_the_sidecar_and_what_it_names_are_never_written_over(tmp_path):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(
        adult.table, sl.Policy(sl.GroupSize() >= 20), by=adult.hierarchies, method="anatomy", ask="nobody"
    )
    published = found.publish(tmp_path / "release.csv")
    for path in (published.sidecar, *published.paths):
        before = path.read_bytes()
        result = audit(tmp_path / "release.csv", "-o", path, "--force")
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert "inputs are never written over" in result.stderr
        assert path.read_bytes() == before


def test_a_file_that_the_sidecar_tells_of_is_missing(tmp_path):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    found = sl.protect(
        adult.table, sl.Policy(sl.GroupSize() >= 20), by=adult.hierarchies, method="anatomy", ask="nobody"
    )
    found.publish(tmp_path / "release.csv")
    (tmp_path / "release.values.csv").unlink()
    result = audit(tmp_path / "release.csv")
    assert result.exit_code == 2
    assert mentions(result.stderr, "release.values.csv", "missing", "sidecar of 'release.csv'", "put it back")


def test_a_folder_of_parts_has_its_own_sidecar_among_the_inputs(tmp_path):
    path = published(tmp_path, "people")
    folder, beside = tmp_path / "release", sidecar_path(tmp_path / "release")
    folder.mkdir()
    document = json.loads(sidecar_path(path).read_text(encoding="utf-8"))
    text = json.dumps(document).replace("release.csv", "release")
    path.rename(folder / "part-0.parquet")
    beside.write_text(text, encoding="utf-8")
    for name in (str(folder), f"{folder}/"):
        assert beside in set(inputs_of(name))
