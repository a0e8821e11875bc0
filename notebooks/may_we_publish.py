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
    # May we publish this table?

    A table of 45,222 people, with age, sex, education, race and occupation. Everybody's neighbours know the first
    four; nobody should learn the last. What would it reveal as it is, and what could be published instead?
    """)


@app.cell
def _(sl):
    adult = sl.datasets.adult(quasi=["age", "sex", "education", "race"])
    as_it_is = sl.group(adult.table)
    as_it_is
    return adult, as_it_is


@app.cell
def _(mo):
    mo.md("""
    ## What it reveals as it is

    A policy says what is too much: a group must have 20 people, and somebody who knows two things of the kind "if
    Ann has this, then Tom has that" must stay less than 95 % sure of anybody.
    """)


@app.cell
def _(as_it_is, sl):
    policy = sl.Policy(sl.GroupSize() >= 20, sl.Implications(2) <= 0.95)
    verdict = policy.judge(as_it_is)
    [judgement.finding.explain() for judgement in verdict.judgements]
    return policy, verdict


@app.cell
def _(verdict):
    verdict.plot()


@app.cell
def _(mo):
    mo.md("""
    ## What could be published

    The search goes through the levels of the hierarchies and gives the most useful release within the policy.
    """)


@app.cell
def _(adult, policy, sl):
    found = sl.protect(adult.table, policy, by=adult.hierarchies)
    found
    return (found,)


@app.cell
def _(found):
    found.plot()


@app.cell
def _(mo):
    mo.md("""
    ## Who was asked besides

    Two readers that a policy does not name: one who trains a model on the release, and one who knows how it was
    made. "Could not tell" is an answer too, and is not "safe".
    """)


@app.cell
def _(found):
    beliefs = ["" if each.belief is None else f": nobody above {each.belief:.0%}" for each in found.readers]
    [
        f"{each.reader}: {each.outcome} ({each.reason}){belief}"
        for each, belief in zip(found.readers, beliefs, strict=True)
    ]


@app.cell
def _(mo):
    mo.md("""
    **So**: not as it is. With ages in tens, no sex or race and education in broad kinds, within this policy,
    against the readers that it names. `found.publish("release.parquet")` writes it, reads it back and judges it
    once more.
    """)


if __name__ == "__main__":
    app.run()
