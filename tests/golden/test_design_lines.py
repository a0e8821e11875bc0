"""The example lines of the design run as printed (those of what is built), and say what they should."""

import ast
import contextlib
import io
import math
from fractions import Fraction

import pytest

import sidelight as sl

RELEASES = """
import math, sidelight as sl
from fractions import Fraction

hospital = sl.Release.from_counts([                                   # one mapping value -> count per group
    {"Flu": 2, "Lung cancer": 2, "Heart disease": 1},
    {"Flu": 2, "Breast cancer": 1, "Ovarian cancer": 1, "Heart disease": 1}])
visits = sl.Release.from_counts([{"a": 2, "b": 3}], sizes=[4], values="set")      # several values per person: sizes = people
named = sl.Release.from_groups([(["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
                                (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"])])
table   = sl.read_table("patients.parquet", quasi=["age", "sex", "zip"], sensitive="disease", person="id")   # or any dataframe
"""
READ_RELEASE = """
release = sl.read_release("published.csv", group=["age", "sex", "zip"], sensitive="disease")                 # somebody's published file, as it stands
"""
GROUP = """
release = sl.group(table, by=["sex", "zip"])                          # columns as they are; by= a bucket column works too
"""
GENERALISE = """
release = sl.generalise(table, by=sl.read_hierarchies("hierarchies/"), to={"age": 2, "sex": 0, "zip": 3})
"""
IMPLICATIONS = """
sl.Implications(1).measure(hospital).value == Fraction(2, 3)
"""
MEASURES = """
sl.Implications(1, value="Heart disease").measure(hospital)
sl.Negations(1).measure(hospital)
sl.Acquaintance(rules_out=1, others=5, family=2, value="AIDS").measure(release)    # (l, k, m); without value: the worst over all values
"""
PRIORS = """
sl.PriorBelief(counts={"Flu": 12_000, "Cancer": 18_000})             # class I, as Dirichlet parameters
sl.PriorBelief(shape="uniform", stubbornness=1_000)                   # class I; shape: "uniform", "release" or a mapping
sl.PriorBelief(stubbornness=30_000)                                   # class II: any shape
sl.PriorBelief(shape="release", stubbornness=math.inf)                # class III
sl.PriorBelief(stubbornness=math.inf)                                 # class IV
"""
CLASSICS = """
sl.GroupSize(), sl.DistinctValues(), sl.EntropyDiversity(), sl.RecursiveDiversity(l=3), sl.Closeness(distance="equal"), sl.BetaLikeness(), sl.DeltaDisclosure()
"""
FINDING = """
finding = sl.Implications(1).measure(named)
finding.value, finding.witness, print(finding.explain()), finding.replay(named) == finding.value
"""
POLICY = """
policy  = sl.Policy(sl.GroupSize() >= 5, sl.Implications(3) < 0.5, sl.Acquaintance(rules_out=4) < Fraction(3, 4),
                    sl.PriorBelief(stubbornness=1_000) <= 3)
"""
READ_POLICY = """
policy  = sl.read_policy("policy.toml")
verdict = policy.judge(release)                                       # verdict.safe, verdict.findings
"""
SKYLINE = """
sl.knowledge_skyline(release, value="Exec-managerial", below=0.95)    # tuple of (rules_out, others, family); math.inf where unbounded
"""
SEARCHING = """
found = sl.protect(table, policy, by=hierarchies, method="lattice", utility="discernibility")   # or "mondrian", "anatomy", "microaggregation"; raises sl.NothingSafe
found.release, found.levels["age"], found.minimal[0]["age"], found.utility["discernibility"]    # levels: column -> level; minimal: all minimal ones (lattice)
"""
PUBLISHING = """
found.publish("release.parquet")                                      # and a sidecar JSON: policy, findings, utility, versions; never the table
"""
BELIEFS = """
beliefs = sl.maxent(release, knowing=["P(Breast cancer | sex=male) = 0", "P(Flu | age=30-40, sex=female) >= 0.2"])
"""
ASKED = """
beliefs.probability("Flu", given={"sex": "female", "age": "30-40"})   # over all groups; group= for one of them
"""
BELIEFS_TABLE = """
beliefs.table()                                                       # pyarrow: the QI columns, the sensitive column, "group", "probability" (joint)
"""

POSTERIOR = """
sl.posterior(named, "Charlie = Flu", given="Hannah = Flu -> Charlie = Flu") == Fraction(10, 19)
"""


@pytest.fixture
def run(sample_files):
    """Run printed lines one after the other; gives the value of the last expression."""
    names: dict[str, object] = {}

    def run_lines(lines: str) -> object:
        *before, last = ast.parse(lines).body
        exec(compile(ast.Module(before, []), "design", "exec"), names)
        if isinstance(last, ast.Expr):
            return eval(compile(ast.Expression(last.value), "design", "eval"), names)
        exec(compile(ast.Module([last], []), "design", "exec"), names)
        return names

    run_lines(RELEASES)
    return run_lines


