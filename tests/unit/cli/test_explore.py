"""`sidelight explore`, from the outside."""

from contextlib import contextmanager

import pytest
from support.command_line import answer, invoke
from support.words import mentions

import sidelight as sl
from sidelight.answers import explore
from sidelight.cli import run as surface
from sidelight.measures.ck_safety import minimize as worst

ROWS = "age,disease\n" + "\n".join(
    f"{age},{disease}" for age in ("20-29", "30-39") for disease in ("Flu", "Flu", "Flu", "Cold", "Cold", "AIDS")
)
ROLES = ("--group", "age", "--sensitive", "disease")


def run(*args):
    return invoke(["explore", *map(str, args)])


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(ROWS)
    return path


def test_it_prints_the_curves_and_the_skyline(file):
    result = run(file, *ROLES, "--value", "AIDS", "--below", "1/2", "--up-to", 2)
    assert result.exit_code == 0, result.output
    for words in (
        "AIDS",
        "implications",
        "negations",
        "values ruled out",
        "other people",
        "family",
        "less than 1/2 sure",
    ):
        assert words in result.output
    assert "1/6" in result.output
    assert "Decimals are rounded towards caution" in result.output
    for rules_out, others, family in sl.knowledge_skyline(read(file), "AIDS", below=0.5):
        assert f"{rules_out} {others} {family}" in [" ".join(line.split()) for line in result.output.splitlines()]


def read(file):
    return sl.read_release(str(file), group=["age"], sensitive="disease")


def test_as_json_it_is_data(file, tmp_path):
    written = tmp_path / "explored.json"
    result = run(file, *ROLES, "--value", "AIDS", "--json", "--output", written)
    told = answer(result)
    assert result.stdout == written.read_text()
    points = tuple(tuple(point.values()) for point in told["knowledge_skyline"])
    assert points == sl.knowledge_skyline(read(file), "AIDS", below=0.95)
    assert [curve["measure"] for curve in told["curves"]] == ["implications", "negations", *["acquaintance"] * 3]
    assert [len(curve["points"]) for curve in told["curves"]] == [11] * 5


def test_a_value_that_nobody_has_has_no_end(file):
    result = run(
        file,
        *ROLES,
        "--value",
        "Gout",
        *(each for text in ("Flu", "Cold", "AIDS", "Gout") for each in ("--domain", text)),
    )
    assert result.output.count("no end") == 2
    told = answer(
        run(
            file,
            *ROLES,
            "--value",
            "Gout",
            "--json",
            "--domain",
            "Gout",
            "--domain",
            "Flu",
            "--domain",
            "Cold",
            "--domain",
            "AIDS",
        )
    )
    assert told["knowledge_skyline"] == [{"rules_out": 3, "others": None, "family": None}]


def test_nothing_may_be_known(file):
    assert "even someone who knows nothing" in run(file, *ROLES, "--value", "Flu", "--below", 0.5).output


def test_roles_come_from_a_policy_too(file, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[roles]\nquasi = ["age"]\nsensitive = "disease"\n[[limit]]\nmeasure = "group size"\nat_least = 2'
    )
    assert run(file, "--policy", policy, "--value", "AIDS").exit_code == 0


def test_several_values_per_person(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("who,age,disease\n1,20,Flu\n1,20,Cold\n2,20,Flu\n3,20,Cold\n4,20,AIDS\n")
    result = run(
        path,
        "--group",
        "age",
        "--sensitive",
        "disease",
        "--person",
        "who",
        "--values",
        "set",
        "--value",
        "AIDS",
        "--json",
    )
    assert [curve["measure"] for curve in answer(result)["curves"]] == [
        "implications",
        "negations",
        *["acquaintance"] * 3,
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--value", "AIDZ"), ("'AIDZ'", "mean 'AIDS'")),
        (("--value", "AIDS", "--below", "high"), ("--below high", "number")),
        (("--value", "AIDS", "--below", "2"), ("limit between 0 and 1",)),
        ((), ("--value",)),
    ],
)
def test_what_is_wrong_is_said_in_one_line(file, args, message):
    result = run(file, *ROLES, *args)
    assert result.exit_code == 2
    assert mentions(result.output, *message)
    assert len(result.output.strip().splitlines()) == 1


