"""Maximum entropy agrees with a slow, obvious twin: everybody has variables of their own, and one dual of all of it."""

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from support.examples import examples
from support.largest_entropy import amounts_of_largest_entropy

import sidelight as sl
from sidelight.errors import BadKnowledge, Contradiction
from sidelight.knowledge.events import ConditionalProbability, Headcount
from sidelight.knowledge.statements import P, count
from sidelight.max_entropy.maxent import maxent

SEX, TOWN, VALUES = ("m", "f"), ("x", "y"), ("a", "b", "c")


class Twin:
    """P(person, value, group) for every single person, with a name; no quotient is taken, nothing is cut apart or presolved."""

    def __init__(self, buckets, named):
        self.buckets, self.named = buckets, named
        lines = [tuple(sorted(line.items())) for people, _ in buckets for line in people]
        self.lines = lines
        anonymous = Counter(lines) - Counter(tuple(sorted(says.items())) for says in named.values())
        self.people = [(name, tuple(sorted(says.items()))) for name, says in named.items()]
        self.people += [(None, line) for line, times in anonymous.items() for _ in range(times)]
        self.size = len(lines)
        self.in_bucket = [Counter(tuple(sorted(line.items())) for line in people) for people, _ in buckets]
        self.bags = [Counter(bag) for _, bag in buckets]
        self.variables = [
            (i, line, value, b)
            for i, (_, line) in enumerate(self.people)
            for b, there in enumerate(self.in_bucket)
            if line in there
            for value in self.bags[b]
        ]
        self.equal, self.equal_to = self._release()

    def _sum(self, selects):
        return np.array([1.0 if selects(*variable) else 0.0 for variable in self.variables])

    def _release(self):
        sums = [(self._sum(lambda i, q, s, b, me=me: i == me), 1) for me in range(len(self.people))]
        for bucket, there in enumerate(self.in_bucket):
            for line, times in there.items():
                sums.append((self._sum(lambda i, q, s, b, at=(line, bucket): (q, b) == at), times))
            for value, times in self.bags[bucket].items():
                sums.append((self._sum(lambda i, q, s, b, at=(value, bucket): (s, b) == at), times))
        return np.array([each for each, _ in sums]), np.array([total for _, total in sums], float)

    def _share(self, share):
        if share.person is not None:
            me = [name for name, _ in self.people].index(share.person)
            return self._sum(lambda i, q, s, b: i == me and s in share.values), 1
        says = set(share.given)
        size = sum(says <= set(line) for line in self.lines)
        return self._sum(lambda i, q, s, b: says <= set(q) and s in share.values), size

    def bounded_sum(self, statement):
        """(coefficients, low, high) or None when it is about nobody."""
        if len(statement.terms) == 2:
            (one, n), (other, m) = (self._share(share) for _, share in statement.terms)
            if not n or not m:
                return None
            return one / n - other / m, (0.0 if statement.exact else -np.inf), 0.0
        if isinstance(statement.about, Headcount):
            parts = [
                self._share(ConditionalProbability(statement.about.values, (), who))[0]
                for who in statement.about.people
            ]
            return sum(parts), float(statement.low), float(statement.high)
        one, n = self._share(statement.about)
        return (one / n, float(statement.low), float(statement.high)) if n else None

    def _program(self, statements):
        bounded_sums = [each for each in map(self.bounded_sum, statements) if each is not None]
        exact = [each for each in bounded_sums if each[1] == each[2]]
        loose = [each for each in bounded_sums if each[1] != each[2]]
        equal = np.vstack([self.equal, *(row for row, _, _ in exact)])
        equal_to = np.append(self.equal_to, [low for _, low, _ in exact])
        upper = [(row, high) for row, _, high in loose if high < np.inf]
        lower = [(-row, -low) for row, low, _ in loose if low > -np.inf]
        most = np.array([row for row, _ in upper + lower]).reshape(-1, len(self.variables))
        return equal, equal_to, most, np.array([bound for _, bound in upper + lower])

    def _linear(self, statements, goal):
        equal, equal_to, most, bound = self._program(statements)
        return linprog(
            goal, A_eq=equal, b_eq=equal_to, A_ub=most if len(most) else None, b_ub=bound if len(most) else None
        )

    def can_be(self, statements):
        return self._linear(statements, np.zeros(len(self.variables))).status == 0

    def solve(self, statements):
        """Drop what can only be 0, one LP each; then the dual by a general method."""
        none = np.zeros(len(self.variables))
        keep = []
        for v in range(len(self.variables)):
            none[v] = -1
            keep.append(-self._linear(statements, none).fun > 1e-7)
            none[v] = 0
        equal, equal_to, most, bound = self._program(statements)
        right = np.append(equal_to, bound)
        return amounts_of_largest_entropy(np.vstack([equal, most]), right, equalities=len(equal), keep=np.array(keep))

    def surest(self, amounts):
        """The largest probability of anybody, by name or not, for any value."""
        beliefs = Counter()
        for (person, _, value, _), amount in zip(self.variables, amounts, strict=True):
            beliefs[person, value] += amount
        return max(beliefs.values())

    def joint(self, amounts):
        together = Counter()
        for (_, line, value, bucket), amount in zip(self.variables, amounts, strict=True):
            together[line, value, bucket] += amount / self.size
        return together


