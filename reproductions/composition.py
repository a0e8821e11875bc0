"""The experiments of Ganta, Kasiviswanathan and Smith (KDD 2008) on Adult: two releases that do not know of each other.

    python reproductions/composition.py                    prints the tables; about two minutes
    python reproductions/composition.py --repetitions 2    quicker
    python reproductions/composition.py --json FOLDER      also writes the curves

5,000 of Adult's people are in both samples, and half of the others in each.  The paper's own figures are plots without
numbers; what they show, and these tables should: breaches fall with k and stay, diversity and closeness help and do not
stop it, and groups grow.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import sidelight as sl

QUASI = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
FIGURES = ("perfect", "vulnerable", "promised", "actual", "before", "after", "guessed", "gain", "loss")


def policies() -> dict[str, dict[str, sl.Policy]]:
    """One family of policies per figure."""
    enough = sl.GroupSize() >= 5
    return {
        "k-anonymity": {f"k = {k}": sl.Policy(sl.GroupSize() >= k) for k in (2, 5, 10, 20, 50)},
        "and entropy diversity": {f"l = {n}": sl.Policy(enough, sl.EntropyDiversity() >= n) for n in (2, 3, 5, 7)},
        "and closeness": {f"t = {t}": sl.Policy(enough, sl.Closeness() <= t) for t in (0.5, 0.4, 0.3, 0.2)},
        "and (c, k)-safety": {f"k = {k}": sl.Policy(enough, sl.Implications(k) < 0.9) for k in (1, 3)},
    }


def show(title: str, simulation: sl.Simulation) -> None:
    print(f"\n### {title}\n")
    print("| method | policy | " + " | ".join(FIGURES) + " |")
    print("| --- | --- |" + " ---: |" * len(FIGURES))
    for point in simulation.points:
        shown = [
            f"{each.mean:.3f} ± {(each.high or each.mean) - each.mean:.3f}"
            for each in map(point.estimates.get, FIGURES)
            if each
        ]
        print(f"| {point.method} | {point.policy} | " + " | ".join(shown) + " |", flush=True)
    print("\nshare of people with 1/candidates ≥ c:\n")
    confidences = list(next(point.partial for point in simulation.points if point.partial))
    print("| method | policy | " + " | ".join(map(str, confidences)) + " |")
    print("| --- | --- |" + " ---: |" * len(confidences))
    for point in simulation.points:
        print(
            f"| {point.method} | {point.policy} | "
            + " | ".join(f"{each.mean:.3f}" for each in point.partial.values())
            + " |"
        )


def main(repetitions: int, folder: Path | None) -> None:
    adult = sl.datasets.adult(quasi=QUASI)
    for title, tried in policies().items():
        methods = ["mondrian"]
        if title == "k-anonymity":
            methods += ["microaggregation", ("mondrian", "microaggregation")]
        simulation = sl.simulate_composition(
            adult.table, overlap=5_000, methods=methods, policies=tried, repetitions=repetitions, seed=2008
        )
        show(title, simulation)
        if folder is not None:
            folder.mkdir(exist_ok=True)
            (folder / f"{title}.json").write_text(simulation.to_json())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    main(options.repetitions, options.json)
