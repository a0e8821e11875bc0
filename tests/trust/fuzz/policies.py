"""Policy files: TOML with roles, limits, skylines and presets; those that can be read judge a release."""

from __future__ import annotations

import tomli_w
from hypothesis import strategies as st
from trust.fuzz import limits
from trust.fuzz.bars import Target
from trust.fuzz.near_valid import encoded, near, near_json
from trust.fuzz.people import marked_release, release, run_command, written

from sidelight.policy.policy_file import read_policy_file

ROLES = {
    "quasi": ["age", "sex"],
    "sensitive": "disease",
    "person": "name",
    "values": "single",
    "missing": "drop",
    "missing_marks": ["?"],
    "suppressed": "leave out",
    "domain": ["Flu", "Cold"],
    "sensitive_level": 1,
    "columns": {"age": "number", "size": ["small", "large"]},
    "keep": ["city"],
    "encoding": "utf-8",
    "split": "|",
}
LIMITS = (
    {"measure": "group size", "at_least": 5},
    {"measure": "implications", "k": 3, "below": "1/2", "apart_from": ["AIDS"]},
    {"measure": "closeness", "distance": "ordered", "order": ["a", "b"], "at_most": 0.2},
    {"measure": "prior belief", "stubbornness": 10, "shape": {"Flu": "1/2"}, "at_most": 3},
    {"measure": "maximum entropy", "knowing": ["P(Flu) = 0.3"], "below": 0.9},
    {"measure": "journalist risk", "population": "people.csv", "at_most": "1/11"},
    {"measure": "acquaintance", "value": {"stomach": ["Ulcer"]}, "others": 2, "below": 0.9},
)
SKYLINE = {"value": "AIDS", "points": [{"rules_out": 1, "others": 2, "below": "1/2"}, {"others": 20, "below": 0.9}]}
PRESETS = ("ACRO", "EMA/Health Canada 0.09", "k-map(k=5)", ["ACRO", "HIPAA safe harbour"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A policy of some sections, in which some keys say something else than they may."""
    keys = draw(st.lists(st.sampled_from(sorted(ROLES)), max_size=4, unique=True))
    document: dict[str, object] = {"limit": draw(st.lists(st.sampled_from(LIMITS), min_size=1, max_size=2))}
    if keys:
        document["roles"] = {key: ROLES[key] for key in keys}
    if draw(st.integers(0, 3)) == 0:
        document["skyline"] = [SKYLINE]
    if draw(st.integers(0, 5)) == 0:
        document["preset"] = draw(st.sampled_from(PRESETS))
    changed = draw(near_json(document, changes=1)) if draw(st.booleans()) else document
    try:
        return tomli_w.dumps(changed)
    except (TypeError, ValueError, AttributeError):  # what TOML cannot say
        return tomli_w.dumps(document)


def ask(given: tuple[bytes, str]) -> str:
    content, verb = given
    file = written("policy.toml", content)
    if verb == "audit":
        written("table.csv", "age,sex,disease\n20,f,Flu\n21,m,Cold\n" * 3)
        return run_command(["audit", "table.csv", "-g", "age", "-s", "disease", "-p", file])
    read_policy_file(file).policy.judge(release() if verb == "read" else marked_release())
    return ""


TEXTS = tuple(tomli_w.dumps({"roles": {"quasi": ["age"]}, "limit": [limit]}) for limit in LIMITS)
TARGET = Target(
    "policies",
    st.tuples(encoded(near(documents(), changes=2)), st.sampled_from(["read"] * 9 + ["marked", "marked", "audit"])),
    ask,
    share=150,
    short=150,
    texts=(*TEXTS, *limits.TEXTS[:3]),
)