@st.composite
def cases(draw):
    line = st.fixed_dictionaries({"sex": st.sampled_from(SEX), "town": st.sampled_from(TOWN)})
    person = st.tuples(line, st.sampled_from(VALUES), st.sampled_from(VALUES))
    truth = draw(st.lists(st.lists(person, min_size=1, max_size=3), min_size=1, max_size=3))
    second = [draw(st.permutations([value for _, value, _ in people])) for people in truth]
    people = [
        (b, says, value, other)
        for b, (bucket, again) in enumerate(zip(truth, second, strict=True))
        for (says, value, _), other in zip(bucket, again, strict=True)
    ]
    buckets = [([says for says, _, _ in bucket], [value for _, value, _ in bucket]) for bucket in truth]
    who = draw(st.lists(st.integers(0, len(people) - 1), max_size=3, unique=True))
    named = {f"N{i}": people[i][1] for i in who}
    return buckets, named, {f"N{i}": people[i] for i in who}, people


def true_share(people, share, truth):
    if share.person is not None:
        chosen = [truth[share.person]]
    else:
        chosen = [each for each in people if set(share.given) <= set(each[1].items())]
    if not chosen:
        return None
    return sum((value in share.values) + (other in share.values) for _, _, value, other in chosen) / (2 * len(chosen))


@st.composite
def statements(draw, case, *, true):
    _, named, truth, people = case
    values = st.lists(st.sampled_from(sorted({each[2] for each in people})), min_size=1, max_size=2, unique=True)
    given_ = st.fixed_dictionaries(
        {},
        optional={name: st.sampled_from(sorted({says[name] for _, says, _, _ in people})) for name in ("sex", "town")},
    )
    drawn = []
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["share", "compare", "person", "count"] if named else ["share", "compare"]))
        if kind == "count":
            who = draw(st.lists(st.sampled_from(sorted(named)), min_size=1, unique=True))
            chosen = draw(values)
            about = count(chosen, *who)
            share = sum(true_share(people, ConditionalProbability(tuple(chosen), (), each), truth) for each in who)
            drawn.append(bounded(draw, about, share, len(who), true))
        elif kind == "compare":
            one, other = (P(draw(values), given=draw(given_)) for _ in range(2))
            first, second = (true_share(people, each.about, truth) for each in (one, other))
            if first is not None and second is not None:
                swap = true and first > second
                drawn.append(other <= one if swap else one == other if true and first == second else one <= other)
        else:
            about = (
                P(draw(values), person=draw(st.sampled_from(sorted(named))))
                if kind == "person"
                else P(draw(values), given=draw(given_))
            )
            share = true_share(people, about.about, truth)
            drawn.append(bounded(draw, about, 0.5 if share is None else share, 1, true))
    return drawn


