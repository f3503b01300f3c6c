"""Intents of a menu that stand for replies: by `affirm` a bot means what every bot is told by "yes"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from grice.models.meaning.menu import REPLIES, MenuOption
from grice.models.runtime.heads import Floats

LIKE_FROM = 0.55
"""From this cosine of their words on an intent stands for an act."""
LISTED_AS = {"yes-but": "yes", "no-but": "no"}
"""What else stands for an act where no intent does."""
LISTED = (*(act for act in REPLIES if act != "option"), "courtesy")


def find_stand_ins(options: Sequence[MenuOption], vectors: Floats) -> dict[str, str]:
    """By act, the name of the one intent that stands for it; acts for which none or several do are left out.

    A menu of one intent lists no replies: there the intent may be a sentence that a turn is held against.

    Args:
        vectors: (options, width) of unit length.
    """
    acts = [place for place, option in enumerate(options) if option.kind == "act"]
    intents = [place for place, option in enumerate(options) if option.kind == "intent"]
    found: dict[str, list[str]] = {}
    for place in intents if len(intents) > 1 else ():
        cosines = vectors[acts] @ vectors[place]
        best = options[acts[int(cosines.argmax())]].name
        if best in LISTED and cosines.max() >= LIKE_FROM:
            found.setdefault(best, []).append(options[place].name)
    single = {act: names[0] for act, names in found.items() if len(names) == 1}
    return {act: single[like] for act in LISTED if (like := act if act in found else LISTED_AS.get(act, act)) in single}


def give_to_stand_ins(meaning: Floats, options: Sequence[MenuOption], stand_ins: Mapping[str, str]) -> Floats:
    """Scores (options,) in which an intent that stands for acts has their shares, too, and these have none."""
    places = {(option.kind, option.name): place for place, option in enumerate(options)}
    given: Floats = meaning.copy()
    for act, name in stand_ins.items():
        own, other = places.get(("intent", name)), places.get(("act", act))
        if own is not None and other is not None:
            given[own] = np.logaddexp(given[own], given[other])
            given[other] = NO_SHARE
    return given


def leave_out_answers(meaning: Floats, options: Sequence[MenuOption]) -> Floats:
    """Scores (options,) of a turn that nothing stands before: it replies to nothing and answers nothing."""
    answers = [option.kind == "act" and option.name in (*REPLIES, "answer") for option in options]
    left: Floats = np.where(answers, np.float32(NO_SHARE), meaning)
    return left


NO_SHARE = -60.0
"""A score that leaves an option no share."""
