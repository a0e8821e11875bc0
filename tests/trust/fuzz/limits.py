"""Limits in a line, as `--limit` takes them; those that can be read judge a release."""

from __future__ import annotations

from dataclasses import fields

from hypothesis import strategies as st
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import near
from trust.fuzz.people import marked_release, release

import sidelight as sl
from sidelight.policy.limits import read_limit, read_measure
from sidelight.policy.measure_names import all_measures

SETTINGS = (
    *("k=1", "k=3", "value=Flu", "value=[Flu, Cold]", "value={stomach = [Ulcer, Dyspepsia]}", "l=3", "3", "others=2"),
    *("rules_out=1", "family=1", "facts=1", "apart_from=[AIDS, 'Salt, pepper']", "distance=ordered", "order=[a, b]"),
    *("hierarchy=disease.csv", "kind=enhanced", "absent=skipped", "statistic=average", "threshold=0.1", "fraction=0.1"),
    *(
        "people=1000",
        "population=people.csv",
        "outside='as in the release'",
        "largest=1",
        "numbers={Flu = 1}",
        "one=[age]",
    ),
    *(
        "columns=[age]",
        "secret=sex",
        "weights={Flu = 2}",
        "otherwise=0",
        "knows=negations",
        "reach=1/2",
        "prices={Flu = 3}",
    ),
    *("counts={Flu = 1}", "shape=uniform", "stubbornness=10", "by=sex", "known_people=1", "predicates='all subsets'"),
    *("expects=3", "within=1", "family=normal", "spread=1", "borrowed=10", "knowing=['P(Flu) = 0.3']", "rules=[1, 1]"),
    *(
        "vagueness=0.1",
        "conditions=both",
        "seconds=1",
        "model=logistic",
        "rounds=2",
        "exact_up_to=3",
        "of=disease",
        "known=[x]",
    ),
)
BOUNDS = (" >= 5", " > 3/2", " <= 0.09", " < 1/2", " <= inf", " ≥ 2", " < 90%", "", " >= 2 <= 3")
SETTINGS_OF = {
    kind.name: [text for text in SETTINGS if text.partition("=")[0] in {each.name for each in fields(kind)}]
    for kind in all_measures()
}
MEASURES = sorted(SETTINGS_OF)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A measure with settings that it may have, and a bound."""
    measure = draw(st.sampled_from(MEASURES))
    own = SETTINGS_OF[measure] if draw(st.integers(0, 9)) else SETTINGS
    settings = ", ".join(draw(st.lists(st.sampled_from(own or [""]), max_size=3, unique=True)))
    return measure + (f"({settings})" if settings else "") + draw(st.sampled_from(BOUNDS))


def ask(given: tuple[str, bool] | str) -> str:
    text, marked = (given, True) if isinstance(given, str) else given
    judged = marked_release() if marked else release()
    try:
        criterion = read_limit(text)
    except sl.SidelightError:
        read_measure(text).measure(judged)  # perhaps it has no bound
        return ""
    assert read_limit(str(criterion)) == criterion
    criterion.judge(judged)
    return ""


TEXTS = tuple(f"{measure}(k=3, value=Flu){bound}" for measure, bound in zip(MEASURES, BOUNDS * 9, strict=False))
TARGET = Target(
    "limits", st.tuples(near(documents(), changes=2), st.booleans()), ask, share=150, short=150, texts=TEXTS
)