def bounded(draw, about, share, most, true):
    number = share if true else draw(st.sampled_from([0, 0.25, 0.5, 1])) * most
    low, high = (draw(st.sampled_from([0, 0.1, 0.3])) for _ in range(2))
    how = draw(st.sampled_from(["=", "<=", ">=", "between"]))
    if how == "=":
        return about == number
    if how == "<=":
        return about <= min(number + high, most)
    if how == ">=":
        return about >= max(number - low, 0)
    return about.between(max(number - low, 0), min(number + high, most))


def joint(beliefs):
    probabilities = Counter()
    for row in beliefs.table().to_pylist():
        line = tuple(sorted((name, row[name]) for name in ("sex", "town")))
        probabilities[line, row["value"], row["group"] - 1] += row["probability"]
    return probabilities


def agree(case, known):
    buckets, named, _, _ = case
    twin = Twin(buckets, named_in(known, named))
    beliefs = maxent(sl.Release.from_buckets(buckets), known, people=named)
    amounts = twin.solve(known)
    expected = twin.joint(amounts)
    probabilities = joint(beliefs)
    assert beliefs.certificate.holds
    assert beliefs.riskiest(1)[0].probability == pytest.approx(twin.surest(amounts), abs=5e-5 * twin.size)
    assert sum(probabilities.values()) == pytest.approx(1, abs=1e-9)
    for place in expected:
        assert probabilities[place] == pytest.approx(expected[place], abs=2e-5), place
    assert set(probabilities) <= set(expected) | {place for place, amount in probabilities.items() if amount < 1e-9}
    return beliefs


def named_in(known, named):
    mentioned = set()
    for statement in known:
        for _, about in statement.terms:
            mentioned |= set(about.people) if isinstance(about, Headcount) else {about.person} - {None}
    return {name: line for name, line in named.items() if name in mentioned}


@examples(16)
@given(st.data())
def test_true_statements(data):
    case = data.draw(cases())
    agree(case, data.draw(statements(case, true=True)))


@examples(12)
@given(st.data())
def test_true_statements_about_many_individuals(data):
    """What is true in each of two worlds, of anybody and everybody: certain, ruled out, or true in one of them."""
    buckets, _, _, people = data.draw(cases())
    named = {f"N{at}": says for at, (_, says, _, _) in enumerate(people)}
    truth = {f"N{at}": each for at, each in enumerate(people)}
    values = sorted({value for _, _, value, _ in people})
    known = []
    for name in data.draw(st.lists(st.sampled_from(sorted(named)), unique=True)):
        about = P(data.draw(st.sampled_from(values)), person=name)
        known.append(bounded(data.draw, about, true_share(people, about.about, truth), 1, true=True))
    case = buckets, named, truth, people
    agree(case, known + data.draw(statements(case, true=True)))


@pytest.mark.parametrize("seed", [3, 95, 227])
def test_twenty_five_people_with_nineteen_true_facts(seed):
    chance = np.random.default_rng(seed)
    buckets = [
        ([{"sex": "m", "town": str(chance.integers(6))} for _ in range(5)], list(map(str, chance.permutation(8)[:5])))
        for _ in range(5)
    ]
    everybody = [each for lines, values in buckets for each in zip(lines, values, strict=True)]
    who = chance.permutation(25)[:19].tolist()
    named = {f"N{at}": everybody[at][0] for at in who}
    known = [P(everybody[at][1], person=f"N{at}") == 1 for at in who]
    beliefs = maxent(sl.Release.from_buckets(buckets), known, people=named)
    assert beliefs.certificate.holds
    assert all(beliefs.probability(everybody[at][1], person=f"N{at}") == 1 for at in who)


def test_a_contradiction_of_two_among_many_true_facts_is_named():
    lines = [[{"sex": "m", "town": f"{group}{at}"} for at in range(5)] for group in range(5)]
    release = sl.Release.from_buckets([(bucket, list("abcde")) for bucket in lines])
    named = {f"N{group}{at}": lines[group][at] for group in range(5) for at in range(5)}
    true = [P("abcde"[int(name[2])], person=name) == 1 for name in list(named)[:19]]
    assert maxent(release, true, people=named).certificate.holds
    another = P("a", person="N34") >= 0.5  # N30 has it, and there is no other
    with pytest.raises(Contradiction) as caught:
        maxent(release, [*true, another], people=named)
    assert set(caught.value.facts) == {str(P("a", person="N30") == 1), str(another)}