def test_a_long_skyline_is_cut_in_the_terminal_only(tmp_path):
    counts = [("low", 40), ("middle", 30), ("high", 20), ("top", 15), ("AIDS", 1)]
    path = tmp_path / "published.csv"
    path.write_text("age,disease\n" + "".join(f"20-29,{value}\n" * times for value, times in counts))
    points = sl.knowledge_skyline(read(path), "AIDS", below=0.95)
    assert len(points) > 20
    result = run(path, *ROLES, "--value", "AIDS", "--up-to", 1)
    assert f"… and {len(points) - 20:,} more such lines; --json has all." in result.output
    assert len(result.output.splitlines()) < 45
    told = answer(run(path, *ROLES, "--value", "AIDS", "--up-to", 1, "--json"))
    assert len(told["knowledge_skyline"]) == len(points)


def test_a_long_curve_takes_growing_steps(file):
    lines = run(file, *ROLES, "--value", "AIDS", "--up-to", 100_000).output.splitlines()
    shown = [line.split() for line in lines if line.strip()[:1].isdigit()]
    assert [row[0] for row in shown[50:53]] == ["50", "100,000", "0"]  # nothing changes in between; the skyline begins
    told = answer(run(file, *ROLES, "--value", "AIDS", "--up-to", 100_000, "--json"))
    for curve, family in zip(told["curves"], (sl.Implications, sl.Negations), strict=False):
        (axis,) = curve["axes"]
        assert len(axis["amounts"]) < 100
        assert axis["amounts"][:51] == list(range(51))
        assert axis["amounts"][-1] == 100_000
        whole = sl.disclosure_curve(read(file), family, axis["amounts"], value="AIDS")
        assert [point["exact"] for point in curve["points"]] == [str(risk) for risk in whole.risks]


def test_an_amount_that_is_too_hard_is_left_out(file, monkeypatch):
    monkeypatch.setattr(worst, "MOST", 0)
    result = run(file, *ROLES, "--value", "AIDS", "--up-to", 2)
    assert [line.split()[1:3] for line in result.output.splitlines() if line[:10].strip()[:1] in {"0", "1", "2"}][
        :3
    ] == [
        ["1/6", "1/6"],
        ["too", "hard"],
        ["1", "1"],
    ]
    told = answer(run(file, *ROLES, "--value", "AIDS", "--up-to", 2, "--json"))
    assert [curve["axes"][0]["amounts"] for curve in told["curves"]] == [[0, 2], *[[0, 1, 2]] * 4]


def test_progress_is_shown_to_a_person(file, monkeypatch):
    told = []

    @contextmanager
    def bar(doing):
        yield lambda what, done, total: told.append((doing, what, done, total))

    monkeypatch.setattr(surface, "bar", bar)
    run(file, *ROLES, "--value", "AIDS", "--up-to", 2)
    assert told[0] == ("exploring", "what may be known", 0, None)
    assert told[1:4] == [("exploring", "implications", done, 3) for done in range(3)]


