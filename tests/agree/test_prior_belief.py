"""Prior belief, the vectorised way, against the sum over all sequences of values and against the printed formulas."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st
from support.examples import examples

import sidelight as sl
from sidelight.measures.epsilon_privacy.worst_case import epsilon_of_beliefs
from sidelight.measures.targets import Predicate
from sidelight.testing import releases
from sidelight.worlds.brute_force import (
    dirichlet_prior,
    independent_prior,
    smallest_epsilon_by_cell,
    smallest_epsilon_of_group,
)

weights = st.integers(1, 12) | st.fractions(1, 12, max_denominator=5)


@st.composite
def questions(draw, domain):
    """Predicates about a domain as (what is given to the measure, what each one asks); without any, every value."""
    if draw(st.booleans()):
        return (), [{value} for value in domain]
    chosen = draw(
        st.lists(st.tuples(st.sets(st.sampled_from(domain), min_size=1), st.booleans()), min_size=1, max_size=3)
    )
    given_ = [Predicate.none_of(*values) if turned else Predicate.any_of(*values) for values, turned in chosen]
    return given_, [set(domain) - values if turned else values for values, turned in chosen]


def bags(release):
    counts = release.groups.counts.dense().tolist()
    return [dict(zip(release.domain, row, strict=True)) for row in counts]


def used(release):
    return [value for value, count in zip(release.domain, release.groups.whole.tolist(), strict=True) if count]


def worst(candidates):
    values = [each for each in candidates if each is not None]
    return max(values, default=1)


def by_sequences(release, value_sets, chance, known):
    return worst(
        smallest_epsilon_of_group(
            bag, release.domain, lambda value, value_set=value_set: value in value_set, prior=chance, known=known
        )
        for bag in bags(release)
        for value_set in value_sets
    )


@examples(24)
@given(st.data())
def test_class_one_is_the_sum_over_all_sequences(data):
    release = data.draw(releases(semantics="single", max_groups=2, max_people=4, max_values=3))
    predicates, value_sets = data.draw(questions(release.domain))
    known = data.draw(st.integers(0, 3))
    prior = {value: Fraction(data.draw(weights)) for value in release.domain}
    measure = sl.PriorBelief(counts=prior, known_people=known, predicates=predicates)
    finding = measure.measure(release)
    assert finding.value == by_sequences(release, value_sets, dirichlet_prior(prior), known)
    assert finding.replay(release) == finding.value


@examples(12)
@given(st.data())
def test_class_one_at_most_is_the_worst_sum_over_all_sequences_of_many_in_between(data):
    release = data.draw(releases(semantics="single", max_groups=2, max_people=3, max_values=3))
    predicates, value_sets = data.draw(questions(release.domain))
    known = data.draw(st.integers(0, 2))
    drawn = {value: Fraction(data.draw(weights)) for value in release.domain}
    shares = {value: weight / sum(drawn.values()) for value, weight in drawn.items()}
    least = 1 / min(shares[value] for value in used(release))
    most = least + data.draw(st.fractions(0, 40, max_denominator=3))
    between = [least + (most - least) * Fraction(step, 4) for step in range(5)]
    chances = [dirichlet_prior({value: share * sure for value, share in shares.items()}) for sure in between]
    measure = sl.PriorBelief(shape=shares, stubbornness=most, known_people=known, predicates=predicates)
    finding = measure.measure(release)
    assert finding.value == max(by_sequences(release, value_sets, chance, known) for chance in chances)
    assert finding.replay(release) == finding.value


@examples(16)
@given(st.data())
def test_class_three_is_the_sum_over_all_sequences(data):
    release = data.draw(releases(semantics="single", max_groups=2, max_people=4, max_values=3))
    predicates, value_sets = data.draw(questions(release.domain))
    known = data.draw(st.integers(0, 3))
    given_ = {value: Fraction(data.draw(weights)) for value in release.domain}
    shares = {value: weight / sum(given_.values()) for value, weight in given_.items()}
    measure = sl.PriorBelief(shape=given_, stubbornness=math.inf, known_people=known, predicates=predicates)
    assert measure.measure(release).value == by_sequences(release, value_sets, independent_prior(shares), known)


@examples(10)
@given(st.data())
def test_class_two_is_the_worst_shape_in_whole_numbers(data):
    release = data.draw(releases(semantics="single", max_groups=2, max_people=3, max_values=3))
    assume(len(release.domain) > 1)
    predicates, value_sets = data.draw(questions(release.domain))
    assume(all(len(value_set) < len(release.domain) for value_set in value_sets))
    known, stubbornness = data.draw(st.integers(0, 2)), data.draw(st.integers(len(release.domain), 6))
    shapes = [
        shape for shape in product(range(1, stubbornness), repeat=len(release.domain)) if sum(shape) == stubbornness
    ]
    measure = sl.PriorBelief(stubbornness=stubbornness, known_people=known, predicates=predicates)
    assert measure.measure(release).value == max(
        by_sequences(
            release, value_sets, dirichlet_prior(dict(zip(release.domain, map(Fraction, shape), strict=True))), known
        )
        for shape in shapes
    )


def by_formula(release, value_sets, own, total, known):
    """The spec's formulas, one group and one set of values after the other; `own` gives σ(P), total None is infinite."""
    ratios = []
    for bag in bags(release):
        people = sum(bag.values())
        for value_set in value_sets:
            with_it = sum(bag[value] for value in value_set)
            if with_it == 0:
                continue
            p_in = Fraction(with_it, people - min(known, people - with_it))
            p_out = own(value_set) if total is None else Fraction(with_it + own(value_set) - 1) / (people + total - 1)
            if p_in < 1:
                ratios.append(max(p_in / p_out, (1 - p_out) / (1 - p_in)))
            else:
                ratios.append(math.inf if p_out < 1 else Fraction(1))
    return max(ratios, default=1)