@examples(40)
@given(st.integers(0, 10**9), st.integers(1, 3), st.sampled_from([3, 12, 40]), st.sampled_from([2, 5, 20]))
def test_true_statements_of_all_mixes_are_always_solved(seed, worlds, groups, towns):
    """Anybody may be named; what is stated is true on average over some worlds, so that it can all hold."""
    chance = np.random.default_rng(seed)
    buckets, averages = [], []  # of each person: the line, and the value in every world
    for _ in range(chance.integers(1, groups + 1)):
        size = int(chance.integers(1, 7))
        lines = [{"sex": "m", "town": str(chance.integers(towns))} for _ in range(size)]
        values = chance.choice(list("abcde"), size)
        buckets.append((lines, values.tolist()))
        averages += zip(lines, np.stack([chance.permutation(values) for _ in range(worlds)], axis=1), strict=True)
    domain = sorted({value for _, values in buckets for value in values})

    def stated(about, values, of):
        share = Fraction(sum(int(np.isin(each, values).sum()) for each in of), worlds * len(of))
        slack = Fraction(int(chance.integers(3)), 10)
        bounds = [about == share, about == share, about <= min(share + slack, 1), about >= max(share - slack, 0)]
        return bounds[chance.integers(4)]

    named = {
        f"N{at}": averages[at][0] for at in chance.permutation(len(averages))[: chance.integers(len(averages) + 1)]
    }
    known = []
    for name in named:
        own = averages[int(name[1:])][1]
        value = str(own[0]) if chance.random() < 0.7 else str(chance.choice(domain))
        known.append(stated(P(value, person=name), [value], [own]))
    for town in {line["town"] for line, _ in averages}:
        if chance.random() < 0.3:
            values = sorted(set(chance.choice(domain, 2).tolist()))
            of = [own for line, own in averages if line["town"] == town]
            known.append(stated(P(values, town=town), values, of))
    beliefs = maxent(sl.Release.from_buckets(buckets), known, people=named)
    assert beliefs.certificate.holds
    assert beliefs.undecided == 0


@examples(16)
@given(st.data())
def test_any_statements(data):
    case = data.draw(cases())
    known = data.draw(statements(case, true=False))
    twin = Twin(case[0], named_in(known, case[1]))
    if twin.can_be(known):
        agree(case, known)
        return
    with pytest.raises(Contradiction) as caught:
        maxent(sl.Release.from_buckets(case[0]), known, people=case[1])
    blamed = [each for each in known if str(each) in caught.value.facts]
    assert not twin.can_be(blamed)
    smallest = next(
        size for size in range(1, len(known) + 1) for some in combinations(known, size) if not twin.can_be(list(some))
    )
    assert len(caught.value.facts) == smallest


