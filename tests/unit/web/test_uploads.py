"""What somebody drops on the page: in one private folder, under names of ours, until the end."""

import io
import stat
import tempfile

import pytest

from sidelight.errors import BadTable
from sidelight.web.uploads import MOST_FILES, Uploads, private_folder


def test_the_folder_is_private_and_goes_also_after_an_error():
    folders = []

    def work():
        with private_folder() as folder:
            folders.append(folder)
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
            assert tempfile.gettempdir() == str(folder)
            Uploads(folder).keep("a.csv", io.BytesIO(b"x"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    (folder,) = folders
    assert not folder.exists()
    assert tempfile.gettempdir() != str(folder)


@pytest.mark.parametrize("name", ["../../etc/cron.csv", "/etc/x.csv", "C:\\Windows\\x.csv", "..\\x.csv", "a\x00/x.csv"])
def test_a_name_is_no_path(tmp_path, name):
    upload = Uploads(tmp_path).keep(name, io.BytesIO(b"a,b\n1,2\n"))
    assert upload.path == tmp_path / "1.csv"
    assert "/" not in upload.name
    assert "\\" not in upload.name
    assert [path.name for path in tmp_path.iterdir()] == ["1.csv"]


def test_other_kinds_too_many_and_unknown_ones_are_refused(tmp_path):
    uploads = Uploads(tmp_path)
    with pytest.raises(BadTable, match=r"cannot tell what 'x\.exe' is"):
        uploads.keep("x.exe", io.BytesIO(b""))
    for _ in range(MOST_FILES):
        uploads.keep("x.parquet", io.BytesIO(b""))
    with pytest.raises(BadTable, match="20 files already"):
        uploads.keep("x.csv", io.BytesIO(b""))
    assert uploads[3].path.name == "3.parquet"
    with pytest.raises(BadTable, match="there is no uploaded file 99"):
        uploads[99]
