"""What is searched for on the page: options as an address has them, candidates that are each judged, one question each."""

import pytest
from support.explorer import opened

from sidelight.answers.candidates import SearchChoice
from sidelight.errors import BadPolicy
from sidelight.progress import quiet
from sidelight.search.full_domain import FullDomain
from sidelight.search.microaggregation import Microaggregation
from sidelight.web.searches import SearchState


@pytest.fixture
def held(sample_files):
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    yield held
    held.jobs.close()


def test_options_of_another_method_are_left_out_and_usual_ones_not_said():
    fields = [("method", "mondrian"), ("suppress", "0.1"), ("resists", "insider"), ("ask", "both"), ("limit", "x")]
    assert SearchChoice.read(fields).stated() == {"method": "mondrian", "resists": "insider"}
    assert SearchChoice.read([("suppress", "0"), ("utility", "balanced loss")]) == SearchChoice()


def test_methods_have_their_options():
    lattice = SearchChoice.read([("suppress", "0.04"), ("suppressed", "left out"), ("nodes", "7")]).to_method()
    assert lattice == FullDomain(suppress=0.04, suppressed="left out", nodes=7)
    averaged = SearchChoice.read([("method", "microaggregation"), ("average", "set")]).to_method()
    assert averaged == Microaggregation(labels="set")


@pytest.mark.parametrize(
    ("name", "text"),
    [("method", "latice"), ("utility", "x"), ("suppress", "much"), ("suppress", "2"), ("suppress", "nan")]
    + [("nodes", "0"), ("nodes", "1e3"), ("nodes", "9" * 39), ("ask", "me"), ("suppress", "1" * 50)],
)
def test_what_is_wrong_names_its_field(name, text):
    with pytest.raises(BadPolicy) as error:
        SearchChoice.read([(name, text)])
    assert error.value.parameters[:1] == (name,)


def test_measures_without_a_limit_bound_nothing(held):
    state = held.start.but(limits=("group size >= 2", "implications(k=1)"))
    assert [str(each.measure) for each in held.policy(state).criteria] == ["group size"]
    with pytest.raises(BadPolicy, match="no limit is set"):
        held.policy(held.start.but(limits=("implications(k=1)",)))


def test_every_candidate_is_within_policy_and_the_best_is_first(held):
    state = held.start.but(limits=("group size >= 2",))
    found = SearchState(held, state, SearchChoice()).gather()(quiet)
    losses = [each.result.utility["balanced loss"] for each in found]
    assert all(each.result.verdict.safe for each in found)
    assert losses[0] == min(losses)
    assert len({each.key for each in found}) == len(found) == len(found[0].result.choices)


def test_levels_that_are_set_elsewhere_do_not_tell_searches_apart(held):
    one = SearchState(held, held.start, SearchChoice()).question
    assert one == SearchState(held, held.start.but(levels=(("age", 2),)), SearchChoice()).question
    assert one != SearchState(held, held.start.but(limits=("group size >= 3",)), SearchChoice()).question


def test_what_another_search_found_is_a_candidate_too_but_not_within_other_limits(held):
    state = held.start.but(limits=("group size >= 2",))
    for choice in (SearchChoice(), SearchChoice(method="mondrian")):
        assert SearchState(held, state, choice).start().wait(20)
    named = SearchState.read(held, [*state.pairs(), ("take", "mondrian: mondrian")])
    assert named.taken is not None
    assert named.taken.result.method.name == "mondrian"
    gone = SearchState.read(held, [*state.pairs(), ("take", "none")])
    assert (gone.taken, gone.best_instead.taken) == (None, named.results[0])
    other = state.but(limits=("group size >= 3",))
    assert SearchState(held, other, SearchChoice()).start().wait(20)
    assert "mondrian: mondrian" not in {each.key for each in SearchState(held, other, SearchChoice()).candidates}
