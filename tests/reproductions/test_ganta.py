"""The experiments of Ganta, Kasiviswanathan and Smith run."""

import ganta


def test_a_quick_run_leaves_figures_and_tables(tmp_path):
    ganta.main(["--quick", "--out", str(tmp_path)])
    names = {each.name for each in tmp_path.iterdir()}
    assert names >= {
        "perfect.svg",
        "partial.png",
        "sizes.svg",
        "drop.svg",
        "diversity.csv",
        "closeness.svg",
        "noise.md",
    }
