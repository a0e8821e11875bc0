"""policy.toml: what it may say, and one line for each way to get it wrong."""

import json
import math
from fractions import Fraction

import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadPolicy, WrongKind
from sidelight.policy.measure_names import all_measures
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import _tidy, policy_schema, read_policy_file, read_policy_text
from sidelight.table.roles import Roles

SIZE = '[[limit]]\nmeasure = "group size"\n'
GOOD = SIZE + "at_least = 5\n"
POINT = "[[skyline]]\npoints = [{rules_out = 1, below = 0.9}]\n"

WRONG = {
    SIZE + "at_leats = 5": ("no key 'at_leats'", "limit 1 of policy.toml", "'at_least'"),
    GOOD + SIZE + "at_leats = 5": ("no key 'at_leats'", "limit 2 of policy.toml", "'at_least'"),
    GOOD + "k = 3": ("no key 'k'", "limit 1 of policy.toml", "at_least, above, of, known, measure"),
    SIZE: ("limit 1 of policy.toml", "'group size'", "no bound", "exactly one", "at_least or above"),
    GOOD + "above = 3": (
        "limit 1 of policy.toml",
        "'group size'",
        "'at_least' and 'above'",
        "exactly one",
        "at_least or above",
    ),
    SIZE + "at_most = 5": ("limit 1 of policy.toml", "'group size'", "at least or above", "not ≤"),
    SIZE + 'at_least = "five"': ("cannot use 'at_least'", "limit 1 of policy.toml", "a number", "'3/4'", "'inf'"),
    SIZE + "at_least = true": ("cannot use 'at_least'", "limit 1 of policy.toml", "a number", "'3/4'", "'inf'"),
    SIZE + "at_least = nan": ("cannot use 'at_least'", "limit 1 of policy.toml", "a number", "'3/4'", "'inf'"),
    SIZE + 'at_least = "1/0"': ("cannot use 'at_least'", "limit 1 of policy.toml", "a number", "'3/4'", "'inf'"),
    SIZE + "at_least = 0": ("limit 1 of policy.toml", "limit 0", "'group size'", "out of range", "between 1 and inf"),
    '[[limit]]\nmeasure = "grup size"\nat_least = 5': (
        "no measure 'grup size'",
        "limit 1 of policy.toml",
        "'group size'",
    ),
    '[[limit]]\nmesure = "group size"': ("no key 'mesure'", "limit 1 of policy.toml", "'measure'"),
    "[[limit]]\nat_least = 5": ("'measure' is missing", "limit 1 of policy.toml", 'add measure = "group size"'),
    '[[limit]]\nmeasure = "recursive diversity"\nl = "3"\nat_most = 3': (
        "cannot use 'l'",
        "limit 1 of policy.toml",
        "a whole number",
    ),
    '[[limit]]\nmeasure = "recursive diversity"\nl = true\nat_most = 3': (
        "cannot use 'l'",
        "limit 1 of policy.toml",
        "a whole number",
    ),
    '[[limit]]\nmeasure = "distinct values"\napart_from = 5\nat_least = 2': (
        "cannot use 'apart_from'",
        "limit 1 of policy.toml",
        "a list",
    ),
    '[[limit]]\nmeasure = "maximum entropy"\nrules = [1]\nat_most = 0.5': (
        "cannot use 'rules'",
        "limit 1 of policy.toml",
        "a longer list",
    ),
    '[[limit]]\nmeasure = "maximum entropy"\nrules = [1, 2, 3]\nat_most = 0.5': (
        "cannot use 'rules'",
        "limit 1 of policy.toml",
        "a shorter list",
    ),
    "limit = 5": ("cannot use 'limit'", "in policy.toml", "tables headed [[limit]]"),
    "limit = [5]": ("cannot use 'limit'", "limit 1 of policy.toml", "tables headed [[limit]]"),
    '[limit]\nmeasure = "group size"': ("cannot use 'limit'", "in policy.toml", "tables headed [[limit]]"),
    "roles = 3\n" + GOOD: ("cannot use 'roles'", "in policy.toml", "a table headed [roles]"),
    "[[limits]]": ("no key 'limits'", "in policy.toml", "'limit'"),
    "": ("policy.toml", "no limit", "[[limit]]", 'measure = "group size"', "at_least = 5"),
    GOOD + '[roles]\nquasi = "age"': ("cannot use 'quasi'", "roles of policy.toml", "a list"),
    GOOD + "[roles]\nmissing_marks = [true]": ("cannot use 'missing_marks'", "roles of policy.toml", "text in quotes"),
    GOOD + '[roles]\nvalues = "sets"': ("cannot use 'values'", "roles of policy.toml", "'single', 'set' or 'multiset'"),
    GOOD + '[roles]\nsensitiv = "disease"': ("no key 'sensitiv'", "roles of policy.toml", "'sensitive'"),
    GOOD + "x = = 3": ("policy.toml", "not TOML", "line 4, column 5"),
    SIZE + f"at_least = {'1' * 5000}": ("policy.toml", "a number", "too long", "give another"),
    f"x = {'[' * 2000}": ("policy.toml", "nested too deeply"),
    "skyline = 5": ("cannot use 'skyline'", "in policy.toml", "tables headed [[skyline]]"),
    "skyline = [5]": ("cannot use 'skyline'", "skyline 1 of policy.toml", "tables headed [[skyline]]"),
    GOOD + "[[skyline]]\npoint = []": ("no key 'point'", "skyline 1 of policy.toml", "'points'"),
    "[[skyline]]\npoints = []": (
        "skyline 1 of policy.toml",
        "no points",
        "at least one",
        "{rules_out = 4, below = 0.75}",
    ),
    POINT + POINT: ("skyline 1 of policy.toml", "two skylines", "without a value", "into one"),
    '[[limit]]\nmeasure = "negations"\nk = -1\nat_most = 1': (
        "limit 1 of policy.toml",
        "'negations'",
        "k",
        "whole number",
        "at least 0",
        "not -1",
    ),
    "preset = 3": ("preset of policy.toml", "a text", "a list of texts", 'preset = "k-map(k=5)"'),
    "preset = ['ACRO', 3]": ("preset of policy.toml", "a text", "a list of texts", 'preset = "k-map(k=5)"'),
    "preset = 'ACR'": ("preset of policy.toml", "no preset 'ACR'", "'ACRO'"),
    "preset = []": ("policy.toml", "no limit", "[[limit]]", 'measure = "group size"', "at_least = 5"),
    "presets = 'ACRO'": ("no key 'presets'", "in policy.toml", "'preset'"),
    GOOD + "[colour]": ("no key 'colour'", "in policy.toml", "roles, limit, skyline, preset"),
    GOOD + '[roles]\ndomain_file = "values.txt"\ndomain = { ill = ["Flu"] }': (
        "[roles]",
        "a domain by column",
        "a domain_file",
        "leave one",
    ),
}


