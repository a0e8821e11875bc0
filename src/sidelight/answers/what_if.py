"""What an attacker with typed knowledge would conclude: whose beliefs move, about which value, and how far.

The release is in memory, and knowledge is parsed line by line as it is typed.  Facts are judged by counting worlds
(`posteriors`, exact fractions), statements P(…) by maximum entropy (`maxent`), as `believe` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from sidelight.answers import believe
from sidelight.answers.questions import BelieveRequest
from sidelight.answers.recipe import FileRecipe, Name, write_call, write_python
from sidelight.documents.document import DocumentPart
from sidelight.errors import BadHierarchy, BadKnowledge, SidelightError, did_you_mean
from sidelight.knowledge.facts import Has
from sidelight.knowledge.parse import Vocabulary, complete, read_fact
from sidelight.knowledge.statements import is_statement, read_statement
from sidelight.knowledge.tokens import quote
from sidelight.report.answer import Recipe
from sidelight.report.plots import description_of, specification, table_behind
from sidelight.rounding import in_words, short_decimal
from sidelight.table.labels import Label, shown
from sidelight.text import counted, shell
from sidelight.worlds.identify import identify
from sidelight.worlds.posterior import Belief

if TYPE_CHECKING:
    from sidelight.progress import Progress
    from sidelight.release.locate import Lookup
    from sidelight.release.release import Release
    from sidelight.table.hierarchy import Hierarchy

WHAT_IF_SECONDS = 60.0


class Mover(DocumentPart):
    """A person about whom beliefs move: the value that moves most, before and after."""

    about: str
    value: str
    before: str
    after: str
    before_number: float
    after_number: float


class BeliefChart(DocumentPart):
    """A chart as Vega-Lite, its description, and the table behind it."""

    specification: dict[str, Any]
    description: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int | float | None, ...], ...]


class WhatIfAnswer(DocumentPart):
    """Whose beliefs move, by which model, among how many people."""

    sentence: str
    model: Literal["worlds", "maximum entropy"]
    people: int
    movers: tuple[Mover, ...]
    surest: str | None = None
    notes: tuple[str, ...] = ()
    picture: BeliefChart | None = None


def read_line(
    release: Release, text: str, lookup: Lookup, wording: Callable[[SidelightError], str] = str
) -> dict[str, Any]:
    """Check a line by itself: return its `text` and its `problem`, if it has one.

    `marked` is the text before the mistake, the mistake, and the rest; None where its position is not known.
    """
    problem, position = _find_problem(release, text, lookup, wording)
    marked = None
    if position is not None:
        at = min(position, len(text))
        end = next((stop for stop in range(at + 1, len(text)) if not text[stop].isalnum()), len(text))
        marked = text[:at], text[at:end] or "␣", text[end:]
    return {"text": text, "problem": problem, "marked": marked}


def _find_problem(
    release: Release, text: str, lookup: Lookup, wording: Callable[[SidelightError], str]
) -> tuple[str, int | None]:
    """Return what is wrong with a line, or an empty text, and the position (from 0) where it is known."""
    if len(text) > 500:
        return "this is longer than 500 characters; say it in several lines", None
    try:
        if is_statement(text):
            read_statement(text)
            return "", None
        fact = read_fact(text)
        identify(release, fact.people(), lookup)
    except SidelightError as error:
        return wording(error), error.position if isinstance(error, BadKnowledge) else None
    # a value outside the domain is most often mistyped
    for atom in fact.atoms():
        if isinstance(atom, Has) and atom.value not in release.domain:
            name, names = shown(atom.value), [shown(each) for each in release.domain]
            problem = f"no sensitive value '{name}' in the release{did_you_mean(name, names)}"
            return problem, text.find(name) if name in text else None
    return "", None


def ask(release: Release, texts: Sequence[str], by: Mapping[str, Hierarchy], progress: Progress) -> WhatIfAnswer:
    """Conclude by counting worlds or, with statements P(…), from the distribution of largest entropy."""
    seconds = WHAT_IF_SECONDS if any(map(is_statement, texts)) else None
    request = BelieveRequest(files=("",), know=tuple(texts), top=10, seconds=seconds)
    believe.check_knowledge(request)
    answered = believe.conclude(request, release, by, progress)
    picture = None
    for chart in answered.charts():
        drawn, table = specification(chart), table_behind(chart)
        words = description_of(chart)
        picture = BeliefChart(specification=drawn, description=words, columns=table.columns, rows=table.rows)
        break
    common = {"people": release.size, "picture": picture}
    if isinstance(answered, believe.EntropyAnswer):
        return _describe_entropy(answered, len(texts), common)
    return _describe_worlds(answered, len(texts), common)


def _describe_worlds(answered: believe.WorldsAnswer, facts: int, common: dict[str, Any]) -> WhatIfAnswer:
    beliefs, most = [each for each in answered.people if isinstance(each, Belief)], answered.surest_guess
    movers = tuple(
        _describe_mover(believe.name_in_group(each), each.value, each.before[each.value], each[each.value], in_words)
        for each in beliefs
    )
    first, known = movers[0], f"Knowing {counted(facts, 'fact')}"
    moves = f"{known} moves no belief: {first.about} still has {first.value} with probability {first.after}."
    if beliefs[0].moved:
        moves = (
            f"{known}, somebody would be {first.after} sure that {first.about} has {first.value}, and was "
            f"{first.before} sure before."
        )
    assert most is not None
    return WhatIfAnswer(
        sentence=f"{moves} In groups that it does not mention nothing moves, of {counted(common['people'], 'person')}.",
        model="worlds",
        movers=movers,
        surest=f"{most.who()} has {shown(most.value)}, with probability {in_words(most.probability)}",
        notes=beliefs[0].notes,
        **common,
    )


def _describe_entropy(answered: believe.EntropyAnswer, statements: int, common: dict[str, Any]) -> WhatIfAnswer:
    movers = tuple(
        _describe_mover(each["about"], each["value"], each["before"], each["after"], _write_trusted)
        for each in answered.beliefs
    )
    first, known = movers[0], f"Knowing {counted(statements, 'statement')}"
    moves = f"{known} moves no belief"
    if first.before != first.after:
        moves = (
            f"{known}, somebody would be {first.after} sure that people with {first.about} have {first.value}, "
            f"and was {first.before} sure before"
        )
    return WhatIfAnswer(
        sentence=f"{moves}, by maximum entropy, of {counted(common['people'], 'person')}.",
        model="maximum entropy",
        movers=movers,
        notes=tuple(dict.fromkeys(answered.notes)),
        **common,
    )


def _write_trusted(probability: float) -> str:
    return short_decimal(believe.trusted_digits(probability))


def _describe_mover(about: str, value: Label, before: Any, after: Any, write: Callable[[Any], str]) -> Mover:  # noqa: ANN401 - as both models have them
    return Mover(
        about=about,
        value=shown(value),
        before=write(before),
        after=write(after),
        before_number=float(before),
        after_number=float(after),
    )


# Help with typing the lines.


def list_vocabulary(release: Release) -> Vocabulary:
    """Return the names that a line may use: the labels that the release prints."""
    columns = {column.name: column.sort_naturally().labels for column in release.groups.columns}
    return Vocabulary(columns, release.domain, len(release))


class Offers(DocumentPart):
    """The texts that may replace what is between `start` and the cursor, with what each one is."""

    start: int
    options: tuple[dict[Literal["text", "what"], str], ...]


def complete_line(text: str, at: int, words: Vocabulary) -> Offers:
    """Return the completions at the cursor."""
    start, options = complete(text, min(at, len(text)), words)
    return Offers(start=start, options=tuple({"text": text, "what": what} for text, what in options))


def list_examples(release: Release, by: Mapping[str, Hierarchy]) -> Iterator[tuple[str, str]]:
    """Yield examples: facts about a person of the first group, a statement about shares."""
    counts = release.groups.value_counts(0)
    if not counts:
        return
    most = max(counts, key=lambda each: counts[each])
    likely = quote(most)
    yield f"#1 != {likely}", f"someone in group 1 does not have {shown(most)}"
    if release.groups.sizes[0] > 1:
        yield f"#1.2 = {likely} -> #1 = {likely}", f"if another person of group 1 has {shown(most)}, so does the first"
    if release.semantics == "multiset":
        return
    # only of a label inside a printed one: the shares of printed labels follow from the release
    for column in release.groups.columns:
        name = column.name
        for printed in column.sort_naturally().labels if name in by else ():
            with suppress(BadHierarchy):  # a label outside the hierarchy, such as *
                cell = next((each for each in by[name].under(printed) if each != printed), None)
                if cell is not None:
                    yield (
                        f"P({likely} | {quote(name)}={quote(cell)}) <= 0.1",
                        f"at most a tenth of people with {name} {shown(cell)} have it",
                    )
                    return


def write_belief_recipe(file: FileRecipe, texts: Sequence[str]) -> Recipe:
    """Write the command and the Python that repeat it."""
    release, by = Name("release"), Name("hierarchies") if file.levels else None
    if any(map(is_statement, texts)):
        call, printing = write_call("sl.maxent", release, knowing=list(texts), by=by), ["print(beliefs.riskiest(10))"]
    else:
        call = write_call("sl.posteriors", release, given=list(texts), by=by)
        values = "belief, belief.value, belief.before[belief.value], belief[belief.value]"
        printing = ["for belief in beliefs.top(10):", f"    print({values})"]
    lines = [*file.reading(), "", f"beliefs = {call}", *printing]
    words = [*file.words("believe"), *(word for text in texts for word in ("--know", text))]
    first = ["# of the file as it is published; here it is made coarser first"] if file.levels else []
    return Recipe(commands=(*first, shell(words)), python=write_python(*lines))
