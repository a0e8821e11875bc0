import json
import signal
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from support.command_line import answer, invoke
from support.words import mentions, says

import sidelight as sl
from sidelight.answers.noise import write_noise
from sidelight.answers.questions import NoiseRequest
from sidelight.answers.request import ColumnOptions

pytest.importorskip("opendp", reason="noise needs the extra dp")

DISEASES = ("Flu", "AIDS", "Ulcer", "Dyspepsia", "Cancer")
USUAL = [
    "--levels",
    "age=2",
    "--levels",
    "sex=0",
    "--hierarchies",
    "hierarchies",
    "--sensitive",
    "disease",
    "--epsilon",
    "1",
]
DOMAIN = [word for disease in DISEASES for word in ("--domain", disease)]


def run(*words, code=0):
    who = () if {"--person", "-p"} & {*words} else ("--person", "id")
    done = invoke(["noise", "patients.parquet", *who, *words])
    assert done.exit_code == code, done.stderr
    return done


@pytest.fixture(autouse=True)
def _files(sample_files):
    pass


def test_counts_are_published_and_told_about():
    sl.Ledger.begin("budget.json", epsilon=3)
    done = run(*USUAL, *DOMAIN, "--person", "id", "-o", "noisy.csv", "--ledger", "budget.json")
    table = pc.read_csv("noisy.csv")
    assert table.column_names == ["age", "sex", "disease", "count", "measured"]
    assert table.num_rows == 3 * 3 * 6  # with others
    assert "✓ Published" in " ".join(done.stdout.split())
    assert "discrete Laplace, scale 1" in " ".join(done.stdout.split())
    assert "at most 0.4622 because you are in" in " ".join(done.stdout.split())
    assert says(" ".join(done.stdout.split()), "epsilon 1 of 3", "delta 0 of 0", "spent")
    document = json.loads(Path("noisy.csv.noise.json").read_text())
    assert document["mechanism"] == {"kind": "discrete Laplace", "scale": 1.0, "l1": 1, "l2_squared": 1}
    assert document["privacy_unit"] == {
        "unit": "person",
        "person": "id",
        "checked": True,
        "values": "single",
        "values_per_person": 1,
        "rows_per_person": None,
        "people_at_most": None,
    }
    assert (document["outside"], document["missing"]) == ("other", "as undeclared")
    assert document["ledger"] == {"epsilon": "3", "delta": "0", "accounting": "basic"}
    assert says(" ".join(done.stdout.split()), "Promised to each person", "nobody has two rows", "checked", "'id'")
    assert (document["epsilon"], document["delta"], document["neighbours"]) == ("1", "0", "add or remove")
    assert len(sl.Ledger("budget.json").read().entries) == 1


def test_parquet_json_and_gaussian_noise():
    words = ["--delta", "1e-9", "--people-at-most", "1000", "--json"]
    done = run(*USUAL, *DOMAIN, "-o", "noisy.parquet", *words)
    document = answer(done)
    assert document["mechanism"]["kind"] == "discrete Gaussian"
    assert document["promise"]["chance"] > 0
    assert pq.read_table("noisy.parquet").column_names[-2:] == ["count", "measured"]


def test_queries_are_measured_too():
    done = run(*USUAL, *DOMAIN, "-o", "noisy.csv", "--query", "total", "--query", "sex", "--query", "sex")
    assert "Counted too, 95 times of 100: " in " ".join(done.stdout.split())
    assert says(" ".join(done.stdout.split()), "'estimate'", "right on average", "'count'", "post-processed")
    document = json.loads(Path("noisy.csv.noise.json").read_text())
    assert {tuple(each["by"]) for each in document["queries"]} <= {(), ("sex",)}
    assert sl.read_noise("noisy.csv").count().sd < 10
    refused = run(*USUAL, *DOMAIN, "-o", "other.csv", "--query", "zip", code=2)
    assert mentions(refused.stderr, "query", "'zip'", "not published")