adversaries = st.sampled_from(["counts", "uniform", "release", "any", "uniform forever", "release forever"])


@examples(120)
@given(st.data())
def test_every_class_is_its_formula(data):
    release = data.draw(releases(semantics="single", max_groups=5, max_people=12, max_values=5))
    domain, whole = release.domain, dict(zip(release.domain, release.groups.whole.tolist(), strict=True))
    predicates, value_sets = data.draw(questions(domain))
    known = data.draw(st.integers(0, 13))
    sure = data.draw(st.integers(100, 10**7) | st.fractions(100, 1000, max_denominator=7))
    kind = data.draw(adversaries)
    exactly = data.draw(st.booleans())
    share = {
        "uniform": lambda value: Fraction(1, len(domain)),
        "release": lambda value: Fraction(whole[value], release.size),
    }
    more = {"known_people": known, "predicates": predicates}
    if kind == "counts":
        prior = {value: data.draw(weights) for value in domain}
        measure, total = sl.PriorBelief(counts=prior, **more), sum(prior.values())

        def own(value_set):
            return sum(prior[value] for value in value_set)

    elif kind == "any":
        measure, total, own = sl.PriorBelief(stubbornness=sure, **more), sure, len
    else:
        shape, forever = kind.partition(" ")[0], kind.endswith("forever")
        least = {"least_stubbornness": "same"} if exactly else {}
        measure = sl.PriorBelief(shape=shape, stubbornness=math.inf if forever else sure, **least, **more)
        total = None if forever else sure

        def own(value_set, times=1 if forever else sure):
            return times * sum(share[shape](value) for value in value_set)

    expected = by_formula(release, value_sets, own, total, known)
    if kind in ("uniform", "release") and not exactly:  # at most: the other end
        least = 1 / min(share[kind](value) for value in domain if whole[value])
        expected = max(expected, by_formula(release, value_sets, lambda each: own(each, least), least, known))
    finding = measure.measure(release)
    assert finding.value == expected
    assert finding.replay(release) == finding.value
    if finding.witness is not None:
        scores = measure.scores(release.groups)
        row = finding.witness.group.number - 1
        alone = release.groups.take(slice(row, row + 1))
        assert measure.summarize(alone).finding().value == finding.value
        assert math.isinf(scores[row]) if finding.value == math.inf else math.isclose(scores[row], finding.value)


