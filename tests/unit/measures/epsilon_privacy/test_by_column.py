"""A prior that depends on a printed column: what it comes to, what is refused, how it reads."""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from support.words import mentions

import sidelight as sl
from sidelight.errors import BadMeasure
from sidelight.measures.epsilon_privacy.prior import PriorByColumn, WeightsByLabel
from sidelight.measures.epsilon_privacy.prior_belief import find_printed_column
from sidelight.measures.epsilon_privacy.worst_case import Ratio, _epsilons, exact_case, replay_case
from sidelight.measures.measure import Monotonicity
from sidelight.policy.policy import policy_text
from sidelight.policy.policy_file import read_policy_text

F, INF = Fraction, math.inf
EARLIER = {"North": {"Flu": 900, "Cold": 100}, "South": {"Flu": 100, "Cold": 900}}


def town(people, **roles):
    regions, diseases = zip(*people, strict=True)
    rows = pa.table({"region": regions, "disease": diseases})
    return sl.read_release(rows, group="region", sensitive="disease", **roles)


def people(region, flu, cold):
    return [(region, "Flu")] * flu + [(region, "Cold")] * cold


def test_where_each_group_prints_one_region_each_has_its_own_prior():
    release = town(people("North", 9, 1) + people("South", 9, 1))
    alone = [
        sl.PriorBelief(counts=EARLIER[region]).measure(town(people(region, 9, 1))).value
        for region in ("North", "South")
    ]
    finding = sl.PriorBelief(counts=EARLIER, by="region").measure(release)
    assert finding.value == max(alone) == alone[1]
    assert finding.witness.label == "South"
    assert finding.replay(release) == finding.value


def test_a_group_that_covers_both_is_seen_through_both():
    """Of a northerner in it a flu is likelier: n_s · σ(r, s) / σ(s), the expression of the ℓ-diversity paper."""
    release = town(people("{North, South}", 2, 2))
    finding = sl.PriorBelief(counts=EARLIER, by="region", predicates=["Flu"]).measure(release)
    north = Fraction(2) * 900 / 1000 / (Fraction(2) * 900 / 1000 + Fraction(2) * 100 / 1000)
    assert north == Fraction(9, 10)
    assert {finding.witness.p_in} <= {north, 1 - north}
    assert finding.replay(release) == finding.value


def test_the_unmoved_and_those_at_most_so_stubborn():
    release = town(people("*", 3, 2) + people("South", 1, 4))
    for sure, least in ((math.inf, None), (4_000, None), (4_000, "same"), (math.inf, "smallest")):
        finding = sl.PriorBelief(shape=EARLIER, stubbornness=sure, least_stubbornness=least, by="region").measure(
            release
        )
        assert finding.replay(release) == finding.value
    unmoved = sl.PriorBelief(shape=EARLIER, stubbornness=math.inf, by="region").measure(release)
    assert unmoved.witness.p_out in (Fraction(1, 10), Fraction(9, 10))


def test_what_was_seen_in_an_earlier_release_by_region():
    earlier = town(people("North", 3, 1) + people("South", 0, 2))
    measure = sl.PriorBelief.from_release(earlier, by="region")
    assert measure.counts == {"North": {"Flu": 4, "Cold": 2}, "South": {"Flu": 1, "Cold": 3}}
    table = sl.read_table(
        pa.table({"region": ["North", "North", "South"], "disease": ["Flu", "Cold", "Cold"]}),
        quasi="region",
        sensitive="disease",
    )
    assert sl.PriorBelief.from_release(table, by="region").counts["South"] == {"Flu": 1, "Cold": 2}
    huge = sl.Release.from_counts([{"Flu": 2**60 + 1}], domain=["Flu", "Cold"], labels=[{"region": "North"}])
    assert sl.PriorBelief.from_release(huge, by="region").counts == {"North": {"Flu": 2**60 + 2, "Cold": 1}}


def test_it_says_where_the_person_is_from():
    release = town(people("*", 5, 1))
    finding = sl.PriorBelief(counts=EARLIER, by="region").measure(release)
    assert mentions(finding.explain(), "by region", f"region {finding.witness.label}", finding.witness.value)
    assert sl.PriorBelief(counts=EARLIER, by="region").when_groups_merge is Monotonicity.UNKNOWN


