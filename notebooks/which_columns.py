import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import sidelight as sl

    return mo, sl


@app.cell
def _(mo):
    mo.md("""
    # Which columns identify people?

    A health survey of 1,629 people (NHEFS), with age, sex, race, marital status, education and birthplace. Which
    of them together point at one person?
    """)


@app.cell
def _(sl):
    survey = sl.datasets.nhefs(quasi=["age", "sex", "race", "marital", "education", "birthplace"])
    columns = sl.identifying_columns(survey.table)
    columns.explain().splitlines()
    return columns, survey


@app.cell
def _(columns):
    columns.plot()


@app.cell
def _(mo):
    mo.md("""
    ## How little is enough

    A minimal unique is a set of columns on which somebody is alone, and on no smaller part of it. How many are
    there of which size, and which column is in them most?
    """)


@app.cell
def _(sl, survey):
    uniques = sl.minimal_uniques(survey.table)
    shares = sorted(uniques.fair_shares.items(), key=lambda item: -item[1])
    [f"of {size}: {many:,}" for size, many in uniques.by_size().items()] + [
        f"share of {name}: {float(share):.1%}" for name, share in shares
    ]


@app.cell
def _(mo):
    mo.md("""
    ## With coarser ages

    Ages in tens: how many can still be singled out by three facts?
    """)


@app.cell
def _(sl, survey):
    levels = {"as they are": 0, "in fives": 1, "in tens": 2}
    [
        f"ages {words}: "
        + sl.SinglingOut(facts=3)
        .measure(sl.generalise(survey.table, by=survey.hierarchies, to={"age": level}))
        .explain()
        for words, level in levels.items()
    ]


@app.cell
def _(mo):
    mo.md("""
    **So**: hardly anybody is found by one column, and most people by three. Leave out or coarsen first what the
    fair shares put first, and look again.
    """)


if __name__ == "__main__":
    app.run()
