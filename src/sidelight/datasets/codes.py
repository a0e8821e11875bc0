"""What columns and codes of the fetched tables mean, in words, and the trees of their labels.

From the descriptions that come with the data: UCI (Census-Income), the Census Bureau's dictionary of the Public Use
Microdata Sample (ACS), the codebooks of the Medical Expenditure Panel Survey.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from sidelight.table.hierarchy import Nested

# the columns that are stored as numbers; all others are text
CENSUS_NUMBERS = {
    **dict.fromkeys(("age", "wage-per-hour", "capital-gain", "capital-loss", "dividends", "weeks-worked"), pa.int64()),
    **dict.fromkeys(("industry-code", "occupation-code", "employer-size", "year"), pa.int64()),
    "weight": pa.float64(),
}
# The columns in their order; where `adult` has the same one, it has its name
CENSUS_COLUMNS = (
    *("age", "workclass", "industry-code", "occupation-code", "education", "wage-per-hour", "enrolled"),
    *("marital-status", "industry", "occupation", "race", "hispanic", "sex", "union-member"),
    *("reason-for-unemployment", "employment", "capital-gain", "capital-loss", "dividends", "tax-filer"),
    *("previous-region", "previous-state", "household-detail", "household", "weight", "move-of-area"),
    *("move-of-region", "move-within-region", "same-house-last-year", "previously-in-sunbelt", "employer-size"),
    *("parents-present", "father-born-in", "mother-born-in", "native-country", "citizenship", "own-business"),
    *("veteran-questionnaire", "veteran-benefits", "weeks-worked", "year", "salary-class"),
)

CENSUS_TREES: dict[str, Nested] = {
    "marital-status": {
        "Married": ["Married-civilian spouse present", "Married-A F spouse present", "Married-spouse absent"],
        "Was married": ["Divorced", "Separated", "Widowed"],
        "Never married": ["Never married"],
    },
    "education": {
        "School": {
            "Child": ["Children"],
            "Primary": ["Less than 1st grade", "1st 2nd 3rd or 4th grade", "5th or 6th grade", "7th and 8th grade"],
            "Some high school": ["9th grade", "10th grade", "11th grade", "12th grade no diploma"],
            "High school": ["High school graduate"],
        },
        "College": {
            "Without a degree": ["Some college but no degree"],
            "Associate": ["Associates degree-occup /vocational", "Associates degree-academic program"],
            "Bachelor": ["Bachelors degree(BA AB BS)"],
            "Beyond bachelor": [
                "Masters degree(MA MS MEng MEd MSW MBA)",
                "Prof school degree (MD DDS DVM LLB JD)",
                "Doctorate degree(PhD EdD)",
            ],
        },
    },
    "workclass": {
        "Employed": {
            "Private sector": ["Private"],
            "Government": ["Federal government", "Local government", "State government"],
        },
        "Not employed": {
            "Self-employed": ["Self-employed-incorporated", "Self-employed-not incorporated"],
            "Unpaid": ["Without pay", "Never worked"],
            "Not in universe": ["Not in universe"],
        },
    },
    "native-country": {  # spelled as in the data
        "America": {
            "North America": ["United-States", "Canada", "Outlying-U S (Guam USVI etc)"],
            "Caribbean": ["Cuba", "Dominican-Republic", "Haiti", "Jamaica", "Puerto-Rico", "Trinadad&Tobago"],
            "Central America": ["El-Salvador", "Guatemala", "Honduras", "Mexico", "Nicaragua", "Panama"],
            "South America": ["Columbia", "Ecuador", "Peru"],
        },
        "Europe": {
            "Western Europe": ["England", "France", "Germany", "Holand-Netherlands", "Ireland", "Scotland"],
            "Southern Europe": ["Greece", "Italy", "Portugal"],
            "Eastern Europe": ["Hungary", "Poland", "Yugoslavia"],
        },
        "Asia": {
            "East Asia": ["China", "Hong Kong", "Japan", "South Korea", "Taiwan"],
            "South-east Asia": ["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
            "South and west Asia": ["India", "Iran"],
        },
    },
}


def number_codes(labels: str | Iterable[str], start: int = 0) -> dict[str, str]:
    """Return the labels of codes that are numbers in a row; as one text, with semicolons between them.

    >>> number_codes("Yes; No", 1)
    {'1': 'Yes', '2': 'No'}
    """
    listed = labels.split("; ") if isinstance(labels, str) else labels
    return {str(code): label for code, label in enumerate(listed, start)}


def read_columns(text: str) -> dict[str, str]:
    """Return what columns are called: the source's name and ours, with a blank between them.

    >>> read_columns("AGEP age; MAR marital-status")
    {'AGEP': 'age', 'MAR': 'marital-status'}
    """
    pairs = (pair.split(" ") for pair in text.split("; "))
    return {theirs: ours for theirs, ours in pairs}  # noqa: C416 - pairs are lists


ACS_COLUMNS = read_columns(
    "id person; AGEP age; SCHL education; MAR marital-status; RELP relationship; DIS disability; ESP parents-employed; "
    "CIT citizenship; MIG moved; MIL military; ANC ancestry; NATIVITY nativity; DEAR hearing-difficulty; "
    "DEYE seeing-difficulty; DREM remembering-difficulty; SEX sex; RAC1P race; employed employed; year year"
)
# the survey's codes run in this order, so that EDUCATION_OF_ACS below numbers them as well
GRADES = tuple(f"Grade {grade}" for grade in range(1, 12))
EDUCATION_OF_ACS = {
    "School": {
        "Before school": ["Under 3", "No schooling", "Nursery school", "Kindergarten"],
        "Primary": list(GRADES[:8]),
        "Some high school": [*GRADES[8:], "Grade 12, no diploma"],
        "High school": ["High school diploma", "Alternative diploma"],
    },
    "College": {
        "Without a degree": ["Less than a year of college", "Some college"],
        "Associate": ["Associate's degree"],
        "Bachelor": ["Bachelor's degree"],
        "Beyond bachelor": ["Master's degree", "Professional degree", "Doctorate"],
    },
}


YES_NO = number_codes("Yes; No", 1)
ACS_CODES = {
    "education": number_codes(
        [label for branch in EDUCATION_OF_ACS.values() for labels in branch.values() for label in labels]
    ),
    "marital-status": number_codes("Married; Widowed; Divorced; Separated; Never married", 1),
    "relationship": number_codes(
        "Reference person; Husband or wife; Child; Adopted child; Stepchild; Sibling; Parent; Grandchild; "
        "Parent-in-law; Child-in-law; Other relative; Roomer or boarder; Housemate; Unmarried partner; Foster child; "
        "Other nonrelative; In an institution; In other group quarters"
    ),
    "disability": YES_NO,
    "parents-employed": number_codes(
        "Not a child with parents; Two parents, both in the labor force; Two parents, only the father; "
        "Two parents, only the mother; Two parents, neither; Father only, in the labor force; Father only, not; "
        "Mother only, in the labor force; Mother only, not"
    ),
    "citizenship": number_codes(
        "Born in the US; Born in US territories; Born abroad of US parents; Naturalized; Not a citizen", 1
    ),
    "moved": number_codes("Under 1; Same house; From abroad; Within the US"),
    "military": number_codes("Under 17; On active duty; Formerly on active duty; Training only; Never"),
    "ancestry": number_codes("Single; Multiple; Unclassified; Not reported", 1),
    "nativity": number_codes("Native; Foreign born", 1),
    "hearing-difficulty": YES_NO,
    "seeing-difficulty": YES_NO,
    "remembering-difficulty": {"0": "Under 5", **YES_NO},
    "sex": number_codes("Male; Female", 1),
    "race": number_codes(
        "White; Black; American Indian; Alaska Native; Other American Indian or Alaska Native; Asian; "
        "Native Hawaiian or Pacific Islander; Other; Two or more",
        1,
    ),
    "employed": {"1": "Yes", "0": "No"},
}

DIAGNOSED_COLUMNS = read_columns(
    "DUPERSID person; DOBMM birth-month; DOBYY birth-year; SEX sex; RACEX race; HISPANX hispanic; EDUCYEAR education; "
    "marry marital-status; income income; poverty poverty"
)
DIAGNOSED_CODES = {
    "sex": number_codes("Male; Female", 1),
    "race": number_codes(
        "White; Black; American Indian or Alaska Native; Asian; Native Hawaiian or Pacific Islander; Multiple races", 1
    ),
    "hispanic": YES_NO,
    "marital-status": number_codes("Married; Widowed; Divorced; Separated; Never married; Under 16", 1),
    "poverty": number_codes("Poor; Near poor; Low income; Middle income; High income", 1),
}