def test_a_predicate_is_called_by_its_name():
    """Of seven southerners four have it, p_in = 4/7; of the 1,000 answers and the six others 100 + 3 have, p_out."""
    release = town(people("South", 4, 3))
    counts = {"South": EARLIER["South"]}
    finding = sl.PriorBelief(counts=counts, by="region", predicates={"ill": ["Flu"]}).measure(release)
    witness = finding.witness
    assert (witness.value, str(witness.predicate), witness.predicate.values) == ("ill", "ill", ("Flu",))
    assert (witness.p_in, witness.p_out, witness.ratio) == (F(4, 7), F(103, 1006), Ratio.BELIEF)
    assert (witness.label, witness.stubbornness, witness.group.number) == ("South", 1_000, 1)
    assert finding.value == F(4, 7) / F(103, 1006) == finding.replay(release)
    assert mentions(finding.explain(), "region South", "'ill'", "factor")


def test_a_policy_file_says_it():
    policy = sl.Policy(sl.PriorBelief(counts=EARLIER, by="region") <= 3)
    assert read_policy_text(policy_text(policy)).policy.criteria == policy.criteria
    text = '[[limit]]\nmeasure = "prior belief"\nby = "region"\nat_most = 3\n[limit.counts]\n'
    text += "North = {Flu = 900, Cold = 100}\nSouth = {Flu = 100, Cold = 900}\n"
    assert read_policy_text(text).policy.criteria == policy.criteria


def test_a_search_is_told_to_judge_with_it_later():
    table = sl.read_table(pa.table({"region": ["North"], "disease": ["Flu"]}), quasi="region", sensitive="disease")
    with pytest.raises(BadMeasure, match="judge what is found"):
        sl.protect(table, sl.Policy(sl.PriorBelief(counts=EARLIER, by="region") <= 3), by={}, ask="nobody")


