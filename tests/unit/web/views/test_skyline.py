"""Skyline: the number and the witness are the library's, and what cannot be read is said at its field."""

import pytest
from support.explorer import guest, opened

import sidelight as sl
from sidelight.table.roles import Roles


@pytest.fixture
def held(sample_files):
    return opened(sample_files / "published.csv")


@pytest.fixture
def client(held):
    return guest(held)


def test_it_says_what_the_library_says(held, client, sample_files):
    release = sl.read_release(sample_files / "published.csv", group=["age", "sex"], sensitive="disease")
    fields = {"value": "Flu", "below": "3/4", "others": 1, "rules_out": 1}
    shown = client.get(held.start.address("/api/skyline", fields)).json()
    finding = sl.Acquaintance(rules_out=1, others=1, value="Flu").measure(release)
    assert shown["finding"]["explanation"] == finding.explain()
    assert shown["finding"]["result"]["exact"] == str(finding.value)
    assert shown["holds"] == (finding.value < 0.75)
    skyline = sl.knowledge_skyline(release, "Flu", below=0.75)
    assert shown["alone"]["others"] == max((point[1] for point in skyline), default=-1)


def test_it_begins_with_a_limit_of_the_address(held, client):
    state = held.start.but(limits=("acquaintance(rules_out=1, others=3, value=Flu) < 0.8",))
    page = client.get(state.address("/skyline")).text
    assert 'name="others" min="0" step="1" value="3"' in page
    assert '<option value="Flu" selected>' in page
    assert 'value="0.8"' in page


@pytest.mark.parametrize(
    ("field", "text", "words"),
    [
        ("value", "Fluu", "did you mean &#39;Flu&#39;?"),
        ("below", "7", "nobody is ever 7 sure"),
        ("below", "x", "give a number, a fraction"),
        ("others", "-1", "a whole number of at least 0, not -1"),
        ("family", "1e99", "a whole number of at least 0, not 1e99"),
        ("rules_out", "", "a whole number of at least 0, not nothing"),
        ("others", "9" * 5000, "a whole number of at least 0"),
    ],
)
def test_what_cannot_be_read_is_said_at_its_field(held, client, field, text, words):
    page = client.get(held.start.address("/skyline", {field: text})).text
    (problem,) = [part for part in page.split(f'id="{field}-problem"')[1:] if 'role="alert"' in part[:200]]
    assert words in problem[:400]


def test_an_amount_of_a_million_is_answered(held, client):
    page = client.get(held.start.address("/skyline", {"others": 10**6, "family": 10**6, "rules_out": 10**6})).text
    assert "could become 1 sure" in page


def test_of_several_columns_one_is_asked_about(tmp_path):
    rows = "".join(f"{20 + n % 2},{['Flu', 'Cold', 'Gout'][n % 3]},{['low', 'high'][n % 2]}\n" for n in range(24))
    (tmp_path / "two.csv").write_text(f"age,disease,income\n{rows}")
    held = opened(tmp_path / "two.csv", Roles(quasi=("age",), sensitive=("disease", "income")))
    client = guest(held)
    assert 'name="of"' in client.get(held.start.address("/skyline")).text
    assert "somebody has high" in client.get(held.start.address("/skyline", {"of": "income", "value": "high"})).text
