"""Start: the answer before anything is asked, on the bundled census too."""

from support.explorer import guest, opened

from sidelight.cli.serve import ServeRequest, workspace
from sidelight.table.roles import Roles


def test_the_census_answers_first_and_shows_three_steps():
    held = workspace(ServeRequest(None))
    client = guest(held)
    text = client.get("/").text
    assert (
        "Not within policy: 2 of 5 limits are not kept, for 46,033 people in 20 groups: implications(k=2) is 7/9"
        in text
    )
    assert "could be shown to have Adm-clerical with probability 7/9" in text
    assert text.count('class="hint"') == 3
    assert 'class="hint"' not in client.get(held.start.but(notes=False).address("/")).text


def test_notes_about_the_example_stand_by_no_other_file(sample_files):
    held = opened(sample_files / "patients.parquet")
    assert 'class="hint"' not in guest(held).get(held.start.address("/")).text


def test_a_file_that_nobody_described_says_what_is_missing(tmp_path):
    (tmp_path / "odd.csv").write_text("x1,x2\n" + "".join(f"{n},{n * 7 % 5}\n" for n in range(40)))
    held = opened(tmp_path / "odd.csv", Roles())
    answer = guest(held).get(held.start.address("/"))
    assert answer.status_code == 200
    assert "Nothing can be told yet." in answer.text


def test_what_was_taken_for_granted_is_said_first(tmp_path):
    rows = [f"{20 + n % 30},{'mf'[n % 2]},{('Flu', 'Cold', 'N/A')[n % 3]}" for n in range(60)]
    (tmp_path / "patients.csv").write_text("\n".join(["age,sex,disease", *rows]) + "\n")
    held = opened(tmp_path / "patients.csv", Roles())
    client = guest(held)
    for path in ("/", "/data"):
        assert "Each row is taken for a person; if people have several rows" in client.get(path).text
    assert "Taken for known to others: age and sex. Nobody should find out: disease." in client.get("/").text
    assert "as suggested: a value" in client.get("/data").text
