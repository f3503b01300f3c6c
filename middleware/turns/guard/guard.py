"""Refuses a rewrite that the dialogue does not support."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grice.middleware.turns.analysis import Finding
from grice.middleware.turns.guard.choices import added_choices, dropped_choices, turned_choices
from grice.middleware.turns.guard.evidence import Fact, find_facts, offered, squashed
from grice.middleware.turns.guard.names import Text, added_names, dropped_names
from grice.middleware.turns.guard.polarity import flipped
from grice.models.dialogue import Dialogue


class Guard:
    """Compares a rewrite with the turn and its history."""

    def check(self, dialogue: Dialogue, rewrite: str) -> tuple[Finding, ...]:
        """What speaks against `rewrite` as another form of the last turn of `dialogue`; empty if nothing does."""
        turn = dialogue.last.text
        history = [earlier.text for earlier in reversed(dialogue.history)]
        ours, others, new = Text(turn), [Text(text) for text in history], Text(rewrite)
        return (
            *_added_facts(turn, history, rewrite),
            *added_names(new, [ours, *others]),
            *added_choices(turn, history, rewrite),
            *_dropped_facts(turn, rewrite),
            *dropped_names(ours, others, new),
            *dropped_choices(turn, rewrite),
            *turned_choices(turn, rewrite),
            *flipped(turn, rewrite),
        )


def _added_facts(turn: str, history: Sequence[str], rewrite: str) -> Iterator[Finding]:
    missing = [fact for fact in find_facts(rewrite) if fact.needs]
    for text in (turn, *history):
        if missing:
            missing = _unsupported(missing, text)
    for fact in missing:
        yield Finding("added", fact.what, fact.text)


def _dropped_facts(turn: str, rewrite: str) -> Iterator[Finding]:
    given = [fact for fact in find_facts(turn) if fact.needs]
    if given:
        for fact in _unsupported(given, rewrite):
            yield Finding("dropped", fact.what, fact.text)


def _unsupported(facts: Sequence[Fact], text: str) -> list[Fact]:
    keys = offered(find_facts(text))
    left = [fact for fact in facts if fact.needs.isdisjoint(keys)]
    if not any(fact.verbatim for fact in left):
        return left
    letters = squashed(text)
    return [fact for fact in left if not fact.verbatim or fact.verbatim not in letters]