def _statements(lines: str) -> list[str]:
    return [ast.unparse(node) for node in ast.parse(lines).body]


def test_releases(run):
    names = run(RELEASES)
    assert (len(names["hospital"]), names["hospital"].size) == (2, 10)
    assert names["visits"].size == 4
    assert names["named"].people["Hannah"] == 1
    assert names["table"].people == 40


@pytest.mark.parametrize("lines", [READ_RELEASE, GROUP, GENERALISE])
def test_three_ways_to_a_release_of_everyone(run, lines):
    assert run(lines)["release"].size == 40


def test_generalise_groups_by_the_levels_asked_for(run):
    release = run(GENERALISE)["release"]
    assert set(release.groups.columns[0].labels) == {"20+", "40+"}
    assert all(text.endswith("***") for text in release.groups.columns[2].labels)


def test_one_implication(run):
    assert run(IMPLICATIONS) is True


@pytest.mark.parametrize("line", _statements(MEASURES))
def test_adversaries_find(run, line):
    run(READ_RELEASE)
    finding = run(line)
    assert isinstance(finding, sl.Finding)
    assert 0 < finding.value <= 1


@pytest.mark.parametrize("line", _statements(PRIORS))
def test_prior_beliefs(run, line):
    assert isinstance(run(line), sl.PriorBelief)


def test_prior_belief_with_known_people_and_predicates(run):
    run(READ_RELEASE)
    names = run(
        'sl.PriorBelief(stubbornness=1_000, known_people=2, predicates=[["Ulcer", "Dyspepsia"]]).measure(release)'
    )
    assert names.value > 1


def test_classics_are_measures(run):
    run(READ_RELEASE)
    measures = run(CLASSICS)
    assert len(measures) == 7
    for measure in measures:
        assert measure.measure(run("release")).measure == measure


def test_a_finding_explains_and_replays_itself(run):
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        value, witness, _, replayed = run(FINDING)
    assert value == Fraction(2, 3)
    assert witness is not None
    assert replayed is True
    assert "2/3" in output.getvalue()


def test_policies_judge(run):
    run(GENERALISE)
    assert isinstance(run(POLICY)["policy"], sl.Policy)
    verdict = run(READ_POLICY)["verdict"]
    assert verdict.safe is True
    assert [finding.value for finding in verdict.findings] == [10]


def test_what_somebody_would_conclude(run):
    assert run(POSTERIOR) is True


def test_knowledge_skyline(run):
    release = sl.Release.from_counts([{"Exec-managerial": 2, "Sales": 3, "Tech-support": 5}])
    run("release = None")["release"] = release
    points = run(SKYLINE)
    assert isinstance(points, tuple)
    assert points
    for rules_out, others, family in points:
        reached = [amount if amount != math.inf else 99 for amount in (rules_out, others, family)]
        knows = sl.Acquaintance(
            rules_out=int(reached[0]), others=int(reached[1]), family=int(reached[2]), value="Exec-managerial"
        )
        assert knows.measure(release).value < Fraction(95, 100)


@pytest.mark.parametrize("method", ["lattice", "mondrian", "anatomy", "microaggregation"])
def test_searching_and_publishing(run, sample_files, method):
    run(RELEASES)
    run(READ_POLICY.replace("verdict = policy.judge(release)", ""))
    run('hierarchies = sl.read_hierarchies("hierarchies/")')
    lines = SEARCHING if method == "lattice" else SEARCHING.splitlines()[1].replace('"lattice"', f'"{method}"')
    run(lines)
    run(PUBLISHING)
    assert {"release.parquet", "release.parquet.sidelight.json"} <= {path.name for path in sample_files.iterdir()}
    assert sl.read_policy("policy.toml").judge(sl.read_published("release.parquet")).safe


def test_releases_are_attacked_together(run):
    adult = sl.datasets.adult()
    names = run("release_a = release_b = shared_people = None")
    names["release_a"] = names["release_b"] = sl.group(adult.table, by=["age", "sex"])
    names["shared_people"] = adult.path
    run(
        "exposure = sl.intersect([release_a, release_b], people=shared_people)  "
        "# exposure.perfect, exposure.partial(0.5), exposure.candidates"
    )
    perfect, partial, candidates = run("exposure.perfect, exposure.partial(0.5), exposure.candidates")
    assert 0 <= perfect <= partial <= 1
    assert len(candidates) > 0


def test_beliefs_by_maximum_entropy(run):
    labels = [{"sex": "male", "age": "30-40"}, {"sex": "female", "age": "30-40"}, {"sex": "*", "age": "*"}]
    release = sl.Release.from_counts(
        [{"Flu": 2, "Cold": 1}, {"Flu": 1, "Breast cancer": 2}, {"Flu": 1, "Breast cancer": 1}], labels=labels
    )
    run("release = None")["release"] = release
    run(BELIEFS)
    assert run(ASKED) == pytest.approx(1 / 3)
    assert run(BELIEFS_TABLE).column_names == ["sex", "age", "value", "group", "probability"]