def test_a_table_of_generalisations_looks_at_what_each_prints():
    rows = pa.table({"region": ["North", "South"] * 2, "disease": ["Flu", "Flu", "Cold", "Cold"]})
    table = sl.read_table(rows, quasi="region", sensitive="disease")
    hierarchies = {"region": sl.Hierarchy.suppression("region", ["North", "South"])}
    measure = sl.PriorBelief(counts=EARLIER, by="region")
    listed = sl.generalisation_table(table, hierarchies, [measure])
    values = [measure.measure(sl.generalise(table, by=hierarchies, to={"region": level})).value for level in (0, 1)]
    assert [row.values[0] for row in listed] == values


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"stubbornness": 9}, "goes with counts= or shape="),
        ({"counts": EARLIER, "known_people": 1}, "goes without known_people="),
        ({"counts": EARLIER, "predicates": "all subsets"}, "'all subsets'"),
        ({"counts": {"Flu": 3}}, "per label and value"),
        ({"shape": "uniform", "stubbornness": 9}, "per label and value"),
        ({"counts": {"North": {"Flu": 0, "Cold": 1}}}, "'Flu' in 'North' is 0; give at least 1"),
    ],
)
def test_what_makes_no_sense_is_refused(settings, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.PriorBelief(**settings, by="region")


@pytest.mark.parametrize(
    ("settings", "release", "complaint"),
    [
        ({"counts": EARLIER, "by": "regions"}, people("North", 1, 1), "did you mean 'region'"),
        ({"counts": EARLIER, "by": "region"}, people("Nord", 1, 1), "nothing about 'Nord'"),
        ({"counts": EARLIER, "by": "region"}, [("North", "Ulcer")], "misses 'Ulcer' in 'North'"),
        ({"shape": EARLIER, "stubbornness": 3, "by": "region"}, people("North", 1, 1), "at least 20"),
    ],
)
def test_a_prior_that_does_not_fit_the_release_is_refused(settings, release, complaint):
    with pytest.raises(BadMeasure, match=complaint):
        sl.PriorBelief(**settings).measure(town(release))


def test_weights_by_label_never_change():
    weights = WeightsByLabel(EARLIER)
    assert hash(weights) == hash(WeightsByLabel({"South": EARLIER["South"], "North": EARLIER["North"]}))
    assert weights.total == 2000
    assert weights.scale(Fraction(1, 2000)).smallest({"Flu", "Cold"}) == Fraction(1, 20)


def test_values_that_do_not_occur_leave_the_range_of_stubbornness_as_it_is():
    """With one label it is the same question as without the column, rare values elsewhere or not."""
    rows = pa.table({"region": ["North"] * 2, "disease": ["Flu", "Cold"]})
    release = sl.read_release(rows, group="region", sensitive="disease")
    shape = {"Flu": 10, "Cold": 9, "Yellow fever": 1}
    plain = sl.PriorBelief(shape=shape, stubbornness=1_000).measure(release)
    by_region = sl.PriorBelief(shape={"North": shape}, by="region", stubbornness=1_000).measure(release)
    assert by_region.value == plain.value
    assert by_region.witness.stubbornness == plain.witness.stubbornness == Fraction(20, 9)


def towns(*groups):
    """Groups that print a region and a number: several may print the same region."""
    rows = [
        (region, str(number), disease)
        for number, (region, *sick) in enumerate(groups, 1)
        for disease, count in zip(("Flu", "Cold"), sick, strict=True)
        for _ in range(count)
    ]
    regions, numbers, diseases = zip(*rows, strict=True)
    table = pa.table({"region": regions, "number": numbers, "disease": diseases})
    return sl.read_release(table, group=["region", "number"], sensitive="disease")


PRIORS = [
    PriorByColumn(("N", "S"), ("a", "b", "c"), ((F(2), F(3), F(1)), (F(4), F(1), F(0))), sure) for sure in (F(11), INF)
]
UNDER = [([0], 0), ([1], 1), ([0, 1], 0), ([0, 1], 1)]
COUNTS = [[1, 2], [4, 2], [0, 3], [2, 0], [1, 1]]
SETS = [[0], [1], [1, 2], [0, 2], [0, 1]]


def beliefs(counts, prior, under, place, values):
    """p_in(s | r) ∝ n_s · w(s), and p_out(s | r) ∝ (n_s − [s = v]) · w(s) · e + σ(r, s), of the worst v."""
    own, seen = prior.weights[place], [*counts, 0]
    covered = [sum(prior.weights[each][value] for each in under) for value in range(3)]
    w = [mine / total if total else F(0) for mine, total in zip(own, covered, strict=True)]

    def believed(weights):
        return sum(weights[value] for value in values) / sum(weights)

    def left_out(v):
        moved = prior.stubbornness != INF
        return believed([(n - (s == v)) * w[s] * moved + own[s] for s, n in enumerate(seen)])

    return believed([n * w[s] for s, n in enumerate(seen)]), min(left_out(v) for v in values if seen[v])


@pytest.mark.parametrize("prior", PRIORS)
@pytest.mark.parametrize(("under", "place"), UNDER)
@pytest.mark.parametrize("values", SETS)
def test_a_case_is_what_the_formulas_say_and_what_its_worlds_say(prior, under, place, values):
    for counts in COUNTS:
        if not any(counts[value] for value in values if value < 2):
            continue
        p_in, p_out = beliefs(counts, prior, under, place, values)
        epsilon, ratio, *found = exact_case(counts, prior, under, place, values)
        assert found == [p_in, p_out]
        if p_in < 1:
            belief, doubt = p_in / p_out, (1 - p_out) / (1 - p_in)
            assert (epsilon, ratio) == (max(belief, doubt), Ratio.BELIEF if belief >= doubt else Ratio.DOUBT)
        else:
            assert (epsilon, ratio) == ((1, Ratio.BELIEF) if p_out == 1 else (INF, Ratio.DOUBT))
        assert replay_case(counts, prior, under, place, values) == epsilon


THREE = PriorByColumn(("N", "S"), ("a", "b", "c"), ((F(2), F(3), F(1)), (F(4), F(1), F(2))), F(13))


@pytest.mark.parametrize(
    ("prior", "bags"),
    [*((each, COUNTS) for each in PRIORS), (THREE, [[1, 2, 1], [4, 0, 2], [0, 3, 1], [2, 0, 3], [0, 0, 1]])],
)
@pytest.mark.parametrize(("under", "place"), UNDER)
def test_floats_of_many_groups_are_the_exact_numbers_but_for_their_last_digits(prior, bags, under, place):
    sets = [*SETS, [2]]
    near = _epsilons(np.array(bags), prior, under, place, sets)
    for row, counts in enumerate(bags):
        for column, values in enumerate(sets):
            if any(counts[value] for value in values if value < len(counts)):
                exact = exact_case(counts, prior, under, place, values)[0]
                assert near[row, column] == pytest.approx(float(exact), rel=1e-12)
            else:
                assert math.isnan(near[row, column])


def test_of_groups_that_print_the_same_the_worst_speaks():
    groups = [("*", 3, 2), ("*", 1, 6), ("*", 2, 2), ("South", 3, 5)]
    measure = sl.PriorBelief(counts=EARLIER, by="region")
    alone = [measure.measure(towns(each)).value for each in groups]
    finding = measure.measure(towns(*groups))
    assert finding.value == max(alone)
    assert sorted(alone)[-2] < finding.value
    assert finding.witness.group.number == 1 + alone.index(max(alone))


@pytest.mark.parametrize("groups", [[("North", 9, 2), ("South", 2, 9)], [("South", 2, 9), ("North", 9, 2)]])
def test_of_equally_bad_groups_the_first_speaks(groups):
    """What is common in the north is as common in the south under another name."""
    finding = sl.PriorBelief(counts=EARLIER, by="region").measure(towns(*groups, *groups))
    assert finding.witness.group.number == 1


@pytest.mark.parametrize(("flu", "label", "value"), [((9, 2), "North", "Flu"), ((2, 9), "South", "Cold")])
def test_of_equally_bad_groups_that_print_the_same_the_first_speaks(flu, label, value):
    finding = sl.PriorBelief(counts=EARLIER, by="region").measure(towns(("*", *flu), ("*", *flu[::-1])))
    assert (finding.witness.group.number, finding.witness.label, finding.witness.value) == (1, label, value)


def test_of_equally_bad_labels_of_a_group_the_first_speaks():
    """A northerner's cold is as rare as a southerner's flu."""
    finding = sl.PriorBelief(counts=EARLIER, by="region").measure(towns(("*", 2, 2)))
    assert (finding.witness.label, finding.witness.value) == ("North", "Cold")
    north = sl.PriorBelief(counts=EARLIER, by="region", predicates=["Cold"]).measure(towns(("*", 2, 2)))
    south = sl.PriorBelief(counts=EARLIER, by="region", predicates=["Flu"]).measure(towns(("*", 2, 2)))
    assert north.value == south.value == finding.value


def test_of_groups_that_floats_cannot_tell_apart_the_worst_speaks():
    """Half of them have the Flu, ε = 1; of one group 10¹⁵ + 1 have: (1/2) / ((10¹⁵ − 1) / (2 · 10¹⁵))."""
    big = 10**15
    bags = [{"Flu": big, "Cold": big}] * 2 + [{"Flu": big + 1, "Cold": big - 1}]
    release = sl.Release.from_counts(bags, labels=[{"region": "North"}] * 3)
    half = sl.PriorBelief(shape={"North": {"Flu": 1, "Cold": 1}}, stubbornness=math.inf, by="region")
    finding = half.measure(release)
    assert (finding.value, finding.witness.group.number) == (Fraction(big, big - 1), 3)


def test_what_is_believed_less_is_below_one():
    """Of three northerners one has the Flu, which is 9 in 10 of what is expected of them."""
    release = town(people("North", 1, 2))
    unmoved = sl.PriorBelief(shape=EARLIER, stubbornness=math.inf, by="region", predicates=["Flu"]).measure(release)
    assert unmoved.value == max(Fraction(1, 3) / Fraction(9, 10), Fraction(1, 10) / Fraction(2, 3))


def test_no_group_at_all_has_no_worst():
    groups = town(people("North", 1, 2)).groups.take(slice(0, 0))
    worst = sl.PriorBelief(counts=EARLIER, by="region").summarize(groups).finding()
    assert (worst.value, worst.witness) == (1, None)


def test_a_large_group_is_replayed_too():
    release = town(people("*", 30, 20) + people("South", 25, 40))
    for settings in ({"counts": EARLIER}, {"shape": EARLIER, "stubbornness": math.inf}):
        finding = sl.PriorBelief(**settings, by="region", predicates=[["Flu"], ["not", "Flu"]]).measure(release)
        assert 1 < finding.value == finding.replay(release) < math.inf


@pytest.mark.parametrize("predicates", [(), [["not", "Flu"]], [["Cold"]]])
def test_what_is_known_of_another_label_alone_is_nothing_to_this_one(predicates):
    """The north has yellow fever and the south has not: of the south it is as if nobody had heard of it."""
    counts = {"North": {"Flu": 5, "Cold": 4, "Yellow fever": 3}, "South": {"Flu": 2, "Cold": 7}}
    release = town(people("South", 4, 2))
    plain = sl.PriorBelief(counts=counts["South"], predicates=predicates).measure(release)
    finding = sl.PriorBelief(counts=counts, by="region", predicates=predicates).measure(release)
    assert (finding.value, finding.witness.p_out) == (plain.value, plain.witness.p_out)


def test_the_ends_of_a_range_of_stubbornness():
    release = town(people("North", 1, 1))

    def ends(sure, least=None):
        belief = sl.PriorBelief(shape=EARLIER, by="region", stubbornness=sure, least_stubbornness=least)
        priors = belief.priors_by_column(release.groups)
        assert [sum(map(sum, each.weights)) for each in priors] == [
            1 if each.stubbornness == INF else each.stubbornness for each in priors
        ]
        return [each.stubbornness for each in priors]

    assert ends(4_000) == ends(4_000, "smallest") == [4_000, 20]  # 1 / the smallest share, 100 of 2,000
    assert ends(20) == [20]
    assert ends(4_000, "same") == ends(4_000, 4_000) == [4_000]
    assert ends(4_000, 30) == [4_000, 30]
    assert ends(4_000, 20) == [4_000, 20]
    assert ends(INF) == ends(INF, "same") == [INF]
    assert ends(INF, "smallest") == [INF, 20]
    assert ends(INF, 30) == [INF, 30]
    (seen,) = sl.PriorBelief(counts=EARLIER, by="region").priors_by_column(release.groups)
    assert (seen.labels, seen.domain, seen.stubbornness) == (("North", "South"), ("Cold", "Flu"), 2_000)
    assert seen.weights == ((100, 900), (900, 100))
    assert (PRIORS[0].evidence, PRIORS[1].evidence) == (1, 0)


def test_a_printed_label_covers_itself_alone_or_all_that_it_reads_as():
    prior = PriorByColumn(("1*", "12", "30"), ("a",), ((F(1),),) * 3, F(3))
    assert [prior.find_labels(printed) for printed in ("1*", "12", "{12, 30}", "*")] == [[0], [1], [1, 2], [0, 1, 2]]


def test_nobody_has_what_is_asked_about():
    release = town(people("North", 2, 2), domain=["Flu", "Cold", "Ulcer"])
    finding = sl.PriorBelief(counts=EARLIER, by="region", apart_from=["Flu", "Cold"]).measure(release)
    assert (finding.value, finding.witness) == (1, None)


WANTED = ["by", "per label and value", '{"North": {"Flu": 12, "Cold": 30}, "South": {…}}']


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"counts": {"Flu": 3}}, WANTED),
        ({"counts": {"North": {"Flu": 3}, "South": 4}}, WANTED),
        ({"counts": {}}, WANTED),
        ({"shape": {}, "stubbornness": 9}, WANTED),
        ({"shape": "uniform", "stubbornness": 9}, WANTED),
        ({"counts": {"North": {"Flu": 1, "Cold": 0.5}}}, ["'Cold' in 'North'", "1/2", "at least 1"]),
        (
            {"shape": {"North": {"Flu": 0, "Cold": 0.5}}, "stubbornness": 9},
            ["'Flu' in 'North'", 0, "more than 0"],
        ),
    ],
)
def test_weights_that_cannot_be_used_are_named(settings, named):
    with pytest.raises(BadMeasure) as error:
        sl.PriorBelief(**settings, by="region")
    assert mentions(error.value, *named)


