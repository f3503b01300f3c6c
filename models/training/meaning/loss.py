"""What the reader of meaning is told of its readings: one loss of a menu's turns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import partial

import torch
from torch import Tensor
from torch.nn import functional

from grice.models.meaning.inputs import TurnPieces
from grice.models.meaning.results import TURN_KINDS
from grice.models.training.meaning.network import SLOT_STATES, MeaningNetwork, Readings
from grice.models.training.meaning.samples import Target
from grice.models.training.meaning.steps import TURNS_AT_ONCE, ReadTexts, Step, TurnStep, Words

DIRECT, INDIRECT = TURN_KINDS.index("direct"), TURN_KINDS.index("indirect")


def step_loss(network: MeaningNetwork, step: Step) -> Tensor:
    """The mean loss of the step's turns."""
    texts = [text for each in step.texts for text in each] + [pieces.ids for _, pieces, _ in step.turns]
    read = network.read_together([*texts, *(text for text in (*step.plain, *step.misread) if text)])
    options = network.read_options(step.texts, step.kinds, step.owners, read)
    total = torch.zeros(())
    directness, vectors = [], []
    for start in range(0, len(step.turns), TURNS_AT_ONCE):
        part = step.turns[start : start + TURNS_AT_ONCE]
        readings = network([pieces for _, pieces, _ in part], options, read)
        total = total + _loss(readings, step, part)
        directness.append(readings.turn_kinds[:, DIRECT] - readings.turn_kinds[:, INDIRECT])
        vectors.append(readings.turns)
    total = total + order_loss(torch.cat(directness), [target for _, _, target in step.turns])
    read_plain = partial(network.read_texts, read=read)
    told = plain_loss(torch.cat(vectors), step.plain, step.misread, read_plain, network.joint.scale.exp())
    return (total + 0.5 * told) / len(step.turns)


def plain_loss(turns: Tensor, plain: Sequence[Words], misread: Sequence[Words], read: ReadTexts, scale: Tensor) -> Tensor:
    """Of the plain forms and the wrong readings of all turns, the own plain form shall lie nearest to a turn.

    Args:
        turns: (turns, width) of unit length, as what `read` makes of texts in order of their length.
        plain, misread: of each turn, as `Step` has them. scale: of cosines.
    """
    rows = [row for row, text in enumerate(plain) if text]
    if not rows:
        return torch.zeros(())
    texts = sorted({text for text in (*plain, *misread) if text}, key=len)
    scores = scale * turns[rows] @ read(texts).T
    return functional.cross_entropy(scores, torch.tensor([texts.index(plain[row]) for row in rows]), reduction="sum")


def order_loss(directness: Tensor, targets: Sequence[Target]) -> Tensor:
    """Of each pair of forms of one turn the more direct shall have the larger score."""
    forms: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for row, target in enumerate(targets):
        if target.compared:
            name, place = target.compared
            forms[name].append((place, row))
    gaps = [
        directness[row] - directness[other]
        for each in forms.values()
        for place, row in each
        for farther, other in each
        if place < farther
    ]
    return functional.softplus(-torch.stack(gaps)).sum() if gaps else torch.zeros(())


def _loss(readings: Readings, step: Step, part: Sequence[TurnStep]) -> Tensor:
    """The summed loss of some turns."""
    targets = [target for _, _, target in part]
    loss = _meaning_loss(readings, step, targets)
    known = [row for row, target in enumerate(targets) if target.kind is not None]
    if known:
        kinds = torch.tensor([TURN_KINDS.index(targets[row].kind) for row in known])
        loss = loss + 0.6 * functional.cross_entropy(readings.turn_kinds[known], kinds, reduction="sum")
    known = [row for row, target in enumerate(targets) if target.changes is not None]
    if known:
        changes = torch.tensor([float(bool(targets[row].changes)) for row in known])
        loss = loss + 0.3 * functional.binary_cross_entropy_with_logits(readings.changes[known], changes, reduction="sum")
    for row, turn in enumerate(part):
        target = turn[2]
        if target.option:
            chosen = torch.tensor(min(target.option, readings.chosen.size(1)) - 1)
            loss = loss + 0.3 * functional.cross_entropy(readings.chosen[row], chosen)
        if target.judged:
            loss = loss + 0.5 * functional.cross_entropy(readings.judged[row], torch.tensor(target.judged))
        if target.mentions is not None and step.menu.slots:
            loss = loss + _slot_loss(readings, row, step, turn)
    return loss


def _meaning_loss(readings: Readings, step: Step, targets: Sequence[Target]) -> Tensor:
    meanings = {(option.kind, option.name): place for place, option in enumerate(step.menu.meanings)}
    known = [row for row, target in enumerate(targets) if target.meaning is not None]
    if not known:
        return torch.zeros(())
    gold = torch.tensor([meanings[targets[row].meaning] for row in known])  # type: ignore[index]
    own = slice(0, len(step.menu.meanings))
    joint = functional.cross_entropy(readings.meaning[known, own], gold, reduction="sum")
    return joint + 0.5 * functional.cross_entropy(readings.cosine[known, own], gold, reduction="sum")


def _slot_loss(readings: Readings, row: int, step: Step, turn: TurnStep) -> Tensor:
    """States of all slots, values of those that are spoken of."""
    dialogue, pieces, target = turn
    loss = torch.zeros(())
    place = len(step.menu.meanings)
    places, states = [], []
    for slot, values in step.menu.slots:
        mention = (target.mentions or {}).get(slot.name)
        places.append(place)
        states.append(SLOT_STATES.index(mention.said if mention else "silent"))
        if mention and mention.values:
            names = [value.value for value in values]
            gold = torch.zeros(len(values))
            gold[[names.index(value) for value in mention.values]] = 1 / len(mention.values)
            scores = readings.values[row, place + 1 : place + 1 + len(values)]
            loss = loss + 2 * functional.cross_entropy(scores, gold)
        elif mention and mention.words:
            loss = loss + _span_loss(readings, row, place, find_words(dialogue.last.text, mention.words, pieces))
        place += 1 + len(values)
    return loss + 0.75 * functional.cross_entropy(readings.slot_states[row, places], torch.tensor(states), reduction="sum")


def _span_loss(readings: Readings, row: int, place: int, span: tuple[int, int] | None) -> Tensor:
    if span is None:
        return torch.zeros(())
    start, end = (
        functional.cross_entropy(scores[row, place], torch.tensor(at))
        for scores, at in zip((readings.starts, readings.ends), span, strict=True)
    )
    return 0.3 * (start + end)


def find_words(text: str, words: str, pieces: TurnPieces) -> tuple[int, int] | None:
    """Places of the first and the last piece of `words` in the turn; None where it does not have them."""
    begin = text.lower().find(words.lower())
    if begin < 0:
        return None
    inside = [place for place, (start, end) in enumerate(pieces.offsets) if start < begin + len(words) and end > begin]
    return (pieces.start + inside[0], pieces.start + inside[-1]) if inside else None
