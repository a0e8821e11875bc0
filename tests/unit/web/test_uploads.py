"""What somebody drops on the page: in one private folder, under names of ours, until the end."""

import io
import stat
import tempfile

import pyarrow as pa
import pytest

import sidelight as sl
from sidelight.errors import BadTable
from sidelight.publish.sidecar import read_sidecar
from sidelight.web.uploads import MOST_FILES, Uploads, own_temporary_folder


def given(uploads, *names, content=b"a,b\n1,2\n"):
    return uploads.keep([(name, io.BytesIO(content)) for name in names])


def test_the_folder_is_private_and_goes_also_after_an_error():
    folders = []

    def work():
        with own_temporary_folder() as folder:
            folders.append(folder)
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert tempfile.gettempdir() == str(folder)
            given(Uploads(folder), "a.csv")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    (folder,) = folders
    assert not folder.exists()
    assert tempfile.gettempdir() != str(folder)


@pytest.mark.parametrize("name", ["../../etc/cron.csv", "/etc/x.csv", "C:\\Windows\\x.csv", "..\\x.csv", "a\x00/x.csv"])
def test_a_name_is_no_path(tmp_path, name):
    upload = given(Uploads(tmp_path), name)
    assert upload.path == tmp_path / upload.key / f"{upload.key}-1.csv"
    assert "/" not in upload.name
    assert "\\" not in upload.name
    assert [path.name for path in tmp_path.rglob("*")] == [upload.key, upload.path.name]
    assert stat.S_IMODE((tmp_path / upload.key).stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("name", "kept"),
    [("x.CSV", "-1.csv"), ("x.csv.GZ", "-1.csv.gz"), ("a.b.xlsx", "-1.xlsx"), ("x.dta", "-1.dta")],
)
def test_all_kinds_that_are_read_are_taken(tmp_path, name, kept):
    assert given(Uploads(tmp_path), name).path.name.endswith(kept)


def test_other_kinds_too_many_and_unknown_ones_are_refused(tmp_path):
    uploads = Uploads(tmp_path)
    for name in ("x.exe", "x", "", "..", ".sidelight.json"):
        with pytest.raises(BadTable):
            given(uploads, name)
    with pytest.raises(BadTable, match="one file at a time"):
        given(uploads, "a.csv", "b.csv")
    with pytest.raises(BadTable, match="give one file"):
        uploads.keep([])
    assert list(tmp_path.iterdir()) == []
    kept = [given(uploads, "x.parquet") for _ in range(MOST_FILES)]
    with pytest.raises(BadTable, match="20 files already"):
        given(uploads, "x.csv")
    assert uploads[kept[2].key].path.name.endswith("-1.parquet")
    assert len({each.key for each in kept}) == MOST_FILES
    with pytest.raises(BadTable, match="that file is gone"):
        uploads["99"]


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("published")
    rows = [{"age": 20 + n, "sex": "mf"[n % 2], "disease": ("Flu", "Cold", "Ulcer")[n % 3]} for n in range(30)]
    table = sl.read_table(pa.Table.from_pylist(rows), quasi=["age", "sex"], sensitive="disease")
    policy = sl.Policy(sl.DistinctValues() >= 2)
    for method in ("mondrian", "anatomy"):
        sl.protect(table, policy, method=method, ask="nobody").publish(folder / f"{method}.csv")
    return folder


def with_sidecar(folder, name):
    sidecar = read_sidecar(folder / name)
    paths = [folder / f"{name}.sidelight.json", *(folder / each.name for each in sidecar.files)]
    return [(path.name, io.BytesIO(path.read_bytes())) for path in paths]


@pytest.mark.parametrize("name", ["mondrian.csv", "anatomy.csv"])
def test_a_sidecar_tells_of_the_files_as_they_are_kept(tmp_path, published, name):
    upload = Uploads(tmp_path).keep(with_sidecar(published, name))
    assert (upload.name, upload.sidecar) == (name, True)
    again, before = sl.read_published(upload.path), sl.read_published(published / name)
    assert [again.groups.sizes.tolist(), again.size] == [before.groups.sizes.tolist(), before.size]


def test_a_sidecar_names_no_file_that_was_not_given_with_it(tmp_path, published):
    sidecar, *files = with_sidecar(published, "mondrian.csv")
    with pytest.raises(BadTable, match=r"tells of 'mondrian\.csv'; .*together"):
        Uploads(tmp_path).keep([sidecar])
    told = sidecar[1].getvalue().decode()
    for name in ("../../etc/passwd", "/etc/passwd"):
        changed = told.replace('"file": "mondrian.csv"', f'"file": "{name}"')
        assert changed != told
        with pytest.raises(BadTable, match="does not tell of"):
            Uploads(tmp_path).keep([(sidecar[0], io.BytesIO(changed.encode())), *files])
    with pytest.raises(BadTable, match="is no sidecar"):
        Uploads(tmp_path).keep([(sidecar[0], io.BytesIO(b"{}")), *files])


def test_what_is_forgotten_or_was_cut_short_leaves_its_place_to_another(tmp_path):
    uploads = Uploads(tmp_path)
    for _ in range(MOST_FILES + 1):
        uploads.forget(given(uploads, "x.csv").key)
        with pytest.raises(TypeError):
            uploads.keep([("x.csv", io.StringIO("a,b\n"))])  # which no file of bytes takes
    assert (uploads.all(), list(tmp_path.iterdir())) == ((), [])
    kept = [given(uploads, "x.csv") for _ in range(MOST_FILES)]
    with pytest.raises(BadTable, match="20 files already"):
        given(uploads, "x.csv")
    for _ in range(2):
        uploads.forget(kept[0].key)  # once is enough
    given(uploads, "x.csv")
    with pytest.raises(BadTable, match="20 files already"):
        given(uploads, "x.csv")
