"""The report of an audit: one versioned JSON document, from which the terminal and the pages are drawn.

It holds what was measured, never the rows: names of people appear only where the release itself names them.
"""

from __future__ import annotations

import json
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, JsonValue

SCHEMA_VERSION = 1
"""Raised whenever a reader of the document would have to change."""

SCHEMA_HOME = "docs/reference/report.schema.json"
"""Where the schema is kept for programs that read reports."""

NOT_JUDGED = "Attackers the policy does not name are not judged."
"""Stands in every document, so that nobody takes a verdict for more than it is."""

Outcome: TypeAlias = Literal["within policy", "not within policy", "no policy"]
Plain: TypeAlias = dict[str, JsonValue]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Number(_Part):
    """A number three ways: exactly, as a float rounded towards caution, and as a person reads it."""

    exact: str = Field(description='"2/3", "7" or "inf"; with `rounded`, the nearest float on the cautious side')
    number: float | None = Field(description="none when it is infinite")
    rounded: bool = Field(
        default=False, description="whether the value is irrational, so that even `exact` is rounded; not about `said`"
    )
    said: str = Field(
        description="fractions up to twelfths as they are, others to four places, towards caution: "
        "risks up, sizes and diversities down"
    )


class Wanted(_Part):
    """The bound that a policy sets."""

    comparison: Literal["at_least", "above", "at_most", "below"]
    bound: Number
    said: str = Field(description='"≥ 5"')


class BrokenBy(_Part):
    """The groups that break a limit, each on its own."""

    groups: int
    people: int = Field(description="how many people are in them")


class Answer(_Part):
    """One measure: what was found, who is worst off, and whether it is what the policy wants."""

    measure: str = Field(description='the name, as in a policy file: "group size"')
    settings: Plain
    said: str = Field(description="the measure with its settings, in words")
    wanted: Wanted | None = Field(description="none when it was measured without a limit")
    found: Number
    holds: bool | None = Field(description="none when there is no limit")
    broken_by: BrokenBy | None = Field(
        default=None, description="none when there is no limit, or when groups cannot be judged one by one"
    )
    witness: Plain | None = Field(description="who is worst off: a group, perhaps a value, and what the attacker knows")
    worst_off: str = Field(description="the witness in a few words")
    explanation: str
    notes: tuple[str, ...] = ()


class ReleaseFacts(_Part):
    """How large the release is and what it is about."""

    people: int
    groups: int
    columns: tuple[str, ...] = Field(description="what is published about each group")
    sensitive: str
    values: Annotated[int, Field(description="how many different sensitive values there are")]
    semantics: Literal["single", "set", "multiset"]


class IntakeFacts(_Part):
    """What reading did to the rows."""

    rows: int
    columns_dropped: tuple[str, ...]
    rows_without_value: int
    rows_suppressed: int
    repeats: int


class AuditReport(_Part):
    """What a release reveals, measure by measure."""

    kind: Literal["audit"] = "audit"
    schema_version: int = SCHEMA_VERSION
    sidelight: str = Field(description="the version that measured")
    source: str | None = None
    roles: Plain = Field(default_factory=dict)
    release: ReleaseFacts
    intake: IntakeFacts
    answers: tuple[Answer, ...]
    verdict: Outcome
    not_covered: str = NOT_JUDGED
    notes: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write the document as JSON text."""
        return self.model_dump_json(indent=2) + "\n"


def report_schema() -> str:
    """Write the JSON schema of reports."""
    made = AuditReport.model_json_schema(mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **made}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
