"""Addresses name a table, and never a password."""

import pytest

from sidelight.engines.files import files_of
from sidelight.engines.postgres.session import DatabaseAddress, is_address, one_address
from sidelight.errors import BadTable


@pytest.mark.parametrize(
    ("text", "connect_to", "names"),
    [
        ("postgresql://db/clinic?table=patients", "postgresql://db/clinic", ("patients",)),
        ("postgres://ann@db:5432/c?sslmode=require&table=w.p", "postgres://ann@db:5432/c?sslmode=require", ("w", "p")),
        ("postgresql://?service=clinic&table=p", "postgresql://?service=clinic", ("p",)),
        ('postgresql://db/c?table="a.b"."c""d"', "postgresql://db/c", ("a.b", 'c"d')),
        ("postgresql://db/c?table=%22a.b%22", "postgresql://db/c", ("a.b",)),
        ("postgresql:///c?host=%2Fvar%2Frun&table=p", "postgresql:///c?host=%2Fvar%2Frun", ("p",)),
    ],
)
def test_parameters_of_the_driver_are_left_to_it(text, connect_to, names):
    address = DatabaseAddress.parse(text)
    assert (address.connect_to, address.names, address.text) == (connect_to, names, text)


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://ann:hunter2@db/clinic?table=p",
        "postgresql://ann:hun/ter2@db/clinic?table=p",
        "postgresql://ann:hun?ter2@db/clinic?table=p",
        "postgresql://ann:hun#ter2@db/clinic?table=p",
        "postgresql://ann:hun@ter2@db/clinic?table=p",
        "postgresql://ann:1/ter2@db/clinic?table=p",
        "postgresql://ann@db/clinic?table=p&password=hunter2",
        "postgresql://ann@db/clinic?p%61ssword=hunter2&table=p",
        "postgresql://ann@db/clinic?sslpassword=hunter2&table=p",
        "POSTGRESQL://ann:hunter2@db/clinic",
        "postgresql://ann:hunter2@",
    ],
)
def test_a_password_is_refused_and_not_repeated(text):
    assert is_address(text)
    for read in (DatabaseAddress.parse, files_of):
        with pytest.raises(BadTable, match="the address of the database has") as refused:
            read(text)
        assert "ter2" not in str(refused.value)
        assert "hun" not in str(refused.value)


@pytest.mark.parametrize("table", ["", "a.b.c", "a..b", 'a"b', ".a", '"a'])
def test_names_that_cannot_be_read(table):
    with pytest.raises(BadTable, match="table"):
        DatabaseAddress.parse(f"postgresql://db/c?table={table}")


def test_which_table():
    with pytest.raises(BadTable, match="which table of the database\\?"):
        DatabaseAddress.parse("postgresql://db/clinic")


def test_one_at_a_time():
    with pytest.raises(BadTable, match="one at a time"):
        one_address(["postgresql://db/c?table=a", "people.csv"])
    assert files_of("postgresql://db/c?table=a") == []
