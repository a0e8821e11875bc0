"""Draw the pictures of `docs/do/draw.md` from the bundled data: `make pictures`."""

from pathlib import Path

import sidelight as sl
from sidelight.report.charts.risk_curves import risk_chart
from sidelight.report.plots import save_chart

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
VALUE = "Exec-managerial"


def main() -> None:
    """Draw them all."""
    adult = sl.datasets.adult(quasi=["age", "sex", "education", "race"])
    policy = sl.Policy(sl.GroupSize() >= 20, sl.Implications(2) <= 0.95)
    found = sl.protect(adult.table, policy, by=adult.hierarchies)
    finer = sl.protect(adult.table, sl.GroupSize() >= 5, method="mondrian")
    release = found.release
    kinds = [(sl.Implications, "k"), (sl.Negations, "k")]
    kinds += [(sl.Acquaintance, name) for name in ("rules_out", "others", "family")]
    curves = [sl.disclosure_curve(release, family, {name: range(13)}, value=VALUE) for family, name in kinds]
    charts = {
        "risk": risk_chart(curves, limit=0.5),
        "skyline": sl.knowledge_skyline(release, VALUE, below=0.95).plot(),
        "finding": found.verdict.judgements[1].plot(release),
        "group": sl.DistinctValues().measure(finer.release).plot(finer.release),
        "sizes": finer.plot("sizes"),
        "lattice": found.plot(),
        "tree": finer.plot(),
        "candidates": found.plot("candidates"),
        "beliefs": sl.maxent(release, "P(Exec-managerial | sex=Male) = 0.3").plot(),
        "exposure": sl.intersect([found, finer], people=adult.table).plot("belief", belief=0.5),
    }
    FOLDER.mkdir(exist_ok=True)
    for name, chart in charts.items():
        save_chart(chart, FOLDER / f"{name}.svg", force=True)


if __name__ == "__main__":
    main()