@pytest.mark.parametrize(("text", "line"), WRONG.items())
def test_what_is_wrong_is_said_in_one_line(text, line):
    with pytest.raises(BadPolicy) as caught:
        read_policy_text(text, name="policy.toml")
    assert mentions(caught.value, *line)
    assert "\n" not in str(caught.value)


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


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("", ("name of the policy", "empty", "path")),
        (" ", ("name of the policy", "empty", "path")),
        ("nowhere.toml", ("no policy file 'nowhere.toml'", "path")),
        ("a\0b", ("'a␀b'", "no such name", "path of a readable")),
        (".", ("'.'", "a folder", "path of a policy")),
        (None, ("a policy file", "by its path", "None", "a TOML file")),
        (5, ("a policy file", "by its path", "an int", "a TOML file")),
        (b"p", ("a policy file", "by its path", "a bytes", "a TOML file")),
    ],
)
def test_files_that_cannot_be_read(path, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadPolicy if isinstance(path, str) else WrongKind) as caught:
        sl.read_policy(path)
    assert mentions(caught.value, *line)


def test_files_are_utf_8(tmp_path):
    latin = tmp_path / "latin.toml"
    latin.write_bytes("# Größe\n".encode("latin-1"))
    with pytest.raises(BadPolicy) as caught:
        sl.read_policy(latin)
    assert mentions(caught.value, "latin.toml", "not UTF-8", "byte 5", "UTF-8")
    latin.write_text(f"# Größe\n{SIZE}at_leats = 5", encoding="utf-8")
    with pytest.raises(BadPolicy, match=r"no key 'at_leats'.* limit 1 of latin\.toml; "):
        sl.read_policy(latin)


