import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
    import numpy as np
    import pyarrow.parquet as pq

    import sidelight as sl

    return mo, np, pq, sl


@app.cell
def _(mo):
    mo.md("""
    # Two hospitals publish the same patients

    Each keeps the rule that everybody stands among at least ten. Some patients went to both. What do the two
    releases say together? Adult's people play the patients, and occupation the disease.
    """)


@app.cell
def _(np, pq, sl):
    known = ["age", "sex", "education", "race"]
    people = pq.read_table(sl.datasets.adult().path).drop_null()
    chance = np.random.default_rng(2008)
    here, there = (chance.random(people.num_rows) < 0.5 for _ in range(2))
    roles = {"quasi": known, "sensitive": "occupation"}
    first, second, both = (sl.read_table(people.filter(rows), **roles) for rows in (here, there, here & there))
    both
    return both, first, second


@app.cell
def _(mo):
    mo.md("""
    ## Each by itself

    Both are cut by Mondrian, without a word to each other.
    """)


@app.cell
def _(first, second, sl):
    releases = [sl.protect(each, sl.GroupSize() >= 10, method="mondrian", ask="nobody") for each in (first, second)]
    [str(each.release) for each in releases]
    return (releases,)


@app.cell
def _(mo):
    mo.md("""
    ## Together

    Somebody who knows that a person was a patient of both looks them up in both, and keeps the values that both
    allow.
    """)


@app.cell
def _(both, releases, sl):
    exposure = sl.intersect(releases, people=both)
    exposure.explain().splitlines()
    return (exposure,)


@app.cell
def _(exposure):
    exposure.plot("belief", belief=0.5)


@app.cell
def _(mo):
    mo.md("""
    **So**: what one release promises ends where the next begins. Ask `sl.intersect` before a second release about
    the same people, or publish counts with noise, whose promise adds up.
    """)


if __name__ == "__main__":
    app.run()