class PrintedTwin(Twin):
    """People of groups that print `*` or a set: a variable for every raw key that a group may hide, value and group."""

    def __init__(self, groups, mentioned):
        labels = {name: {label for says, _ in groups for label in hidden(says[name])} for name in ("sex", "town")}
        for name, known in labels.items():
            known |= {label for column, label in mentioned if column == name}
            known -= {"*"}
            if len(known) < 2:
                known.add("another")
        self.keys = [
            [
                (("sex", sex), ("town", town))
                for sex in sorted(labels["sex"] if says["sex"] == "*" else hidden(says["sex"]))
                for town in sorted(labels["town"] if says["town"] == "*" else hidden(says["town"]))
            ]
            for says, _ in groups
        ]
        suppressed = [{*says.values()} == {"*"} for says, _ in groups]
        self.suppressed = [each and not all(suppressed) for each in suppressed]
        self.telling = {name for name in ("sex", "town") if {says[name] for says, _ in groups} != {"*"}}
        self._add_values(groups)

    def means(self, given, key, group):
        """Who fulfils conditions and is looked for there: whole groups are suppressed, and nobody is assumed to be."""
        if not self.suppressed[group] or not given:
            return set(given) <= set(key)
        printed = [at for at, aside in enumerate(self.suppressed) if not aside]
        fits = any(set(given) <= set(other) for at in printed for other in self.keys[at])
        known_throughout = self.telling <= {name for name, _ in given}
        return fits and not known_throughout and set(given) <= set(key)

    def _add_values(self, groups):
        bags = [Counter(bag) for _, bag in groups]
        self.variables = [(None, key, value, b) for b, bag in enumerate(bags) for key in self.keys[b] for value in bag]
        self._fix(
            (self._sum(lambda i, q, s, b, at=(value, group): (s, b) == at), times)
            for group, bag in enumerate(bags)
            for value, times in bag.items()
        )

    def _fix(self, sums):
        self.equal, self.equal_to = map(np.array, zip(*sums, strict=True))

    def _has(self, held, values):
        return held in values

    def _share(self, share):
        meant = self._sum(lambda i, q, s, b: self.means(share.given, q, b))
        return meant * self._sum(lambda i, q, s, b: self._has(s, share.values)), meant

    def bounded_sum(self, statement):
        raise NotImplementedError

    def _program(self, statements):
        rows = []
        for statement in statements:
            if len(statement.terms) == 2:
                one, other = (self._share(share)[0] for _, share in statement.terms)
                rows += [(one - other, statement.exact)]
                continue
            part, meant = self._share(statement.about)
            if statement.exact:
                rows.append((part - float(statement.low) * meant, True))
            else:
                rows += [(part - float(statement.high) * meant, False), (float(statement.low) * meant - part, False)]
        equal = np.vstack([self.equal, *(row for row, exact in rows if exact)])
        most = np.array([row for row, exact in rows if not exact]).reshape(-1, len(self.variables))
        return equal, np.append(self.equal_to, np.zeros(len(equal) - len(self.equal_to))), most, np.zeros(len(most))

    def people(self, amounts, given, values, group=None):
        """How many of those who say this have one of the values."""
        return sum(
            amount
            for (_, key, value, b), amount in zip(self.variables, amounts, strict=True)
            if self.means(given, key, b) and (values is None or self._has(value, values)) and group in (None, b)
        )


def hidden(label):
    if "-" in label:
        low, high = label.split("-")
        return {str(number) for number in range(int(low), int(high) + 1)}
    return set(label[1:-1].split(", ")) if label.startswith("{") else {label}


@st.composite
def printed_groups(draw):
    says = st.fixed_dictionaries(
        {"sex": st.sampled_from(["m", "f", "*"]), "town": st.sampled_from(["1", "2", "7", "{1, 7}", "1-4", "3-7", "*"])}
    )
    bag = st.lists(st.sampled_from(VALUES), min_size=1, max_size=4)
    return draw(st.lists(st.tuples(says, bag), min_size=1, max_size=4))


@st.composite
def printed_statements(draw, groups):
    labels = {
        name: sorted({label for says, _ in groups for label in hidden(says[name])} - {"*"}) for name in ("sex", "town")
    }
    given_ = st.fixed_dictionaries(
        {}, optional={name: st.sampled_from(known) for name, known in labels.items() if known}
    )
    values = st.lists(st.sampled_from(sorted({each for _, bag in groups for each in bag})), min_size=1, max_size=2)
    drawn = []
    for _ in range(draw(st.integers(1, 3))):
        condition = draw(given_)
        if draw(st.integers(0, 4)) == 0:
            drawn.append(P(draw(values), given=condition) <= P(draw(values), given=condition))
        else:
            drawn.append(bounded(draw, P(draw(values), given=condition), 0, 1, true=False))
    return drawn


@examples(25)
@given(st.data())
def test_people_whom_groups_hide(data):
    groups = data.draw(printed_groups())
    known = data.draw(printed_statements(groups))
    mentioned = [cell for each in known for cell in condition_of(each)]
    twin = PrintedTwin(groups, mentioned)
    release = sl.Release.from_counts([Counter(bag) for _, bag in groups], labels=[says for says, _ in groups])
    if not twin.can_be(known):
        with pytest.raises(Contradiction) as caught:
            maxent(release, known)
        assert not twin.can_be([each for each in known if str(each) in caught.value.facts])
        return
    agree_about_hidden(maxent(release, known), twin, twin.solve(known), mentioned, len(groups))