def test_queries_may_be_at_coarser_levels():
    words = ("--query", "age=1,sex", "--query", "age=1", "--query", "age=1")
    fine = [each.replace("age=2", "age=0") for each in USUAL]
    done = run(*fine, *DOMAIN, "-o", "noisy.csv", *words)
    assert "age=1" in " ".join(done.stdout.split())
    document = json.loads(Path("noisy.csv.noise.json").read_text())
    assert all(each["coarser"]["age"]["level"] == 1 for each in document["queries"])
    refused = run(*USUAL, *DOMAIN, "-o", "other.csv", "--query", "age=1", code=2)
    assert mentions(refused.stderr, "level 1", "'age'", "not", "coarser", "from 2 to")


def test_notes_say_what_was_not_checked():
    done = run(*USUAL, *DOMAIN, "--person", "each row", "-o", "noisy.csv")
    assert says(" ".join(done.stdout.split()), "no two rows", "one person", "publisher says", "not checked")
    assert "no ledger" in " ".join(done.stdout.split())
    assert says(" ".join(done.stdout.split()), "any one row", "in the table")
    done = run(*USUAL, *DOMAIN, "--person", "each row", "-o", "again.csv", "--json")
    assert any(mentions(each, "column", "--person", "checked") for each in json.loads(done.stdout)["notes"])


VISITS = ["--sensitive", "disease", "--epsilon", "1", "--hierarchies", "hierarchies", "--levels", "sex=0"]


