"""A made-up file as people have them: numbers of patients, e-mails, days, gaps, several rows per person, free text."""

from __future__ import annotations

import csv
import random
from pathlib import Path

COLUMNS = (
    "visit_id",
    "patient_id",
    "Full name",
    "eMail",
    "birth_date",
    "sex",
    "zip",
    "visit_date",
    "ward",
    "diagnosis",
    "creatinine",
    "notes",
    "country",
    "flag",
)


def write_visits(path: Path, *, people: int = 300, seed: int = 7) -> Path:
    """Write one to three visits of each of so many people who never lived."""
    draw = random.Random(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        visit = 0
        for person in range(people):
            first, last = draw.choice(("Ann", "Bea", "Cat", "Dan")), f"Miller{person}"
            born = f"{draw.randint(1930, 2005)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            own = (born, draw.choice("fm?"), f"{draw.randint(0, 40):05}")
            for _ in range(draw.randint(1, 3)):
                visit += 1
                writer.writerow(
                    (
                        f"V{visit:06}",
                        10_000 + person,
                        f"{first} {last}",
                        f"{first}.{person}@example.org".lower(),
                        *own,
                        f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
                        draw.choice("ABC"),
                        draw.choice(("Flu", "Cold", "Asthma", "Ulcer", "?", "")),
                        f"{draw.uniform(0.4, 3.1):.3f}",
                        f"came in at {visit} o'clock and was not at all happy about case {person}",
                        "Utopia",
                        draw.choice(("yes", "no")),
                    )
                )
    return path