def test_ctrl_c_ends_it_with_one_line(file, monkeypatch):
    def curve(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(explore, "disclosure_curve", curve)
    result = run(file, *ROLES, "--value", "AIDS")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == "sidelight: interrupted; nothing unfinished is left behind\n"


def test_any_of_several_values(file):
    result = run(file, *ROLES, "-v", "AIDS", "-v", "Cold", "--json")
    told = answer(result)
    assert (told["value"], told["curves"][0]["settings"]) == (["AIDS", "Cold"], {"value": "[AIDS, Cold]"})
    points = tuple(tuple(point.values()) for point in told["knowledge_skyline"])
    assert points == sl.knowledge_skyline(read(file), ["AIDS", "Cold"], below=0.95)
    assert "any of 'AIDS', 'Cold'" in run(file, *ROLES, "-v", "AIDS", "-v", "Cold").output


def test_it_tells_how_stubborn_somebody_may_be(file):
    result = run(file, *ROLES, "--value", "AIDS", "--belief", "prior belief(stubbornness=inf) <= 9", "--up-to", 1)
    assert result.exit_code == 0, result.output
    assert "How stubborn somebody may be" in result.output
    limits = (
        "--belief",
        "prior belief(shape=release, stubbornness=inf) <= 5",
        "--belief",
        "prior belief(stubbornness=inf) <= 1",
    )
    document = answer(run(file, *ROLES, "--value", "AIDS", *limits, "--up-to", 1, "--json"))
    first, second = document["belief_skylines"]
    assert first["points"][0] == {"stubbornness": None, "known_people": 2}
    assert second["points"] == []
    assert "Not at all" in run(file, *ROLES, "--value", "AIDS", *limits, "--up-to", 1).output


@pytest.mark.parametrize(
    "limit", ["group size >= 3", "prior belief(stubbornness=inf) < 3", "prior belief(stubbornness=inf)"]
)
def test_a_belief_is_a_limit_on_a_prior_belief(file, limit):
    result = run(file, *ROLES, "--value", "AIDS", "--belief", limit)
    assert result.exit_code == 2


@pytest.fixture
def wards(tmp_path):
    published, original = tmp_path / "published.csv", tmp_path / "original.csv"
    published.write_text("age,disease\n30-39,Flu\n30-39,Cold\n30-39,AIDS\n40-49,Flu\n40-49,Flu\n40-49,Cold\n")
    people = ["Ann,31,Flu", "Bob,34,Cold", "Cleo,38,AIDS", "Dan,41,Flu", "Eve,43,Flu", "Fay,48,Cold"]
    original.write_text("\n".join(["id,age,disease", *people]) + "\n")
    return published, original


def test_people_are_named_on_the_terminal_alone(wards, tmp_path):
    published, original = wards
    asked = (published, "-g", "age", "-s", "disease", "--value", "AIDS", "--below", "0.95")
    written = tmp_path / "explored.json"
    told = run(*asked, "--people", original, "--name", "id", "-o", written)
    assert told.exit_code == 0, told.stderr
    assert mentions(" ".join(told.stdout.split()), "Cleo", "have AIDS", "probability 1")
    assert not any(name in written.read_text() for name in ("Ann", "Bob", "Cleo"))
    refused = run(*asked, "--people", original, "--name", "id", "--json")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "leave --json out" in refused.stderr


def test_too_few_people_to_name(wards):
    published, original = wards
    asked = (published, "-g", "age", "-s", "disease", "--value", "AIDS", "--up-to", "1")
    told = run(*asked, "--people", original, "--name", "id")
    assert mentions(told.stdout, "1 other person", "not enough", "--up-to")
    assert "give both" in run(*asked, "--people", original).stderr


def test_the_fewest_people_are_named_beyond_the_steps_of_the_curves(tmp_path):
    published, original = tmp_path / "published.csv", tmp_path / "original.csv"
    diseases = ["AIDS", *["Flu"] * 70]
    published.write_text("age,disease\n" + "".join(f"30-39,{each}\n" for each in diseases))
    original.write_text("id,age,disease\n" + "".join(f"p{at},31,{each}\n" for at, each in enumerate(diseases)))
    asked = (published, "-g", "age", "-s", "disease", "--value", "AIDS", "--below", "1/11", "--up-to", "100")
    told = run(*asked, "--people", original, "--name", "id")
    assert told.exit_code == 0, told.stderr
    words = " ".join(told.stdout.split())
    assert words.count("has Flu") == 60  # then 11 people are left; the curves have 50 and 62
    assert mentions(words, "exist in all worlds", "these very people", "11/71 of all")


def test_people_of_suppressed_rows_are_named_if_said_so(tmp_path):
    published, original = tmp_path / "published.csv", tmp_path / "original.csv"
    published.write_text("age,disease\n30-39,Flu\n30-39,Cold\n*,AIDS\n*,Flu\n")
    original.write_text("id,age,disease\nAnn,31,Flu\nBob,34,Cold\nCleo,71,AIDS\nDan,82,Flu\n")
    asked = (published, "-g", "age", "-s", "disease", "--value", "AIDS")
    named = run(*asked, "--people", original, "--name", "id", "--suppressed", "may hold them")
    assert "Cleo could be shown" in " ".join(named.stdout.split()), named.stderr
    refused = run(*asked, "--people", original, "--name", "id")
    assert refused.exit_code == 2
    assert "its column that names people" in refused.stderr
    assert not any(name in refused.stderr for name in ("Ann", "Bob", "Cleo", "Dan"))


@pytest.mark.parametrize("lookup", [("--hierarchies", "."), ("--suppressed", "may hold them")])
def test_how_people_are_found_needs_people_to_find(wards, lookup):
    refused = run(wards[0], "-g", "age", "-s", "disease", "--value", "AIDS", *lookup)
    assert refused.exit_code == 2
    assert "--people" in refused.stderr