@pytest.mark.parametrize(
    ("settings", "release", "named"),
    [
        (
            {"counts": EARLIER, "by": "regions"},
            people("North", 1, 1),
            ["by='regions'", "no column", "release prints", "'region'"],
        ),
        (
            {"counts": EARLIER, "by": "region"},
            people("Norht", 1, 1),
            ["nothing", "'Norht'", "counts", "'North'"],
        ),
        (
            {"counts": EARLIER, "by": "region"},
            [("North", "Ulcer")],
            ["misses", "'Ulcer' in 'North'", "count"],
        ),
        (
            {"shape": EARLIER, "stubbornness": 19, "by": "region"},
            people("North", 1, 1),
            ["less than 1 answer", "stubbornness", "at least 20"],
        ),
        (
            {"shape": EARLIER, "stubbornness": 30, "least_stubbornness": 19, "by": "region"},
            people("North", 1, 1),
            ["less than 1 answer", "stubbornness", "at least 20"],
        ),
    ],
)
def test_what_does_not_fit_the_release_is_named(settings, release, named):
    with pytest.raises(BadMeasure) as error:
        sl.PriorBelief(**settings).measure(town(release))
    assert mentions(error.value, *named)


def test_groups_that_print_nothing_are_named():
    with pytest.raises(BadMeasure) as error:
        find_printed_column([], "region")
    assert mentions(error.value, "by='region'", "groups that print it", "search without it")