@examples(100)
@given(st.data())
def test_all_subsets_are_all_subsets(data):
    """The twin asks about each of the sets of values, one by one."""
    release = data.draw(releases(semantics="single", max_groups=3, max_people=9, max_values=4))
    domain, rule = release.domain, data.draw(st.sampled_from(["definition", "closed conditions"]))
    kind, known = data.draw(adversaries), data.draw(st.integers(0, 5))
    if kind == "counts":
        belief = {"counts": {value: data.draw(weights) for value in domain}}
    else:
        shape = {} if kind == "any" else {"shape": kind.partition(" ")[0]}
        belief = shape | {"stubbornness": math.inf if kind.endswith("forever") else data.draw(st.integers(40, 10**4))}
    every = [list(each) for size in range(1, len(domain)) for each in combinations(domain, size)]
    one_by_one = sl.PriorBelief(**belief, known_people=known, predicates=every or [domain], decided_by=rule)
    finding = sl.PriorBelief(**belief, known_people=known, predicates="all subsets", decided_by=rule).measure(release)
    assert finding.value == one_by_one.measure(release).value
    assert finding.replay(release) == finding.value


def accepted_by_the_paper(release, own, total, known, epsilon):
    """Theorems 1 to 3 word for word: `own` is σ(s) of a value (a share in class III, where total is None)."""
    for bag in bags(release):
        people = sum(bag.values()) - known  # N
        for value, with_it in bag.items():
            if with_it == 0:
                continue
            if people <= 0:
                return False
            share = Fraction(with_it, people)
            if total is None:
                first = share <= epsilon * own(value)
                second = share <= 1 - (1 - own(value)) / epsilon
            else:
                strength = total + known  # Σ
                delta, prime = (epsilon - 1) * Fraction(people) / strength, epsilon * (1 - Fraction(1) / strength)
                rest = Fraction(own(value) - 1) / strength
                first = (epsilon > 1 and people >= strength / (epsilon - 1)) or (
                    delta < 1 and share <= epsilon / (1 - delta) * rest
                )
                second = prime + delta > 0 and share <= 1 - 1 / (prime + delta) + rest / (prime + delta)
            if not (first and second):
                return False
    return True


@examples(120)
@given(st.data())
def test_the_closed_conditions_are_those_of_the_paper_and_never_accept_what_the_definition_refuses(data):
    release = data.draw(releases(semantics="single", max_groups=4, max_people=10, max_values=4))
    domain, known = release.domain, data.draw(st.integers(0, 6))
    kind = data.draw(st.sampled_from(["I", "II", "III"]))
    prior = {value: Fraction(data.draw(st.integers(1, 40))) for value in domain}
    total = sum(prior.values())
    if kind == "I":
        settings_, own, size = {"counts": prior}, prior.get, total
    elif kind == "II":
        settings_, own, size = {"stubbornness": total}, (lambda _: Fraction(1)), total
    else:
        settings_, own, size = {"shape": prior, "stubbornness": math.inf}, (lambda value: prior[value] / total), None
    closed = sl.PriorBelief(**settings_, known_people=known, decided_by="closed conditions").measure(release)
    exact = sl.PriorBelief(**settings_, known_people=known).measure(release)
    assert closed.value >= exact.value
    assert closed.replay(release) == closed.value
    for epsilon in {
        Fraction(3, 2),
        Fraction(4),
        Fraction(1001, 1000),
        exact.value,
        closed.value,
        closed.value * Fraction(999, 1000),
    }:
        if 1 <= epsilon < math.inf:
            assert accepted_by_the_paper(release, own, size, known, Fraction(epsilon)) == (closed.value <= epsilon)


