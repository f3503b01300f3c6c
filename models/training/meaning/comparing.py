"""The second look: the few options that the first look leaves open are read together with the turn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn import functional

from grice.models.meaning.inputs import TurnPieces
from grice.models.training.meaning.loss_parts import Step, TurnStep
from grice.models.training.meaning.network import SLOT_STATES, MeaningNetwork, Readings

MOST_MEANINGS, MOST_SLOTS = 3, 1
OPEN_SLOT = 0.05


@dataclass(frozen=True)
class Chosen:
    """Places of options of one turn: meanings, then each slot followed by its values."""

    meanings: tuple[int, ...]
    slots: tuple[tuple[int, int], ...]  # place and number of values

    @property
    def places(self) -> list[int]:
        return [*self.meanings, *(at for place, count in self.slots for at in range(place, place + 1 + count))]


def slots_of(step: Step) -> list[tuple[int, int, str]]:
    place, found = len(step.menu.meanings), []
    for slot, values in step.menu.slots:
        if values:
            found.append((place, len(values), slot.name))
        place += 1 + len(values)
    return found


def choose(readings: Readings, step: Step, part: Sequence[TurnStep], chance: random.Random | None = None) -> list[Chosen]:
    """What is looked at again; in training (`chance`) the gold meaning and a slot that is spoken of, mostly."""
    own = len(step.menu.meanings)
    best = readings.meaning[:, :own].topk(min(MOST_MEANINGS, own), dim=1).indices.tolist()
    meanings = {(option.kind, option.name): place for place, option in enumerate(step.menu.meanings)}
    slots = slots_of(step)
    spoken = 1 - readings.slot_states.softmax(2)[:, :, 0]
    found = []
    for row, (_, _, target) in enumerate(part):
        places = best[row]
        if chance and target.meaning is not None and meanings[target.meaning] not in places:
            places = [*places, meanings[target.meaning]]
        order = sorted(slots, key=lambda slot: -float(spoken[row, slot[0]]))
        if chance is None:
            taken = [slot for slot in order if spoken[row, slot[0]] >= OPEN_SLOT][:MOST_SLOTS]
        elif target.mentions is None:
            taken = []
        else:
            said = [slot for slot in slots if slot[2] in target.mentions]
            taken = [chance.choice(said)] if said and chance.random() < 0.7 else order[:1]
        found.append(Chosen(tuple(places), tuple((place, count) for place, count, _ in taken)))
    return found


def refine(network: MeaningNetwork, readings: Readings, step: Step, part: Sequence[TurnStep], chosen: Sequence[Chosen]) -> Readings:
    """The readings with what the second look adds; the first look gets no gradient of it."""
    turns: list[TurnPieces] = [pieces for _, pieces, _ in part]
    options = [[(step.texts[place][0], step.kinds[place]) for place in each.places] for each in chosen]
    scores, states = network.compare(turns, options)
    meaning, values, slot_states = (each.detach().clone() for each in (readings.meaning, readings.values, readings.slot_states))
    for row, each in enumerate(chosen):
        at = len(each.meanings)
        meaning[row, list(each.meanings)] = meaning[row, list(each.meanings)] + scores[row, :at]
        for place, count in each.slots:
            slot_states[row, place] = slot_states[row, place] + states[row, at]
            values[row, place + 1 : place + 1 + count] = values[row, place + 1 : place + 1 + count] + scores[row, at + 1 : at + 1 + count]
            at += 1 + count
    return replace(readings, meaning=meaning, values=values, slot_states=slot_states)


def second_loss(
    network: MeaningNetwork, readings: Readings, step: Step, part: Sequence[TurnStep], chance: random.Random
) -> Tensor:
    chosen = choose(readings, step, part, chance)
    refined = refine(network, readings, step, part, chosen)
    meanings = {(option.kind, option.name): place for place, option in enumerate(step.menu.meanings)}
    slots = {place: (slot.name, values) for (place, _, _), (slot, values) in zip(
        slots_of(step), [each for each in step.menu.slots if each[1]], strict=True)}
    total = torch.zeros(())
    for row, (each, (_, _, target)) in enumerate(zip(chosen, part, strict=True)):
        if target.meaning is not None:
            gold = each.meanings.index(meanings[target.meaning])
            total = total + functional.cross_entropy(refined.meaning[row, list(each.meanings)], torch.tensor(gold))
        for place, count in each.slots:
            name, values = slots[place]
            mention = (target.mentions or {}).get(name)
            state = torch.tensor(SLOT_STATES.index(mention.said if mention else "silent"))
            total = total + 0.7 * functional.cross_entropy(refined.slot_states[row, place], state)
            if mention and mention.values:
                names = [value.value for value in values]
                gold_values = torch.zeros(count)
                gold_values[[names.index(value) for value in mention.values]] = 1 / len(mention.values)
                total = total + functional.cross_entropy(refined.values[row, place + 1 : place + 1 + count], gold_values)
    return total
