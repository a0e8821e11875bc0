"""What every measure promises; a new one is held to it as soon as it is in `all_measures()`."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from support.every_measure import SEMANTICS, every_measure
from support.examples import examples

import sidelight as sl
from sidelight.documents.document import number
from sidelight.errors import BadPolicy, TooHard
from sidelight.policy.limits import read_limit, read_measure
from sidelight.policy.measure_names import all_measures, measure_named
from sidelight.policy.policy_file import read_policy_text
from sidelight.testing import releases

every_kind = pytest.mark.parametrize("kind", all_measures(), ids=lambda kind: kind.__name__)


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_the_witness_replays_and_the_finding_explains_itself(semantics):
    @examples(20)
    @given(releases(semantics=semantics))
    def hunt(release):
        for measure in every_measure(release.domain):
            if semantics not in measure.semantics:
                with pytest.raises(sl.errors.BadMeasure):
                    measure.measure(release)
                continue
            finding = measure.measure(release)
            assert finding.replay(release) == finding.value, measure
            assert isinstance(finding.value, Fraction | float)
            assert finding.value >= 0
            assert finding.value <= measure.limits[1]
            assert finding.witness is not None or finding.notes
            explanation = finding.explain()
            assert explanation
            assert "\n" not in explanation
            assert "nan" not in explanation

    hunt()


def copied_limits(finding):
    """Give limits as somebody would copy them from an answer, with the sign that allows it: each must hold."""
    measure, value = finding.measure, finding.value
    kept = measure.__le__ if measure.large_is_bad else measure.__ge__
    sign = "<=" if measure.large_is_bad else ">="
    in_json = number(value, large_is_bad=measure.large_is_bad)
    yield kept(value)
    yield read_limit(f"{measure} {sign} {in_json.exact}")
    if in_json.number is not None:
        yield kept(json.loads(json.dumps(in_json.number)))
    texts = {in_json.text, finding.value_in_words().removesuffix(", an estimate").partition(" (")[0]}
    yield from (read_limit(f"{measure} {sign} {text}") for text in texts)


@pytest.mark.parametrize("semantics", SEMANTICS)
def test_a_limit_copied_from_an_answer_holds_and_below_it_none_does(semantics):
    @examples(20)
    @given(releases(semantics=semantics))
    def hunt(release):
        for measure in every_measure(release.domain):
            if semantics not in measure.semantics:
                continue
            finding = measure.measure(release)
            if not measure.limits[0] <= finding.value <= measure.limits[1]:
                continue  # nothing was measured: no limit may be 0 values
            for limit in copied_limits(finding):
                written = read_policy_text(sl.Policy(limit).to_toml()).policy.criteria[0]
                assert limit.decide(finding).holds, limit
                assert written.decide(finding).holds, limit
            strict = measure < finding.value if measure.large_is_bad else measure > finding.value
            for each in (strict, *read_policy_text(sl.Policy(strict).to_toml()).policy.criteria):
                try:
                    assert not each.decide(finding).holds
                except TooHard:  # an answer between two ends
                    assert finding.kindest is not None

    hunt()


@every_kind
def test_it_says_what_it_asks(kind):
    text = kind.__doc__ or ""
    assert "?" in text.partition("\n")[0], "the first line is a question"
    assert ">>>" in text
    assert "Source:" in text
    assert measure_named(kind.name) is kind
    assert kind.name == kind.name.lower().strip()


@every_kind
def test_it_is_a_value(kind):
    for measure, again in zip(kind.examples(("a", "b")), kind.examples(("a", "b")), strict=True):
        assert measure == again
        assert str(measure).startswith(measure.name)
        assert read_measure(str(measure)) == measure


@every_kind
def test_bounds_that_make_no_sense_are_refused(kind):
    measure = next(iter(kind.examples(("a", "b"))), None) or kind()  # without examples: it asks about a table
    least, most = measure.limits
    right, wrong = (measure.__le__, measure.__ge__) if measure.large_is_bad else (measure.__ge__, measure.__le__)
    with pytest.raises(BadPolicy, match="nan"):
        right(math.nan)
    with pytest.raises(BadPolicy, match="between"):
        right(Fraction(least) - 1)
    if most != math.inf:
        with pytest.raises(BadPolicy, match="between"):
            right(most + 1)
    with pytest.raises(BadPolicy, match="a policy keeps"):
        wrong(least)


def test_names_are_all_different():
    names = [kind.name for kind in all_measures()]
    assert len(set(names)) == len(names)
    with pytest.raises(BadPolicy, match="did you mean 'closeness'"):
        measure_named("closenes")