@st.composite
def people_with_wishes(draw):
    """A few people as (group, disease, wish); some wish for nothing."""
    person = st.tuples(st.sampled_from("12"), st.sampled_from("abc"), st.sampled_from([None, "a", "b", "ab"]))
    asked = draw(st.lists(person, min_size=1, max_size=4))
    return [*asked, *(("3", value, None) for value in "abc")]  # who wishes nothing, so that every value is there


@examples(24)
@given(people_with_wishes(), st.integers(0, 3), st.sampled_from(["counts", "uniform", "unmoved"]))
def test_what_people_wish_is_the_worst_over_all_of_them(people, known, kind):
    """The twin asks about one person after the other, by all sequences of values of their group."""
    zips, diseases, wishes = zip(*people, strict=True)
    rows = pa.table({"zip": zips, "disease": diseases, "wish": pa.array(wishes, pa.string())})
    release = sl.read_release(rows, group="zip", sensitive=["disease", "wish"], missing="a value")
    domain = sorted(set(diseases))
    sets = {"a": {"a"}, "b": {"b"}, "ab": {"a", "b"}}
    prior = {value: Fraction(2 + place) for place, value in enumerate(domain)}
    shares = {value: weight / sum(prior.values()) for value, weight in prior.items()}
    belief, chance = {
        "counts": ({"counts": prior}, dirichlet_prior(prior)),
        "uniform": (
            {"shape": "uniform", "stubbornness": 12, "least_stubbornness": "same"},
            dirichlet_prior(dict.fromkeys(domain, Fraction(12, len(domain)))),
        ),
        "unmoved": ({"shape": prior, "stubbornness": math.inf}, independent_prior(shares)),
    }[kind]
    measure = sl.PriorBelief(**belief, known_people=known, wishes="wish", predicates={"ab": ["a", "b"]})
    candidates = []
    for group, disease, wish in people:
        bag = Counter(value for zip_, value, _ in people if zip_ == group)
        if wish is not None and any(bag[value] for value in sets[wish]):
            candidates.append(
                smallest_epsilon_of_group(
                    bag,
                    tuple(domain),
                    sets[wish].__contains__,
                    prior=chance,
                    known=known,
                    matches=disease in sets[wish],
                )
            )
    finding = measure.measure(release)
    assert finding.value == worst(candidates)
    assert finding.replay(release) == finding.value


@examples(24)
@given(st.data())
def test_a_prior_by_column_is_the_sum_over_all_sequences_of_cells(data):
    """The twin draws people from cells (region, value), and knows the region of the one who is asked about."""
    person = st.tuples(st.sampled_from(["r", "{r, t}", "*"]), st.sampled_from("ab"))
    people = data.draw(st.lists(person, min_size=1, max_size=3))
    regions, values = zip(*people, strict=True)
    rows = pa.table({"region": regions, "disease": values})
    release = sl.read_release(rows, group="region", sensitive="disease")
    prior = {region: {value: Fraction(data.draw(weights)) for value in release.domain} for region in "rt"}
    unmoved = data.draw(st.booleans())
    belief = {"shape": prior, "stubbornness": math.inf} if unmoved else {"counts": prior}
    predicates = data.draw(st.sampled_from([(), [list(release.domain)]]))
    finding = sl.PriorBelief(**belief, by="region", predicates=predicates).measure(release)
    candidates = []
    for printed in set(regions):
        covered = ["r"] if printed == "r" else ["r", "t"]
        bag = Counter(value for region, value in people if region == printed)
        cells = {(region, value): prior[region][value] for region in covered for value in release.domain}
        asked = [set(release.domain)] if predicates else [{value} for value in bag]
        candidates += [
            smallest_epsilon_by_cell(bag, cells, region, value_set, unmoved=unmoved)
            for region in covered
            for value_set in asked
        ]
    assert finding.value == max(candidates)
    assert finding.replay(release) == finding.value