def test_a_text_without_a_name_is_the_policy():
    with pytest.raises(BadPolicy, match=r"^the policy sets no limit; "):
        read_policy_text("")


def test_options_have_the_last_word():
    file = Roles(quasi=("age",), sensitive="disease", missing="drop")
    stated = file.update(Roles(sensitive="salary")).stated()
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
        '[[limit]]\nmeasure = "implications"\nk = 1\nvalue = { lung = ["Flu", "Asthma"] }\nbelow = 0.9\n'
        '[[skyline]]\nvalue = { lung = "./disease.csv" }\npoints = [{rules_out = 1, below = 0.9}]\n'
    )
    closeness, implications, by_list, point = sl.read_policy(policy).criteria
    assert closeness.measure.hierarchy.height == 3
    assert implications.measure.value.values == point.measure.value.values == ("Asthma", "Flu")
    assert {*by_list.measure.value.values} == {"Asthma", "Flu"}
    monkeypatch.chdir(tmp_path / "rules")
    assert sl.read_policy("policy.toml").criteria[0].measure.hierarchy.height == 3
    assert read_policy_text(policy.read_text()).policy == sl.read_policy("policy.toml")  # a text stands nowhere


def test_the_domain_may_be_in_a_file_beside_the_policy(tmp_path, monkeypatch):
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "diagnoses.txt").write_text("Flu\nAIDS\n")
    file = tmp_path / "policies" / "policy.toml"
    limit = '[[limit]]\nmeasure = "group size"\nat_least = 5\n'
    file.write_text(f'[roles]\nsensitive = "disease"\ndomain_file = "diagnoses.txt"\n{limit}')
    monkeypatch.chdir(tmp_path)
    assert read_policy_file(file).roles.domain == ("Flu", "AIDS")
    file.write_text(f'[roles]\ndomain_file = "diagnoses.txt"\ndomain = ["Cold"]\n{limit}')
    assert read_policy_file(file).roles.domain == ("Cold", "Flu", "AIDS")
    monkeypatch.chdir(tmp_path / "policies")  # where a text starts that stands nowhere
    assert read_policy_text(f'[roles]\ndomain_file = "diagnoses.txt"\n{limit}').roles.domain == ("Flu", "AIDS")


@pytest.mark.parametrize(
    ("sensitive", "domain"),
    [
        ('"pay"', ("high", "low")),  # in natural order, as no order is told by rows
        ('["pay"]', ("high", "low")),
        ('["ill", "pay"]', {"ill": ("Cold", "Flu"), "pay": ("high", "low")}),
    ],
)
def test_a_domain_file_has_a_column_for_each_sensitive_one(tmp_path, sensitive, domain):
    (tmp_path / "values.csv").write_text("ill,pay\nFlu,low\nCold,high\n")
    file = tmp_path / "policy.toml"
    file.write_text(f'{GOOD}[roles]\nsensitive = {sensitive}\ndomain_file = "values.csv"\n')
    assert read_policy_file(file).roles.domain == domain


def test_every_role_is_read():
    text = """
        quasi = ["age", "zip"]
        sensitive = ["ill", 5]
        person = "id"
        values = "set"
        missing = "drop"
        suppressed = "leave out"
        missing_marks = ["?", -9]
        domain = { ill = ["Flu"], 5 = ["a", 1] }
        sensitive_level = { ill = 1 }
        keep = ["ward"]
        weight = "w"
        split = ";"
        encoding = "latin-1"
        sheet = "May"
        columns = { age = "number", zip = "category", size = ["small", "large"] }
    """
    assert read_policy_text(f"{GOOD}[roles]\n{text}").roles == Roles(
        quasi=("age", "zip"),
        sensitive=("ill", "5"),
        person="id",
        values="set",
        missing="drop",
        suppressed="leave out",
        missing_marks=("?", "-9"),
        domain={"ill": ("Flu",), "5": ("a", "1")},
        sensitive_level={"ill": 1},
        keep=("ward",),
        weight="w",
        split=";",
        encoding="latin-1",
        sheet="May",
        kinds=(("age", "number"), ("zip", "category"), ("size", ("small", "large"))),
    )
    assert read_policy_text(GOOD).roles == Roles()


