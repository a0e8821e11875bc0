"""policy.toml: what it may say, and one line for each way to get it wrong."""

import json
import math
from fractions import Fraction
from pathlib import Path

import pytest

import sidelight as sl
from sidelight.errors import BadPolicy, WrongKind
from sidelight.policy.measure_names import all_measures
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import SCHEMA_HOME, policy_schema, read_policy_file, read_policy_text
from sidelight.table.roles import Roles

ROOT = Path(__file__).parents[3]

SIZE = '[[limit]]\nmeasure = "group size"\n'
GOOD = SIZE + "at_least = 5\n"

WRONG = {
    SIZE + "at_leats = 5": "no key 'at_leats' in limit 1 of policy.toml; did you mean 'at_least'?",
    GOOD + SIZE + "at_leats = 5": "no key 'at_leats' in limit 2 of policy.toml; did you mean 'at_least'?",
    GOOD + "k = 3": "no key 'k' in limit 1 of policy.toml; there are: at_least, above, of, known, measure",
    SIZE: "limit 1 of policy.toml: 'group size' has no bound; give exactly one of at_least or above",
    GOOD
    + "above = 3": "limit 1 of policy.toml: 'group size' has 'at_least' and 'above'; give exactly one of at_least or above",
    SIZE + "at_most = 5": "limit 1 of policy.toml: a policy keeps 'group size' at least or above a limit, not ≤",
    SIZE
    + 'at_least = "five"': "cannot use 'at_least' in limit 1 of policy.toml; give a number, a fraction such as '3/4', or 'inf'",
    SIZE
    + "at_least = true": "cannot use 'at_least' in limit 1 of policy.toml; give a number, a fraction such as '3/4', or 'inf'",
    SIZE
    + "at_least = nan": "cannot use 'at_least' in limit 1 of policy.toml; give a number, a fraction such as '3/4', or 'inf'",
    SIZE
    + 'at_least = "1/0"': "cannot use 'at_least' in limit 1 of policy.toml; give a number, a fraction such as '3/4', or 'inf'",
    SIZE
    + "at_least = 0": "limit 1 of policy.toml: the limit 0 of 'group size' is out of range; it lies between 1 and inf",
    '[[limit]]\nmeasure = "grup size"\nat_least = 5': "no measure 'grup size' in limit 1 of policy.toml; did you mean 'group size'?",
    '[[limit]]\nmesure = "group size"': "no key 'mesure' in limit 1 of policy.toml; did you mean 'measure'?",
    "[[limit]]\nat_least = 5": "'measure' is missing in limit 1 of policy.toml; add measure = \"group size\" or another one",
    '[[limit]]\nmeasure = "recursive diversity"\nl = "3"\nat_most = 3': "cannot use 'l' in limit 1 of policy.toml; give a whole number",
    '[[limit]]\nmeasure = "recursive diversity"\nl = true\nat_most = 3': "cannot use 'l' in limit 1 of policy.toml; give a whole number",
    "limit = 5": "cannot use 'limit' in policy.toml; write it as tables headed [[limit]]",
    "limit = [5]": "cannot use 'limit' in limit 1 of policy.toml; write it as tables headed [[limit]]",
    '[limit]\nmeasure = "group size"': "cannot use 'limit' in policy.toml; write it as tables headed [[limit]]",
    "roles = 3\n" + GOOD: "cannot use 'roles' in policy.toml; write it as a table headed [roles]",
    "[[limits]]": "no key 'limits' in policy.toml; did you mean 'limit'?",
    "": 'policy.toml sets no limit; add a [[limit]] with measure = "group size" and at_least = 5',
    GOOD + '[roles]\nquasi = "age"': "cannot use 'quasi' in roles of policy.toml; give a list",
    GOOD + "[roles]\nmissing_marks = [true]": "cannot use 'missing_marks' in roles of policy.toml; give text in quotes",
    GOOD
    + '[roles]\nvalues = "sets"': "cannot use 'values' in roles of policy.toml; give 'single', 'set' or 'multiset'",
    GOOD + '[roles]\nsensitiv = "disease"': "no key 'sensitiv' in roles of policy.toml; did you mean 'sensitive'?",
    GOOD + "x = = 3": "policy.toml is not TOML: Invalid value (at line 4, column 5)",
}


@pytest.mark.parametrize(("text", "line"), WRONG.items())
def test_what_is_wrong_is_said_in_one_line(text, line):
    with pytest.raises(BadPolicy) as caught:
        read_policy_text(text, name="policy.toml")
    assert str(caught.value) == line


@pytest.mark.parametrize(
    ("bound", "means"),
    [("5", 5), ("2.5", Fraction(5, 2)), ('"7/2"', Fraction(7, 2)), ("inf", math.inf), ('"inf"', math.inf), ('"3"', 3)],
)
def test_numbers_mean_what_they_say(bound, means):
    policy = read_policy_text(SIZE + f"above = {bound}").policy
    assert policy == sl.Policy(sl.GroupSize() > policy.criteria[0].bound)
    assert policy.criteria[0].bound == means


