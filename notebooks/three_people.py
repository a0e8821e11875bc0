import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import sidelight as sl
    from sidelight.report.charts.risk_curves import risk_chart

    return mo, risk_chart, sl


@app.cell
def _(mo):
    mo.md("""
    # What does our neighbour learn who knows three people?

    A release in which everybody stands among at least twenty. A neighbour knows three things about people in it.
    How sure can she be of a fourth?
    """)


@app.cell
def _(sl):
    adult = sl.datasets.adult(quasi=["age", "sex", "education", "race"])
    found = sl.protect(adult.table, sl.GroupSize() >= 20, by=adult.hierarchies, ask="nobody")
    release = found.release
    release
    return (release,)


@app.cell
def _(mo):
    mo.md("""
    ## The worst three things

    Of all sets of three facts, which makes somebody's occupation surest? Three times "he is no …", about the same
    person; or three times "if this one is a …, then that one is a …".
    """)


@app.cell
def _(release, sl):
    [sl.Negations(3).measure(release).explain(), sl.Implications(3).measure(release).explain()]


@app.cell
def _(mo):
    mo.md("""
    ## Not three, but more

    The curve for every number of facts, for both kinds and for family and friends whose values are known.
    """)


@app.cell
def _(release, risk_chart, sl):
    kinds = [(sl.Implications, "k"), (sl.Negations, "k"), (sl.Acquaintance, "others"), (sl.Acquaintance, "family")]
    curves = [sl.disclosure_curve(release, measure, {name: range(13)}) for measure, name in kinds]
    risk_chart(curves, limit=0.9)


@app.cell
def _(mo):
    mo.md("""
    ## A story instead of the worst case

    Two wards of five; Hannah and Charlie are a couple. What does it tell about Charlie that Hannah's
    flu would be his?
    """)


@app.cell
def _(sl):
    wards = sl.Release.from_groups(
        [
            (["Bob", "Charlie", "Dave", "Ed", "Frank"], ["Flu", "Flu", "Lung", "Lung", "Heart"]),
            (["Gloria", "Hannah", "Irma", "Jane", "Karen"], ["Flu", "Flu", "Breast", "Ovarian", "Heart"]),
        ]
    )
    stories = [
        "Hannah = Flu -> Charlie = Flu",
        "Dave != Flu and Ed != Flu",
        "Dave != Flu and Ed != Flu and Frank != Flu",
    ]
    [f"{story}: {sl.posterior(wards, 'Charlie = Flu', given=story)}" for story in stories]


@app.cell
def _(mo):
    mo.md("""
    **So**: a group of twenty is no promise about somebody who knows three people. The number to bound is the risk
    for as many facts as a neighbour may have: `sl.Implications(3) <= 0.9` in the policy.
    """)


if __name__ == "__main__":
    app.run()
