"""Whatever is asked of the API, it answers as its schema says, opens no file that a browser names, and never breaks."""

from __future__ import annotations

import sys

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.specs.openapi.checks import positive_data_acceptance
from support.examples import examples
from support.explorer import PORT, TOKEN, guest, opened

from sidelight.web.app import explorer
from sidelight.web.uploads import Uploads
from sidelight.web.workspace import State

HEADERS = {"cookie": f"sidelight-{PORT}={TOKEN}", "host": f"127.0.0.1:{PORT}"}


def test_every_answer_is_as_the_schema_says(sample_files, tmp_path):
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    app = explorer(held, token=TOKEN, port=PORT, uploads=Uploads(tmp_path))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HEADERS)
    asked = set()

    @given(schema.as_strategy())
    @settings(examples(40), suppress_health_check=[*HealthCheck])
    def answers(case):
        asked.add(case.operation.path)
        case.call_and_validate(headers=HEADERS, excluded_checks=[positive_data_acceptance])  # which columns there are

    answers()
    held.jobs.close()
    assert {"/api/data", "/api/readers"} <= {*schema.raw_schema["paths"]}
    assert len(asked) > 1


@pytest.mark.parametrize(
    ("path", "method"), [("/api/uploads", "POST"), ("/api/other-releases", "GET"), ("/api/report", "GET")]
)
def test_what_takes_files_and_is_signed_answers_as_the_schema_says(sample_files, tmp_path, path, method):
    held = opened(sample_files / "patients.parquet", hierarchies=sample_files / "hierarchies")
    app = explorer(held, token=TOKEN, port=PORT, uploads=Uploads(tmp_path))
    schema = schemathesis.openapi.from_asgi("/openapi.json", app, headers=HEADERS)

    @given(schema[path][method].as_strategy())
    @settings(examples(10), suppress_health_check=[*HealthCheck])
    def answers(case):
        case.call_and_validate(headers=HEADERS, excluded_checks=[positive_data_acceptance])

    answers()
    held.jobs.close()


SECRET = "named-by-the-browser"

names = st.sampled_from(["age", "sex", "zip", "disease", "id", "none", f"/etc/{SECRET}"])
settings_of_limits = st.sampled_from(
    ["", "()", "(k=1)", "(k=3, value=Flu)", "(k=-1)", "(others=2)", "(facts=1)", "(k=1e400)", "(of=disease)"]
    + [
        f"(hierarchy='/etc/{SECRET}')",
        f"(population='{SECRET}')",
        f"(k=1, value={{a='/etc/{SECRET}'}})",
        "(k=",
        "([{}])",
    ]
)
limits = st.builds(
    "{}{}{}".format,
    st.sampled_from(["group size", "implications", "acquaintance", "closeness", "journalist risk", "inference", "x"]),
    settings_of_limits,
    st.sampled_from(["", " >= 5", " < 1/2", " <= inf", " < nan", " > 1e999999999", " << 3"]),
)
states = st.builds(
    State,
    quasi=st.lists(names, max_size=3, unique=True).map(tuple),
    sensitive=st.lists(names, max_size=2, unique=True).map(tuple),
    missing=st.sampled_from(["", "drop", "a value", "no value"]),
    levels=st.lists(st.tuples(names, st.integers(1, 999)), max_size=2).map(tuple),
    limits=st.lists(limits, max_size=3).map(tuple),
)
fields = st.dictionaries(
    st.sampled_from(
        [
            "add",
            "remove",
            "set-0-k",
            "set-0-bound",
            "set-0-population",
            "set-0-value",
            "as-zip",
            "to-age",
            "value",
            "below",
        ]
        + ["others", "know", "other", "people", "known", "secret", "present", "at_most", "same", "locate"]
        + ["outline", "decision", "signed_by", "reasons", "date", "of", "take", "method"]
    ),
    st.one_of(limits, names, st.text(max_size=6)),
    max_size=3,
)
opened_files: list[str] = []
sys.addaudithook(lambda event, given: opened_files.append(str(given[0])) if event == "open" else None)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    rows = "".join(f"{20 + n % 7},{'mf'[n % 2]},1405{n % 3},{['Flu', 'Cold', ''][n % 3]},{n}\n" for n in range(40))
    (folder / "patients.csv").write_text(f"age,sex,zip,disease,id\n{rows}")
    return guest(opened(folder / "patients.csv"), Uploads(tmp_path_factory.mktemp("kept")))


@given(
    states,
    fields,
    st.sampled_from(
        ["/", "/data", "/readers", "/skyline", "/what-if", "/api/data", "/api/readers", "/api/skyline"]
        + ["/release", "/api/release", "/report", "/api/report", "/other-releases", "/api/other-releases"]
    ),
)
@settings(examples(40), suppress_health_check=[*HealthCheck])
def test_no_address_breaks_a_view_or_opens_a_file(client, state, also, path):
    answer = client.get(state.address(path, also))
    assert answer.status_code in (200, 404, 422)
    assert [file for file in opened_files if SECRET in file] == []