@examples(25)
@given(st.data())
def test_who_is_known_throughout_is_believed_to_be_where_worlds_say(data):
    """In no suppressed row if a printed group fits, else nowhere, or there if that is said: as counting worlds."""
    labels = {"sex": ["m", "f", "*"], "town": ["x", "y", "*"]}
    says = st.fixed_dictionaries({name: st.sampled_from(each) for name, each in labels.items()})
    bag = st.lists(st.sampled_from(VALUES), min_size=1, max_size=4)
    groups = data.draw(st.lists(st.tuples(says, bag), max_size=3, unique_by=lambda each: str(each[0])))
    groups += [({"sex": "m", "town": "x"}, ["a", "b", "b"]), ({"sex": "f", "town": "y"}, ["c"])]
    groups.append(({"sex": "*", "town": "*"}, data.draw(bag)))
    release = sl.Release.from_counts([Counter(bag) for _, bag in groups], labels=[says for says, _ in groups])
    who = {"sex": data.draw(st.sampled_from("mf")), "town": data.draw(st.sampled_from("xy"))}
    suppressed = data.draw(st.sampled_from(["not assumed", "may hold them"]))
    try:
        counted = sl.posteriors(release, person=who, suppressed=suppressed)
    except BadKnowledge as why:  # in no group, or in one of several, between which worlds do not decide
        several = "fits" in str(why) and "fits no group" not in str(why)
        beliefs = maxent(release, suppressed=suppressed)
        if several:
            for value in release.domain:
                printed = [bag for says, bag in groups if {*says.values()} != {"*"} and covers(says, who)]
                fitting = printed or [bag for says, bag in groups if {*says.values()} == {"*"}]  # as they may hold them
                assert (beliefs.probability(value, given=who) > 0) == any(value in bag for bag in fitting)
        else:
            with pytest.raises(BadKnowledge):
                beliefs.probability("a", given=who)
        return
    knowing = [P(value, given=who) == share for value, share in counted.after.items()]
    for beliefs in (maxent(release, suppressed=suppressed), maxent(release, knowing, suppressed=suppressed)):
        for value, share in counted.after.items():
            assert beliefs.probability(value, given=who) == pytest.approx(float(share))


def covers(says, who):
    return all(says[name] in ("*", text) for name, text in who.items())


def agree_about_hidden(beliefs, twin, amounts, mentioned, groups):
    assert beliefs.certificate.holds
    for sex in {label for name, label in mentioned if name == "sex"} | {None}:
        for town in {label for name, label in mentioned if name == "town"} | {None}:
            condition = {name: label for name, label in (("sex", sex), ("town", town)) if label is not None}
            for group in (None, *range(groups)):
                people = twin.people(amounts, condition.items(), None, group)
                if people < 1e-4:
                    continue
                number = None if group is None else group + 1
                meant = beliefs.meant(condition, group=number)
                assert meant.certain + meant.estimate == pytest.approx(people, abs=1e-3)
                for value in beliefs.release.domain:
                    expected = twin.people(amounts, condition.items(), [value], group) / people
                    assert beliefs.probability(value, given=condition, group=number) == pytest.approx(
                        expected, abs=1e-3
                    )


class NamedTwin(PrintedTwin):
    """As above, with variables of their own for every single person of a group: the first of them are named."""

    def _add_values(self, groups):
        bags = [Counter(bag) for _, bag in groups]
        self.variables = [
            ((b, number), key, value, b)
            for b, bag in enumerate(bags)
            for number in range(bag.total())
            for key in self.keys[b]
            for value in bag
        ]
        self._fix(
            [
                (self._sum(lambda i, q, s, b, me=(group, number): i == me), 1)
                for group, bag in enumerate(bags)
                for number in range(bag.total())
            ]
            + [
                (self._sum(lambda i, q, s, b, at=(value, group): (s, b) == at), times)
                for group, bag in enumerate(bags)
                for value, times in bag.items()
            ]
        )

    def _share(self, share):
        if share.person is None:
            return super()._share(share)
        me = share.person.group - 1, share.person.number - 1
        meant = self._sum(lambda i, q, s, b: i == me)
        return meant * self._sum(lambda i, q, s, b: s in share.values), meant


