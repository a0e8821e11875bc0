"""`sidelight count`: answers from published noisy counts."""

import pytest
from support.command_line import answer, invoke

import sidelight as sl

pytest.importorskip("opendp", reason="noise needs the extra dp")

NOISE = ["noise", "patients.parquet", "--levels", "sex=0", "--hierarchies", "hierarchies", "--sensitive", "disease"]
NOISE += [word for each in ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer") for word in ("--domain", each)]
NOISE += ["--person", "id", "--epsilon", "1", "-o", "noisy.csv"]


@pytest.fixture(autouse=True)
def _files(sample_files):
    assert invoke(NOISE).exit_code == 0


def test_answers_are_those_of_the_published_file():
    noisy = sl.read_noise("noisy.csv")
    told = answer(invoke(["count", "noisy.csv", "--json"]))
    assert (told["count"], told["margin"], told["of"]) == (noisy.count().count, noisy.count().margin(), "people")
    sex = noisy.columns[0].labels[0]
    words = ["count", "noisy.csv", "--value", "Flu", "--value", "AIDS", "--where", f"sex={sex}", "--confidence", "0.99"]
    told = answer(invoke([*words, "--json"]))
    expected = noisy.count("Flu", "AIDS", sex=sex)
    assert (told["count"], told["margin"], told["sd"]) == (expected.count, expected.margin(0.99), expected.sd)
    said = " ".join(invoke(words).stdout.split())
    assert said.startswith(f"{expected.count:,} people, and within {expected.margin(0.99)} of what was counted")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--value", "Fluu"], "did you mean 'Flu'"),
        (["--where", "zip=1"], "no column 'zip'"),
        (["--where", "sex"], "cannot read --where 'sex'"),
        (["--confidence", "2"], "give a share above 0 and below 1"),
    ],
)
def test_what_cannot_be_answered_has_its_own_line(words, says):
    done = invoke(["count", "noisy.csv", *words])
    assert done.exit_code == 2
    assert says in done.stderr


def test_a_file_without_its_document_is_not_added_up():
    done = invoke(["count", "patients.parquet"])
    assert done.exit_code == 2
    assert "no 'patients.parquet.noise.json' beside" in done.stderr