def test_reading_a_file(tmp_path):
    path = tmp_path / "policy.toml"
    path.write_text('[roles]\nquasi = ["age", "sex"]\nsensitive = "disease"\ndomain = [1, 2]\n\n' + GOOD)
    read = read_policy_file(str(path))
    assert read.policy == sl.read_policy(path) == sl.Policy(sl.GroupSize() >= 5)
    assert read.roles.stated() == {"quasi": ("age", "sex"), "sensitive": "disease", "domain": ("1", "2")}


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(BadPolicy, match=r"the name of the policy file is empty; give its path"):
        sl.read_policy("")
    with pytest.raises(WrongKind, match=r"named by its path, not by a NoneType; give the path of a TOML file"):
        sl.read_policy(None)
    with pytest.raises(BadPolicy, match=r"no policy file 'nowhere\.toml'; check the path"):
        sl.read_policy("nowhere.toml")
    with pytest.raises(BadPolicy, match="' is a folder; give the path of a policy file in it"):
        sl.read_policy(tmp_path)
    latin = tmp_path / "latin.toml"
    latin.write_bytes("# Größe\n".encode("latin-1"))
    with pytest.raises(BadPolicy, match=r"latin\.toml is not UTF-8 \(byte 5\)"):
        sl.read_policy(latin)


def test_options_have_the_last_word():
    file = Roles(quasi=("age",), sensitive="disease", missing="drop")
    stated = file.updated(Roles(sensitive="salary")).stated()
    assert stated == {"quasi": ("age",), "sensitive": "salary", "missing": "drop"}


def test_a_policy_survives_writing_and_reading():
    policy = sl.Policy(
        sl.GroupSize() >= 5,
        sl.EntropyDiversity() > Fraction(7, 3),
        sl.RecursiveDiversity(l=3) <= 2.5,
        sl.RecursiveDiversity(l=2) <= math.inf,
        sl.Closeness(distance="ordered") <= 0.2,
    )
    assert read_policy_text(policy.to_toml()).policy == policy


def test_roles_survive_writing_and_reading():
    policy = sl.Policy(sl.GroupSize() >= 5)
    roles = Roles(quasi=('od"d', "naïve\\"), sensitive="a b", missing_marks=("?", ""), values="set", person="id")
    read = read_policy_text(policy_text(policy, roles.stated()))
    assert (read.policy, read.roles) == (policy, roles)


def test_the_schema_in_the_documentation_is_up_to_date():
    kept = (ROOT / SCHEMA_HOME).read_text(encoding="utf-8")
    assert kept == policy_schema(), f"write it anew: sidelight policy-schema > {SCHEMA_HOME}"


def test_every_measure_is_in_the_schema_with_the_right_bounds():
    schema = json.loads(policy_schema())
    measures = {
        part["properties"]["measure"]["const"]: part for name, part in schema["$defs"].items() if name.endswith("Limit")
    }
    assert set(measures) == {kind.name for kind in all_measures()}
    assert measures["group size"]["oneOf"] == [{"required": ["at_least"]}, {"required": ["above"]}]
    assert measures["closeness"]["oneOf"] == [{"required": ["at_most"]}, {"required": ["below"]}]


def test_paths_in_a_policy_start_where_it_stands(tmp_path, monkeypatch):
    (tmp_path / "rules").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "rules" / "disease.csv").write_text("Flu;lung;*\nAsthma;lung;*\nUlcer;stomach;*\n")
    policy = tmp_path / "rules" / "policy.toml"
    policy.write_text(
        '[[limit]]\nmeasure = "closeness"\ndistance = "hierarchical"\nhierarchy = "disease.csv"\nat_most = 0.5\n'
        '[[limit]]\nmeasure = "implications"\nk = 1\nvalue = { lung = "disease.csv" }\nbelow = 0.9\n'
        '[[skyline]]\nvalue = { lung = "../rules/disease.csv" }\npoints = [{rules_out = 1, below = 0.9}]\n'
    )
    closeness, implications, point = sl.read_policy(policy).criteria
    assert closeness.measure.hierarchy.height == 3
    assert implications.measure.value.values == point.measure.value.values == ("Asthma", "Flu")
    monkeypatch.chdir(tmp_path / "rules")
    assert sl.read_policy("policy.toml").criteria[0].measure.hierarchy.height == 3


def test_the_domain_may_be_in_a_file_beside_the_policy(tmp_path, monkeypatch):
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "diagnoses.txt").write_text("Flu\nAIDS\n")
    file = tmp_path / "policies" / "policy.toml"
    limit = '[[limit]]\nmeasure = "group size"\nat_least = 5\n'
    file.write_text(f'[roles]\nsensitive = "disease"\ndomain_file = "diagnoses.txt"\n{limit}')
    monkeypatch.chdir(tmp_path)
    assert read_policy_file(file).roles.domain == ("Flu", "AIDS")
    file.write_text(f'[roles]\ndomain_file = "diagnoses.txt"\ndomain = {{ disease = ["Flu"] }}\n{limit}')
    with pytest.raises(BadPolicy, match="a domain by column and a domain_file"):
        read_policy_file(file)