def test_presets_come_first_then_limits_then_skylines():
    read = read_policy_text(f'preset = ["k-map(k=3)", "ACRO(sums=false)"]\n{POINT}{GOOD}')
    k_map, acro = sl.presets.k_map(3), sl.presets.acro(sums=False)
    point = sl.Acquaintance(rules_out=1) < 0.9
    assert read.policy == sl.Policy(*k_map.criteria, *acro.criteria, sl.GroupSize() >= 5, point)
    assert read.notes == (*k_map.notes, *acro.notes)
    assert read.beside == ()


def test_a_population_is_for_presets(tmp_path):
    preset = sl.presets.ema_health_canada("people.csv")
    file = tmp_path / "policy.toml"
    file.write_text(f'preset = "{preset.name}"')
    read = read_policy_file(file, population="people.csv")
    assert read == read_policy_text(f'preset = "{preset.name}"', population="people.csv")
    assert (read.policy, read.notes, read.beside) == (preset.policy, preset.notes, preset.beside)
    assert read_policy_file(file).policy == sl.presets.ema_health_canada().policy


def test_populations_in_a_policy_start_where_it_stands(tmp_path):
    file, people = tmp_path / "policy.toml", str(tmp_path / "people.csv")
    limit = '[[limit]]\nmeasure = "journalist risk"\npopulation = "people.csv"\nat_most = 0.5\n'
    file.write_text(f"preset = 'k-map(k=2, population=\"people.csv\")'\n{limit}")
    assert read_policy_file(file).policy == sl.Policy(*[sl.JournalistRisk(people) <= Fraction(1, 2)] * 2)


def test_skylines_leave_out_what_others_are_about_and_say_what_they_drop():
    """Whoever rules out nothing knows less than who rules out one, and stays below 0.9, too."""
    points = "points = [{rules_out = 1, below = 0.9}, {below = 0.95}]\n"
    read = read_policy_text(f"[[skyline]]\n{points}[[skyline]]\nvalue = 'Flu'\npoints = [{{others = 1, below = 1}}]\n")
    assert read.policy == sl.Policy(
        sl.Acquaintance(rules_out=1, apart_from=["Flu"]) < 0.9, sl.Acquaintance(others=1, value="Flu") < 1
    )
    (note,) = read.notes
    assert mentions(note, "the other values", "(0, 0, 0) below 0.95", "(1, 0, 0) below 0.9", "dropped")
    apart = read_policy_text(f"{POINT}of = 'ill'\n{POINT}of = 'pay'\n").policy
    assert apart == sl.Policy(*((sl.Acquaintance(rules_out=1) < 0.9).about(column) for column in ("ill", "pay")))


def test_the_schema_says_what_toml_can_and_no_more():
    name = {"title": "Title", "default": None, "anyOf": [{"type": "string"}, {"type": "null"}]}
    several = {"anyOf": [{"type": "string", "title": "A"}, {"type": "integer"}, {"type": "null"}], "title": "B"}
    section = {
        "title": "Section",
        "type": "object",
        "properties": {"title": name, "anyOf": several},
        "required": ["title"],
    }
    assert _tidy(section) == {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "anyOf": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["title"],
    }
    listed = {"items": {"anyOf": [{"type": "integer", "default": 1}, {"type": "null"}]}, "default": [], "minItems": 1}
    assert _tidy(listed) == {"items": {"type": "integer"}, "minItems": 1}
    described = {"description": "a table", "anyOf": [{"description": "text", "type": "string"}, {"type": "null"}]}
    assert _tidy(described) == {"description": "a table", "type": "string"}  # the outer words say more