@pytest.fixture
def _visits(tmp_path):
    """Twenty people with two visits each, and one with five diseases."""
    rows = [(n, "mf"[n % 2], DISEASES[(n + visit) % 5]) for n in range(20) for visit in range(2)]
    rows += [(20, "f", disease) for disease in DISEASES]
    columns = dict(zip(("id", "sex", "disease"), zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table(columns), tmp_path / "patients.parquet")


@pytest.mark.usefixtures("_visits")
def test_rows_that_are_not_people_are_never_promised_to_hide_a_person(tmp_path):
    """46,968 of 58,326 patients had several rows, and "any one person" was promised to be hidden."""
    done = invoke(["noise", "patients.parquet", *VISITS, *DOMAIN, "-o", "noisy.csv"])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert mentions(
        done.stderr, "sidelight:", "nothing", "whose a row is", "--person", "checked", '--person "each row"'
    )
    done = invoke(["noise", "patients.parquet", *VISITS, *DOMAIN, "--person", "id", "-o", "noisy.csv"])
    assert (done.exit_code, "21 people have more than one row" in done.stderr) == (2, True)
    assert not list(tmp_path.glob("noisy*"))
    done = run(*VISITS, *DOMAIN, "--person", "each row", "-o", "noisy.csv")  # a lie, and the document says whose
    document = json.loads(Path("noisy.csv.noise.json").read_text())
    assert (document["privacy_unit"]["unit"], document["privacy_unit"]["checked"]) == ("row", False)
    assert document["promise"]["made"].startswith("to each row")
    assert mentions(document["promise"]["made"], "a row is a person", "publisher says")
    assert "to each person" not in done.stdout + json.dumps(document)


@pytest.mark.usefixtures("_visits")
@pytest.mark.parametrize(("kind", "l2_squared"), [("set", 2), ("multiset", 4)])
def test_several_values_per_person_count_by_a_cap(kind, l2_squared):
    words = [*VISITS, *DOMAIN, "--person", "id", "--values", kind, "-o", "noisy.csv"]
    refusal = run(*words, code=2).stderr
    assert "fixed in advance, such as --values-per-person 3" in refusal
    done = run(*words, "--values-per-person", "2")
    document = json.loads(Path("noisy.csv.noise.json").read_text())
    assert document["mechanism"] == {"kind": "discrete Laplace", "scale": 2.0, "l1": 2, "l2_squared": l2_squared}
    assert (document["privacy_unit"]["values"], document["privacy_unit"]["values_per_person"]) == (kind, 2)
    assert says(" ".join(done.stdout.split()), "Promised to each person", "'id'", "at most 2 values")
    assert says(" ".join(done.stdout.split()), "more than 2 values", "left out by chance")
    done = run(*words, "--force", "--values-per-person", "2", "--delta", "1e-9")
    assert "with --people-at-most it is told in beliefs" in " ".join(done.stdout.split())
    run(*words, "--force", "--values-per-person", "2", "--delta", "1e-9", "--people-at-most", "1000")
    assert json.loads(Path("noisy.csv.noise.json").read_text())["privacy_unit"]["people_at_most"] == 1000


@pytest.mark.parametrize("form", [["--json"], []])
def test_exact_counts_of_the_data_are_for_the_publisher_and_apart_from_what_may_go_on(form):
    done = run(*USUAL, *DOMAIN, "-o", "noisy.csv", *form)
    assert says(done.stderr, "sidelight:", "not for publishing", "columns not used", "zip")
    assert "columns not used" not in " ".join(done.stdout.split())


def test_the_domain_may_be_in_a_file_or_a_hierarchy(tmp_path):
    (tmp_path / "diseases.txt").write_text("\n".join(DISEASES) + "\n")
    run(*USUAL, "--domain-file", "diseases.txt", "-o", "one.csv")
    assert json.loads(Path("one.csv.noise.json").read_text())["domain"] == [*DISEASES, "(other)"]
    run(*USUAL, "--domain", "Gout", "--domain-file", "diseases.txt", "-o", "two.csv")
    assert json.loads(Path("two.csv.noise.json").read_text())["domain"] == ["Gout", *DISEASES, "(other)"]
    (tmp_path / "hierarchies" / "disease.csv").write_text("".join(f"{each};*\n" for each in (*DISEASES, "Mumps")))
    run(*USUAL, "-o", "three.csv")
    assert json.loads(Path("three.csv.noise.json").read_text())["domain"] == [*DISEASES, "Mumps", "(other)"]


def test_noisy_counts_are_not_taken_for_people():
    run(*USUAL, *DOMAIN, "-o", "noisy.csv")
    done = invoke(["audit", "noisy.csv", "-g", "age", "-g", "sex", "-s", "disease"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert mentions(done.stderr, "sidelight:", "'noisy.csv'", "noisy counts", "not people", "'noisy.csv.noise.json'")


def test_a_run_that_would_exceed_the_budget_is_refused_and_writes_nothing(tmp_path):
    ledger = ["--ledger", "budget.json"]
    sl.Ledger.begin("budget.json", epsilon=1.5)
    run(*USUAL, *DOMAIN, "-o", "one.csv", *ledger)
    done = run(*USUAL, *DOMAIN, "-o", "two.csv", *ledger, code=1)
    assert done.stderr.count("\n") == 1
    left = "epsilon 1.5 and delta 0", "1 and 0", "nothing was spent"
    assert mentions(done.stderr, "sidelight:", "epsilon 1 and delta 0", "more than is left", *left)
    assert not list(tmp_path.glob("two*"))
    run(*USUAL[:-1], "0.5", *DOMAIN, "-o", "three.csv", *ledger)


def test_a_policy_file_gives_the_roles(tmp_path):
    (tmp_path / "roles.toml").write_text(
        f'[roles]\nquasi = ["zip"]\nsensitive = "disease"\nperson = "id"\ndomain = {json.dumps(DISEASES)}\n'
        '[[limit]]\nmeasure = "group size"\nat_least = 5\n'
    )
    run("--levels", "sex=0", "--hierarchies", "hierarchies", "--epsilon", "1", "-p", "roles.toml", "-o", "noisy.csv")
    assert pc.read_csv("noisy.csv").column_names == ["sex", "disease", "count", "measured"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([*USUAL], "the domain is not declared"),
        ([*USUAL[:-1], "0", *DOMAIN], "epsilon is 0"),
        ([*USUAL, *DOMAIN, "--delta", "1"], "delta is 1"),
        ([*USUAL, *DOMAIN, "--levels", "zip=9"], "no level 9"),
        ([*USUAL, *DOMAIN, "--levels", "zip"], "cannot read --levels 'zip'"),
        ([*USUAL, *DOMAIN, "--levels", "sex=1"], "two levels for 'sex'"),
        ([*USUAL, *DOMAIN, "--levels", "height=1"], "no column 'height'"),
        ([*USUAL[4:], *DOMAIN], "say --levels age=2 for each"),
        ([*USUAL, *DOMAIN[2:], "--outside", "an error"], "8 people have a label or a value that was not declared"),
        ([*USUAL, *DOMAIN, "--cells", "5"], "the limit is 5"),
        ([*USUAL, *DOMAIN, "--budget", "1"], "no option '--budget'"),
        (
            [*USUAL, *DOMAIN, "--ledger", "budget.json"],
            "for all releases to come, by sidelight ledger begin budget.json --epsilon 3\n",
        ),
        ([*USUAL[:4], *USUAL[6:], *DOMAIN], "give a folder of hierarchies with --hierarchies"),
        ([*USUAL[:6], *USUAL[8:], *DOMAIN], "which column is sensitive?"),
    ],
)
def test_bad_input_is_one_line(words, says, tmp_path):
    done = run(*words, "-o", "noisy.csv", code=2)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not list(tmp_path.glob("noisy*"))


def test_a_refused_run_leaves_no_ledger_and_no_lock(tmp_path):
    before = {*tmp_path.rglob("*")}
    run(*USUAL, *DOMAIN, "-o", "noisy.csv", "--ledger", "budget.json", code=2)
    run(*USUAL, *DOMAIN, "-o", "noisy.csv", "--ledger", "nowhere/budget.json", code=2)
    assert {*tmp_path.rglob("*")} == before
    begun = sl.Ledger.begin("budget.json", epsilon=3)
    kept = begun.path.read_bytes()
    run(*USUAL[:-1], "1e-12", *DOMAIN, "-o", "noisy.csv", "--ledger", "budget.json", code=2)
    run(*USUAL, *DOMAIN, "--delta", "1", "-o", "noisy.csv", "--ledger", "budget.json", code=2)
    assert begun.path.read_bytes() == kept
    begun.path.unlink()
    assert "there was a ledger" in run(*USUAL, *DOMAIN, "-o", "n.csv", "--ledger", "budget.json", code=2).stderr
    assert not list(tmp_path.glob("n*.csv*"))


@pytest.mark.parametrize("ledger", ["n.csv", "n.csv.noise.json", "link.json"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_outputs_are_never_written_over_the_ledger(tmp_path, ledger, force):
    """The document beside the counts replaced the ledger: `-o n.csv --ledger n.csv.noise.json`."""
    begun = sl.Ledger.begin("n.csv.noise.json" if ledger == "link.json" else ledger, epsilon=3)
    if ledger == "link.json":
        (tmp_path / "link.json").symlink_to("n.csv.noise.json")
    done = run(*USUAL, *DOMAIN, "-o", "n.csv", "--ledger", ledger, *force, code=2)
    assert mentions(done.stderr, "input", "never written over")
    assert begun.read().entries == ()


def test_outputs_are_never_written_over_the_lock_or_an_input(tmp_path):
    begun = sl.Ledger.begin("budget.json", epsilon=3)
    shown = ["ledger", "show", "budget.json", "--force", "-o"]
    for path in ("budget.json", "budget.json.lock"):
        done = invoke([*shown, path])
        assert (done.exit_code, "never written over" in done.stderr) == (2, True)
    (tmp_path / "other.csv.noise.json").symlink_to("patients.parquet")
    done = run(*USUAL, *DOMAIN, "-o", "other.csv", "--ledger", "budget.json", "--force", code=2)
    assert "never written over" in done.stderr
    assert begun.read().entries == ()


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.usefixtures("hears_ctrl_c")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    "where", ["sidelight.noise.mechanism.Mechanism.add_noise", "sidelight.publish.noise.move_into_place"]
)
def test_an_interrupt_after_spending_says_that_it_was_spent(tmp_path, monkeypatch, number, status, where):
    begun = sl.Ledger.begin("budget.json", epsilon=3)
    monkeypatch.setattr(where, lambda *_, **__: signal.raise_signal(number))
    done = run(*USUAL, *DOMAIN, "-o", "noisy.csv", "--ledger", "budget.json", code=status)
    assert done.stderr.count("\n") == 1
    spent = "epsilon 1", "'budget.json'", "is spent"
    assert mentions(done.stderr, "sidelight: interrupted", "nothing unfinished", *spent)
    assert len(begun.read().entries) == 1
    assert not list(tmp_path.glob("noisy*"))
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_an_error_after_spending_says_that_it_was_spent(monkeypatch):
    sl.Ledger.begin("budget.json", epsilon=3)
    monkeypatch.setattr("sidelight.noise.mechanism.Mechanism.add_noise", lambda *_: (_ for _ in ()).throw(MemoryError))
    done = run(*USUAL, *DOMAIN, "-o", "noisy.csv", "--ledger", "budget.json", code=2)
    assert done.stderr.count("\n") == 1
    spent = "epsilon 1", "'budget.json'", "is spent"
    assert mentions(done.stderr, "sidelight:", "not enough memory", "smaller file", *spent)


def test_a_damaged_ledger_is_refused(tmp_path):
    (tmp_path / "budget.json").write_text("{")
    done = run(*USUAL, *DOMAIN, "-o", "noisy.csv", "--ledger", "budget.json", code=2)
    assert "the ledger 'budget.json' is damaged" in done.stderr


def test_nothing_is_replaced_unasked(tmp_path):
    run(*USUAL, *DOMAIN, "-o", "noisy.csv")
    assert "exists" in run(*USUAL, *DOMAIN, "-o", "noisy.csv", code=2).stderr
    run(*USUAL, *DOMAIN, "-o", "noisy.csv", "--force")
    (tmp_path / "budget.csv").write_text("{}")
    done = run(*USUAL, *DOMAIN, "-o", "budget.csv", "--ledger", "budget.csv", "--force", code=2)
    assert "never written over" in done.stderr
    assert "never written over" in run(*USUAL, *DOMAIN, "-o", "hierarchies/sex.csv", "--force", code=2).stderr


@pytest.mark.usefixtures("_visits")
def test_several_rows_per_person_are_bounded_by_a_declared_cap():
    """Two rows of one person moved a belief by 0.76 where 0.46 was promised."""
    done = run(*VISITS, *DOMAIN, "-o", "noisy.csv", code=2)
    assert done.stderr.count("\n") == 1
    mended = "fixed in advance", "--rows-per-person 3"
    assert mentions(done.stderr, "sidelight:", "21 people", "more than one row", "'id'", *mended)
    done = run(*VISITS, *DOMAIN, "-o", "noisy.csv", "--rows-per-person", "2")
    document = json.loads(Path("noisy.csv.noise.json").read_text())
    assert document["mechanism"] == {"kind": "discrete Laplace", "scale": 2.0, "l1": 2, "l2_squared": 4}
    assert document["privacy_unit"]["rows_per_person"] == 2
    assert says(" ".join(done.stdout.split()), "Promised to each person", "'id'", "at most 2 rows")
    assert says(" ".join(done.stdout.split()), "more than 2 rows", "left out by chance")
    read = sl.read_noise("noisy.csv")
    assert (read.unit.sentence(), read.unit.once) == (document["promise"]["made"], False)
    words = ["--person", "each row", "--rows-per-person", "2", "-o", "again.csv"]
    assert "needs to know whose a row is" in run(*VISITS, *DOMAIN, *words, code=2).stderr
    words = ["--values", "set", "--rows-per-person", "2", "-o", "again.csv"]
    assert "say --values-per-person, or leave --values out" in run(*VISITS, *DOMAIN, *words, code=2).stderr


def test_the_document_promises_no_person_what_was_ensured_for_a_row():
    sl.Ledger.begin("budget.json", epsilon=9, delta="1e-3")
    for words in ([], ["--delta", "1e-9", "--people-at-most", "100"], ["--delta", "1e-9"]):
        paid = ["--ledger", "budget.json"]
        done = run(*USUAL, *DOMAIN, "--person", "each row", *words, *paid, "-o", "noisy.csv", "--force")
        text = done.stdout + Path("noisy.csv.noise.json").read_text()
        assert "to each person" not in text
        assert "Whatever anyone knew" not in text  # but: if no two rows are about one person, whatever anyone knew …
        assert ("whatever anyone knew" in text) == (words[2:] != [] or not words)


SETS = ["--values", "set", "--values-per-person", "2"]
EVERY_KIND_OF_ROWS = {
    "nobody": [],
    "one person": [(1, "f", "30", "Flu")],
    "nothing declared": [(1, "x", "200", "Gout"), (2, None, None, None)],
    "all cells missing": [(1, None, None, None)] * 1,
    "nobody named": [(None, "f", "30", "Flu"), (None, "f", "30", "Flu")],
    "one person many times": [(1, "f", "30", "Flu"), (1, "m", "40", "AIDS"), (1, "f", "30", "Flu")],
    "numbers written as fractions": [(1, "f", "30.0", "Flu")],
}


@pytest.mark.parametrize("file", ["rows.csv", "rows.parquet"])
@pytest.mark.parametrize(
    "counted",
    [["--person", "id", "--rows-per-person", "2"], ["--person", "id", *SETS], ["--person", "each row"]],
    ids=["rows", "sets", "each row"],
)
def test_existence_and_failure_do_not_depend_on_the_data(file, counted):
    """Undeclared labels aborted, and one person against none was exit status 0 or 2."""
    documents = set()
    for rows in EVERY_KIND_OF_ROWS.values():
        _write_rows(rows, file)
        done = invoke(["noise", file, *USUAL, *DOMAIN, *counted, "-o", "noisy.csv", "--force", "--json"])
        assert done.exit_code == 0, done.stderr
        document = answer(done)
        del document["file"]["sha256"]  # the counts differ, and by nothing but noise would they
        documents.add(json.dumps(document))
    assert len(documents) == 1


def _write_rows(rows, file):
    columns = zip(*rows, strict=True) if rows else [()] * 4
    kinds = (pa.int64(), pa.string(), pa.string(), pa.string())
    cells = [pa.array(each, kind) for each, kind in zip(columns, kinds, strict=True)]
    table = pa.table(cells, names=["id", "sex", "age", "disease"])
    if file.endswith("csv"):
        pc.write_csv(table, file, pc.WriteOptions(quoting_style="none"))
    else:
        pq.write_table(table, file)


def test_thirty_point_zero_is_thirty(tmp_path):
    (tmp_path / "rows.csv").write_text("id,sex,age,disease\n1,f,30.0,Flu\n")
    levels = ["--levels", "age=0", "--hierarchies", "hierarchies", "--sensitive", "disease", "--epsilon", "100"]
    done = invoke(["noise", "rows.csv", *levels, *DOMAIN, "--person", "id", "-o", "noisy.csv", "--outside", "an error"])
    assert done.exit_code == 0, done.stderr
    assert sl.read_noise("noisy.csv").measured.sum() == 1


def test_people_at_most_is_declared_and_what_speaks_against_it_is_told():
    words = ["--delta", "1e-9", "--people-at-most", "1", "-o", "noisy.csv"]
    done = run(*USUAL[:-1], "15", *DOMAIN, *words)  # 40 people, next to no noise
    document = json.loads(Path("noisy.csv.noise.json").read_text())
    against = "measured counts", "against", "at most 1 person", "declared", "not"
    assert says(" ".join(done.stdout.split()), *against)
    assert any(mentions(each, *against) for each in document["warnings"])
    assert says(document["promise"]["sentence"], "at most 1 person", "publisher", "nobody checked")


def test_without_a_number_of_people_a_delta_is_not_told_in_beliefs():
    """The chance that was told used the noisy number of people, and was false in up to 43 % of releases."""
    done = run(*USUAL, *DOMAIN, "--delta", "1e-9", "-o", "noisy.csv", "--json")
    document = answer(done)
    assert (document["promise"]["shift"], document["promise"]["chance"]) == (None, None)
    assert mentions(document["promise"]["sentence"], "(1, 1e-09)", "how many people", "nobody declared")
    assert document["promise"]["sentence"].count(".") == 1  # and nothing of beliefs
    assert sl.read_noise("noisy.csv").people_at_most is None


def test_python_again_says_which_neighbours_are_hidden():
    request = NoiseRequest(
        files=("table.csv",),
        output=Path("counts.csv"),
        columns=ColumnOptions(sensitive=("disease",)),
        neighbours="replace",
        undeclared=True,
        levels=("sex=0",),
        epsilon="1",
        delta="1e-9",
    )
    code = write_noise(request)
    assert "neighbours='replace'" in code
    assert "delta='1e-9'" in code
