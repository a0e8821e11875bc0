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
    # k-anonymity or noise?

    How many people of each age, sex and occupation are there? The same table once in groups of at least ten
    people, once as counts with noise. What does each promise, and what does each cost?
    """)


@app.cell
def _(sl):
    adult = sl.datasets.adult(quasi=["age", "sex"])
    groups = sl.protect(adult.table, sl.GroupSize() >= 10, by=adult.hierarchies, ask="nobody")
    groups
    return adult, groups


@app.cell
def _(mo):
    mo.md("""
    ## What groups promise

    Every count is true. But who knows enough about others in a group is sure of the last one, however large the
    group is.
    """)


@app.cell
def _(groups, sl):
    [sl.Implications(facts).measure(groups.release).explain() for facts in (0, 3)]


@app.cell
def _(groups, sl):
    sl.disclosure_curve(groups.release, sl.Implications, {"k": range(13)}).plot()


@app.cell
def _(mo):
    mo.md("""
    ## What noise promises

    With ε = 1, whatever somebody knows and whatever else is published: how much surer can they become that you
    are in the table?
    """)


@app.cell
def _(sl):
    sl.semantic_privacy(epsilon=1).plot()


@app.cell
def _(mo):
    mo.md("""
    ## What noise costs

    Each count is a little wrong, by as much for a count of ten as for one of ten thousand: small counts suffer,
    large ones hardly notice.
    """)


@app.cell
def _(adult, sl):
    noisy = sl.noisy_counts(
        adult.table,
        by=adult.hierarchies,
        levels={"age": 2, "sex": 0},
        domain=adult.table.domain,
        epsilon=1,
        ledger="no ledger",
    )
    [
        *(
            f"a count is off by at most {noisy.margin(sure):g}, with a chance of {sure:.0%}"
            for sure in (0.5, 0.9, 0.99)
        ),
        noisy.promise_in_words(),
    ]


@app.cell
def _(mo):
    mo.md("""
    **So**: true counts with a promise about some readers, or counts that are a little wrong with a promise about
    all of them. Where the same people are published again and again, only the second adds up; where single rows
    are needed, only the first can give them.
    """)


if __name__ == "__main__":
    app.run()