@examples(12)
@given(st.data())
def test_named_people_in_groups_that_hide_people(data):
    groups = data.draw(printed_groups())[:3]
    known = data.draw(printed_statements(groups))[:2]
    mentioned = [cell for each in known for cell in condition_of(each)]
    group = data.draw(st.integers(1, len(groups)))
    who = [
        sl.Someone(group, number + 1) for number in range(data.draw(st.integers(1, min(2, len(groups[group - 1][1])))))
    ]
    values = sorted({value for _, bag in groups for value in bag})
    known += [bounded(data.draw, P(data.draw(st.sampled_from(values)), person=each), 0, 1, true=False) for each in who]
    twin = NamedTwin(groups, mentioned)
    release = sl.Release.from_counts([Counter(bag) for _, bag in groups], labels=[says for says, _ in groups])
    if not twin.can_be(known):
        with pytest.raises(Contradiction):
            maxent(release, known)
        return
    beliefs, amounts = maxent(release, known), twin.solve(known)
    agree_about_hidden(beliefs, twin, amounts, mentioned, len(groups))
    for each in who:
        me = each.group - 1, each.number - 1
        for value in values:
            expected = sum(
                amount for (i, _, s, _), amount in zip(twin.variables, amounts, strict=True) if i == me and s == value
            )
            assert beliefs.probability(value, person=each) == pytest.approx(expected, abs=1e-3)


def condition_of(statement):
    return statement.about.given


class SetTwin(PrintedTwin):
    """As above, with a variable for every set of values that a person may have."""

    def _add_values(self, groups):
        sets = [frozenset(some) for size in range(len(VALUES) + 1) for some in combinations(VALUES, size)]
        self.variables = [(None, key, held, b) for b in range(len(groups)) for key in self.keys[b] for held in sets]
        of_people = [
            (self._sum(lambda i, q, s, b, at=at: b == at), len(people)) for at, (_, people) in enumerate(groups)
        ]
        self._fix(
            of_people
            + [
                (
                    self._sum(lambda i, q, s, b, at=(value, group): b == at[1] and at[0] in s),
                    sum(value in each for each in people),
                )
                for group, (_, people) in enumerate(groups)
                for value in VALUES
            ]
        )

    def _has(self, held, values):
        return not held.isdisjoint(values)


@st.composite
def groups_of_sets(draw):
    says = st.fixed_dictionaries({"sex": st.sampled_from(["m", "f", "*"]), "town": st.sampled_from(["x", "y"])})
    people = st.lists(st.frozensets(st.sampled_from(VALUES)), min_size=1, max_size=4)
    return draw(st.lists(st.tuples(says, people), min_size=1, max_size=3))


@examples(15)
@given(st.data())
def test_sets_of_values(data):
    groups = data.draw(groups_of_sets())
    values = sorted({value for _, people in groups for each in people for value in each})
    labels = {name: sorted({says[name] for says, _ in groups} - {"*"}) for name in ("sex", "town")}
    given_ = st.fixed_dictionaries({}, optional={name: st.sampled_from(each) for name, each in labels.items() if each})
    if not values:
        return
    known = [
        bounded(data.draw, P(data.draw(st.sampled_from(values)), given=data.draw(given_)), 0, 1, true=False)
        for _ in range(data.draw(st.integers(1, 3)))
    ]
    mentioned = [cell for each in known for cell in each.about.given]
    twin = SetTwin(groups, mentioned)
    release = sl.Release.from_counts(
        [Counter(value for each in people for value in each) for _, people in groups],
        sizes=[len(people) for _, people in groups], values="set", labels=[says for says, _ in groups],
    )  # fmt: skip
    several = len({each.about.values for each in known}) > 1
    try:
        beliefs = maxent(release, known)
    except Contradiction:
        assert not twin.can_be(known)
    except BadKnowledge:
        assert several
        assert "*" in {says["sex"] for says, _ in groups}
    else:
        agree_about_hidden(beliefs, twin, twin.solve(known), mentioned, len(groups))
