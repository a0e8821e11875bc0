"""What does a column seem to be, by its name?  Rules of thumb; a person who knows has the last word.

A column's name is taken apart into words (`dateOfBirth` is date, of, birth) and looked up in three lists: what names a
person by itself, what others know about people, and what people tell in confidence.  Nothing here says that a column is
harmless, only what it resembles.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """A kind of column, and the reason why it matters."""

    noun: str  # "an age"
    because: str  # "others know it: neighbours, colleagues, registers"


def words_of(name: str) -> tuple[str, ...]:
    """Take a name apart into words, in small letters.

    >>> words_of("dateOfBirth"), words_of("ZIP_code"), words_of("icd10-main"), words_of("Geburtsjahr")
    (('date', 'of', 'birth'), ('zip', 'code'), ('icd', 'main'), ('geburtsjahr',))
    """
    # camelCase hides word ends, so they are marked before letters are folded
    spaced = re.sub(r"(?<=[a-zß-ÿ])(?=[A-ZÀ-Þ])", " ", name)
    return tuple(word.casefold() for word in re.findall(r"[^\W\d_]+", spaced))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# What names or shows a person by itself, by words of a column's name
NAMES_SOMEBODY = {
    Look("a person's name", "it says who somebody is"): _words(
        "surname lastname firstname forename fullname givenname familyname middlename maidenname nickname username "
        "login vorname nachname nom prenom apellido apellidos nombre initials"
    ),
    Look("an e-mail address", "it says who somebody is"): _words("email mail"),
    Look("a phone number", "it says who somebody is"): _words("phone telephone tel mobile cell fax telefon handy"),
    Look("an address", "it says where somebody lives"): _words("address addr street strasse anschrift"),
    Look("the number of a document or an account", "registers lead from it to a person"): _words(
        "ssn passport licence license iban account acct card insurance policy nhs nino tin taxid plate vin mrn "
        "certificate npi"
    ),
    Look("a device or a place on the net", "it leads to whoever uses it"): _words(
        "ip mac imei url uri website homepage device cookie handle twitter"
    ),
    Look("a picture or a trait of the body", "it shows somebody"): _words(
        "photo picture portrait fingerprint iris voice biometric"
    ),
    Look("a place on the map", "it says where somebody lives or was"): _words(
        "lat latitude lon lng longitude gps coordinates geohash"
    ),
}

# What others know about people, by words of a column's name
KNOWN_TO_OTHERS = {
    Look("an age or a birth", "neighbours, colleagues and registers know it"): _words(
        "age ages agegroup agegrp ageband agecat birth birthdate birthday birthyear dob yob born geburt geburtsdatum "
        "geburtsjahr alter edad nacimiento naissance"
    ),
    Look("a sex", "everybody who meets somebody knows it"): _words("sex gender geschlecht sexo sexe genre"),
    Look("where somebody lives or comes from", "neighbours, employers and registers know it"): _words(
        "zip zipcode postcode postal postalcode plz city town village county district municipality region state "
        "province country birthplace residence location neighbourhood neighborhood tract block urban rural ort stadt "
        "land bundesland ciudad pais ville pays native nationality citizenship citizen immigrant"
    ),
    Look("an origin", "those who meet somebody know it, or think so"): _words(
        "race ethnicity ethnic origin language lang sprache tribe caste"
    ),
    Look("a family", "friends and neighbours know it"): _words(
        "marital married marriage family relationship household hh children kids spouse familienstand"
    ),
    Look("a school or a work", "colleagues and profiles on the net tell it"): _words(
        "education school degree college university study occupation job profession employer employment work workclass "
        "industry sector department dept office position title manager supervisor beruf bildung "
        "veteran military"
    ),
    Look("how somebody looks", "everybody who meets somebody sees it"): _words(
        "height weight shoe dress bmi hair eye eyes groesse gewicht"
    ),
    Look("a day or an event", "whoever was there knows it"): _words(
        "date day time timestamp admission admitted admit readmission readmitted discharge discharged visit visited "
        "stay los arrival departure death died deceased hire hired joined datum fecha"
    ),
    Look("where somebody was treated or served", "whoever was there knows it"): _words(
        "hospital clinic ward site branch store doctor physician practice facility provider payer insurer"
    ),
}

# What people tell in confidence, by words of a column's name
TOLD_IN_CONFIDENCE = {
    Look("health", "it is told to doctors in confidence"): _words(
        "disease diseases diagnosis diagnoses diag dx condition conditions illness disorder symptom symptoms icd "
        "treatment therapy drug drugs medication medications medicine prescription procedure surgery hiv aids cancer "
        "tumor tumour genetic genotype mutation disability disabled pregnant pregnancy abortion mental "
        "depression anxiety suicide allergy infection vaccine vaccination diagnose krankheit enfermedad maladie "
        "cholesterol glucose diabetes asthma drg"
    ),
    Look("money", "people keep it to themselves"): _words(
        "income salary wage wages earnings earning pay payment wealth assets debt debts credit loan balance capital "
        "bonus commission tax benefit benefits charge charges cost costs rent mortgage einkommen gehalt salario revenu"
    ),
    Look("a belief or a preference", "people are persecuted for it"): _words(
        "religion faith church political politics party vote voted union orientation sexuality belief religione"
    ),
    Look("a crime or a judgement", "it can ruin a life"): _words(
        "crime crimes offence offense conviction convicted arrest arrested sentence verdict prison victim violence"
    ),
    Look("a habit", "people keep it to themselves"): _words(
        "smoking smoker smokes tobacco alcohol drinking drinks addiction gambling"
    ),
    Look("a result or an opinion", "people keep it to themselves"): _words(
        "outcome result results score scores grade grades marks rating complaint opinion answer response satisfaction "
        "trust attitude"
    ),
}

# What is known to others, and still kept as a secret in a table that has no other
WORK = _words("occupation job profession employer workclass beruf")

# Words for a person
PEOPLE = _words(
    "person people patient subject participant respondent individual member customer client user student pupil "
    "employee worker citizen resident case donor beneficiary insured resp"
)

# Words for what counts rows or people off
NUMBERING = _words("id ids nr no num number key index idx uuid guid code identifier record row rowid seq seqn")

# Those of them that are never an amount or a code with a meaning
IDS = frozenset({"id", "ids", "uuid", "guid", "identifier"})

# Words for a number that identifies a person
PERSON_NUMBERS = _words(
    "patientid personid subjectid userid customerid clientid studentid memberid employeeid participantid respondentid "
    "pid uid seqn mrn empi"
)


def numbers_people(name: str) -> bool:
    """Return whether a column is called a number of people.

    >>> numbers_people("patient_id"), numbers_people("MRN"), numbers_people("patient"), numbers_people("patient_age")
    (True, True, True, False)
    """
    words = {*words_of(name)}
    return bool(words & PERSON_NUMBERS or (words & PEOPLE and (words & NUMBERING or len(words) == 1)))


# What others know that is never an amount, whatever numbers it is written with
NEVER_AMOUNTS = ("a sex", "where somebody lives or comes from", "an origin", "where somebody was treated or served")

# Words for what is told about people, which hardly a cell says by itself
ATTRIBUTES = _words(
    "id pid uid seqn name surname lastname firstname forename vorname nachname nombre apellido prenom email phone "
    "telephone address street strasse ssn mrn age agegroup dob yob birth birthdate birthday birthyear alter "
    "geburtsdatum geburtsjahr edad sex gender geschlecht sexo sexe zip zipcode postcode postal postalcode plz race "
    "ethnicity nationality citizenship birthplace residence marital familienstand education occupation profession "
    "beruf workclass employer income salary wage einkommen gehalt salario disease diseases diagnosis diagnoses dx icd "
    "condition illness krankheit diagnose enfermedad maladie religion relationship household"
)


def _match_words(name: str, lists: Mapping[Look, frozenset[str]]) -> Look | None:
    words = {*words_of(name)}
    return next((look for look, known in lists.items() if words & known), None)


def names_somebody(name: str) -> Look | None:
    """Return what a column is that identifies a person by itself, judged by its name.

    >>> names_somebody("e_mail").noun, names_somebody("Last name").noun, names_somebody("drug name")
    ('an e-mail address', "a person's name", None)
    """
    words = words_of(name)
    if words == ("name",) or (
        "name" in words and {*words} & (_words("first last full given family middle maiden sur user nick") | PEOPLE)
    ):
        return next(iter(NAMES_SOMEBODY))
    return _match_words(name, NAMES_SOMEBODY)


def known_to_others(name: str) -> Look | None:
    """Return what a column is that others know, judged by its name.

    >>> known_to_others("marital-status").noun, known_to_others("zipcode").noun, known_to_others("x7")
    ('a family', 'where somebody lives or comes from', None)
    """
    return _match_words(name, KNOWN_TO_OTHERS)


def sensitive_subject(name: str) -> Look | None:
    """Return what a column is that people tell in confidence, judged by its name.

    >>> sensitive_subject("main_diagnosis").noun, sensitive_subject("salary-class").noun, sensitive_subject("age")
    ('health', 'money', None)
    """
    return _match_words(name, TOLD_IN_CONFIDENCE)


def is_called_as_columns_are(name: str) -> bool:
    """Return whether a name is one that columns have and cells hardly do.

    >>> is_called_as_columns_are("ZIP_code"), is_called_as_columns_are("Elm Street"), is_called_as_columns_are("Ann")
    (True, False, False)
    """
    words = {*words_of(name)}
    beside_attributes = _words(
        "code class status group band year date of day number no nr num level main primary person patient people count "
        "total home native first last full given family"
    )
    return bool(words & ATTRIBUTES) and words <= ATTRIBUTES | beside_attributes


def is_age(name: str) -> bool:
    """Return whether a column is called like an age or a birth, whose numbers are no codes.

    >>> is_age("birth_year"), is_age("agency")
    (True, False)
    """
    look = known_to_others(name)
    return look is not None and look.noun == "an age or a birth"


def is_sampling_weight(name: str) -> bool:
    """Return whether a column is named like a sampling weight: how many people a person stands for.

    >>> is_sampling_weight("wgt"), is_sampling_weight("final_weight"), is_sampling_weight("weight")
    (True, True, False)
    """
    words = {*words_of(name)}
    sampling_weights = _words(
        "wgt wt wts weights pweight pweights perwt personwt hhwt fnlwgt finalwt finalweight sampleweight "
        "samplingweight surveyweight wtint wtmec"
    )
    sampling = _words("sampling sample survey final design analysis household hh person calibrated")
    return bool(words & sampling_weights) or ("weight" in words and bool(words & sampling))


def is_free_text(name: str) -> bool:
    """Return whether a column is called like what people write in their own words.

    >>> is_free_text("Q13_comment"), is_free_text("ward")
    (True, False)
    """
    free_text = _words("comment comments note notes remark remarks narrative freetext description bemerkung kommentar")
    return bool({*words_of(name)} & free_text)