@examples(20)
@given(st.data())
def test_ruling_values_out_is_the_worst_sum_over_all_sequences_without_them(data):
    release = data.draw(releases(semantics="single", max_groups=2, max_people=4, max_values=3))
    prior = {value: Fraction(data.draw(weights)) for value in release.domain}
    known, ruling = data.draw(st.integers(0, 2)), data.draw(st.integers(1, 2))
    finding = sl.PriorBelief(counts=prior, known_people=known, rules_out=ruling).measure(release)
    candidates = [
        smallest_epsilon_of_group(
            bag, release.domain, {value}.__contains__, prior=dirichlet_prior(prior), known=known, ruled_out=ruled_out
        )
        for bag in bags(release)
        for value in release.domain
        for size in range(ruling + 1)
        for ruled_out in combinations([other for other in release.domain if other != value], size)
    ]
    assert finding.value == worst(candidates)
    assert finding.replay(release) == finding.value


def by_every_negation(bag, prior, value, number):
    """The worst that up to so many negations about anybody do: p_in over all worlds, p_out by what they say of the one left out."""
    domain, people = sorted(bag), sum(bag.values())
    worlds = set(permutations([text for text in domain for _ in range(bag[text])]))
    facts = list(product(range(people), domain))
    others = Counter(bag) - Counter([value])
    worst = Fraction(0)
    for size in range(number + 1):
        for known in combinations(facts, size):
            left = [world for world in worlds if all(world[person] != text for person, text in known)]
            having = sum(world[0] == value for world in left)
            if having:
                ruled_out = {text for person, text in known if person == 0}
                p_in = Fraction(having, len(left))
                total = sum(others[text] + prior[text] for text in domain if text not in ruled_out)
                worst = max(worst, epsilon_of_beliefs(p_in, Fraction(others[value] + prior[value]) / total))
    return worst


@examples(12)
@given(st.data())
def test_negations_are_covered_by_values_ruled_out_and_people_known(data):
    """Of k negations, ℓ are about the person and the others tell less than k − ℓ people's values (decision record 7)."""
    bag = Counter(data.draw(st.lists(st.sampled_from("abc"), min_size=2, max_size=4)))
    prior = {value: Fraction(data.draw(weights)) for value in bag}
    number = data.draw(st.integers(0, 3))
    release = sl.Release.from_counts([bag])
    covered = max(
        sl.PriorBelief(counts=prior, rules_out=ruled, known_people=number - ruled).measure(release).value
        for ruled in range(number + 1)
    )
    assert max(by_every_negation(bag, prior, value, number) for value in bag) <= covered


def test_negations_are_no_simple_sum_of_those_about_the_person_and_those_about_the_value():
    """Who is not a, and whose neighbour is neither a nor s, has s: three negations that no shortcut of ours finds."""
    bag, prior = {"a": 3, "b": 1, "s": 1}, dict.fromkeys("abs", Fraction(5))
    assert by_every_negation(bag, prior, "s", 2) < math.inf
    assert by_every_negation(bag, prior, "s", 3) == math.inf


def test_an_implication_is_not_covered():
    """Decision record 7: "if I have b, my neighbour has b" does more than a value ruled out or a person known."""
    bag, prior = {"b": 2, "c": 2}, {"b": Fraction(2), "c": Fraction(2)}
    worlds = {world for world in permutations("bbcc") if world[0] != "b" or world[1] == "b"}
    p_in = Fraction(sum(world[0] == "c" for world in worlds), len(worlds))
    one_more = {value: (Counter("bbc")[value] + weight) / (3 + sum(prior.values())) for value, weight in prior.items()}
    without = [
        (own, one_more[own]) for others in set(permutations("bbc")) for own in prior if own != "b" or others[0] == "b"
    ]
    p_out = sum(chance for own, chance in without if own == "c") / sum(chance for _, chance in without)
    release = sl.Release.from_counts([bag])
    covered = max(sl.PriorBelief(counts=prior, rules_out=n, known_people=1 - n).measure(release).value for n in (0, 1))
    assert (epsilon_of_beliefs(p_in, p_out), covered) == (Fraction(32, 17), Fraction(12, 7))
