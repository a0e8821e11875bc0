"""What the peers do, each in its own environment: one task, timed from after its imports, as JSON.

    .venv-peers/tables/bin/python benchmarks/peer_tasks.py pycanon FOLDER

Started by `peers`, which makes the environments and leaves each task's input in the folder.  Nothing of ours is
imported here.  A task gives what it imports and does before the clock starts, and then the work: {"answer": …,
"operations": …}.
"""
# ruff: noqa: PLC0415 - each environment has its own packages

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

Work = Callable[[], dict[str, object]]


def pycanon(folder: Path, told: dict) -> Work:
    """The classic measures of a release."""
    import pandas as pd
    import pycanon.anonymity as canon

    quasi, sensitive = told["quasi"], [told["sensitive"]]

    def work() -> dict[str, object]:
        release = pd.read_csv(folder / "release.csv", dtype=str)
        c, least = canon.recursive_c_l_diversity(release, quasi, sensitive)
        answer = {
            "group size": canon.k_anonymity(release, quasi),
            "distinct values": canon.l_diversity(release, quasi, sensitive),
            "entropy diversity": canon.entropy_l_diversity(release, quasi, sensitive),
            f"recursive diversity, l = {least}": c,
            "closeness": canon.t_closeness(release, quasi, sensitive),
            "β-likeness": canon.basic_beta_likeness(release, quasi, sensitive),
            "β-likeness, enhanced": canon.enhanced_beta_likeness(release, quasi, sensitive),
            "δ-disclosure": canon.delta_disclosure(release, quasi, sensitive),
        }
        return {"answer": {name: float(value) for name, value in answer.items()}, "operations": None}

    return work


def anonypy(folder: Path, told: dict) -> Work:
    """Mondrian, as its README calls it."""
    import anonypy as package
    import pandas as pd
    from anonypy import anonymity

    looked = {"at": 0}
    enough = anonymity.is_k_anonymous

    def counted(partition: object, k: int) -> bool:
        looked["at"] += 1
        return enough(partition, k)

    anonymity.is_k_anonymous = counted

    def work() -> dict[str, object]:
        people = pd.read_csv(folder / "people.csv", dtype=dict.fromkeys(told["words"], "category"))
        preserver = package.Preserver(people, told["quasi"], told["sensitive"])
        rows = pd.DataFrame(preserver.anonymize_k_anonymity(k=told["k"]))
        sizes = rows["count"].groupby([rows[name].map(str) for name in told["quasi"]]).sum()
        return {
            "answer": {"smallest group": int(sizes.min()), "groups": len(sizes), "people": int(sizes.sum())},
            "operations": f"{looked['at']:,} halves looked at",
        }

    return work


def anjana(folder: Path, told: dict) -> Work:
    """The generalisation that its search finds."""
    import numpy as np
    import pandas as pd
    import pycanon.anonymity
    from anjana.anonymity import k_anonymity, utils

    looked = {"at": 0}
    measured = pycanon.anonymity.k_anonymity

    def counted(data: object, quasi: object) -> int:
        looked["at"] += 1
        return measured(data, quasi)

    pycanon.anonymity.k_anonymity = counted

    def work() -> dict[str, object]:
        people = pd.read_csv(folder / "people.csv", dtype=str)
        hierarchies = {
            name: {level: np.array(labels) for level, labels in enumerate(levels)}
            for name, levels in told["hierarchies"].items()
        }
        release = k_anonymity(people, [], list(told["quasi"]), told["k"], 0, hierarchies)
        levels = utils.get_transformation(release, told["quasi"], hierarchies)
        return {
            "answer": {
                "levels": dict(zip(told["quasi"], levels, strict=True)),
                "smallest group": int(measured(release, told["quasi"])),
                "groups": int(release.groupby(told["quasi"]).ngroups),
            },
            "operations": f"{looked['at']:,} generalisations looked at",
        }

    return work


def cvxpy(folder: Path, told: dict) -> Work:
    """The amounts of largest entropy that have the given sums."""
    import cvxpy as cp
    import numpy as np
    from scipy import sparse

    matrix = sparse.csr_matrix(sparse.load_npz(folder / f"{told['problem']}.npz"))
    right = np.load(folder / f"{told['problem']}.npy")

    def work() -> dict[str, object]:
        amounts = cp.Variable(matrix.shape[1])
        program = cp.Problem(cp.Maximize(cp.sum(cp.entr(amounts))), [matrix @ amounts == right])
        program.solve(solver=cp.CLARABEL)
        np.save(folder / "cvxpy.npy", amounts.value)
        return {
            "answer": {"farthest sum, in people": float(np.abs(matrix @ amounts.value - right).max())},
            "operations": f"{program.solver_stats.num_iters} steps of {matrix.shape[1]:,} amounts",
        }

    return work


def anonymeter(folder: Path, told: dict) -> Work:
    """One of the three risks of WP216, of a file that is published as it is."""
    import pandas as pd
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

    makers = {
        "singling out": lambda people, attacks: SinglingOutEvaluator(
            people[told["quasi"]], people[told["quasi"]], n_attacks=attacks, n_cols=3, max_attempts=100_000, seed=1
        ),
        "linkability": lambda people, attacks: LinkabilityEvaluator(
            people, people, aux_cols=(told["one"], told["other"]), n_attacks=attacks
        ),
        "inference": lambda people, attacks: InferenceEvaluator(
            people, people, aux_cols=told["quasi"], secret=told["sensitive"], n_attacks=attacks
        ),
    }

    def evaluated(people: pd.DataFrame, attacks: int) -> object:
        evaluator = makers[told["risk"]](people, attacks)
        evaluator.evaluate() if told["risk"] == "singling out" else evaluator.evaluate(n_jobs=1)
        return evaluator.results().attack_rate

    evaluated(pd.read_csv(folder / "people.csv", nrows=200), 5)  # compiles its distances, which is not timed

    def work() -> dict[str, object]:
        rate = evaluated(pd.read_csv(folder / "people.csv"), told["attacks"])
        return {
            "answer": {told["risk"]: float(rate.value), "±": float(rate.error)},
            "operations": f"{told['attacks']:,} attacks",
        }

    return work


def sdmetrics(folder: Path, told: dict) -> Work:
    """Correct attribution probability."""
    import pandas as pd
    from sdmetrics.single_table import CategoricalCAP

    def work() -> dict[str, object]:
        people = pd.read_csv(folder / "people.csv", dtype=str)[[*told["quasi"], told["sensitive"]]]
        score = CategoricalCAP.compute(people, people, key_fields=told["quasi"], sensitive_fields=[told["sensitive"]])
        return {"answer": {"protection, 1 − CAP": float(score)}, "operations": f"{2 * len(people):,} rows gone through"}

    return work


TASKS = {
    "pycanon": pycanon,
    "anonypy": anonypy,
    "anjana": anjana,
    "cvxpy": cvxpy,
    "anonymeter": anonymeter,
    "sdmetrics": sdmetrics,
}


def main(task: str, folder: str) -> None:
    """Do one task and print its figures."""
    warnings.simplefilter("ignore")
    place = Path(folder)
    work = TASKS[task](place, json.loads((place / "told.json").read_text(encoding="utf-8")))
    wall, processor = time.perf_counter(), time.process_time()
    outcome = work()
    figures = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - processor}
    print("\n" + json.dumps(figures | outcome))


if __name__ == "__main__":
    main(*sys.argv[1:])
