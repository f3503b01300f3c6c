"""Plain yes and no to a slot, by template: what people say most of the time, beside the indirect requests that we wrote."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from grice.models.slots.inputs import words

BEFORE = {
    *("has", "have", "with", "wants", "want", "needs", "need"),
    *("add", "include", "includes", "offers", "requires", "allows", "serves"),
}
AFTER = {
    *("allowed", "included", "available", "required", "needed"),
    *("wanted", "welcome", "accepted", "possible", "offered"),
}
"""Words around the name of a thing in the name of a slot."""
YES = (
    *("I need {}.", "I'd like {}.", "With {}, please.", "It should have {}.", "{} would be a must for me.", "Please include {}."),
    *("I want {}.", "Make sure there is {}.", "Yes to {}.", "And {}, please.", "I do want {}.", "I will need {}."),
)
NO = (
    *("I don't need {}.", "No {}, please.", "Without {}.", "I don't want {}.", "{} isn't necessary.", "I can do without {}."),
    *("Skip the {}.", "We won't be needing {}.", "I do not require {}.", "There's no need for {}.", "Leave out the {}.", "Not {}."),
)
IS = ("It should be {}.", "It must be {}.", "I want it {}.", "Only if it is {}.", "{}, please.", "I'd like it to be {}.")
IS_NOT = (
    *("It shouldn't be {}.", "It must not be {}.", "I don't want it {}."),
    *("Only if it isn't {}.", "Not {}, please.", "Anything not {}."),
)
ASKED = ("Do you want {}?", "Would you like {}?", "Do you need {}?", "What about {}?", "Should I look for {}?")
AGREED = (
    *("Yes, please.", "Yes.", "Sure.", "I do."),
    *("Yes, that would be great.", "Yeah, go ahead.", "Definitely.", "Yes, I need that."),
)
DECLINED = (
    *("No.", "No, thanks.", "I don't.", "No need."),
    *("No, that's not necessary.", "Nope.", "Not at all.", "No, I don't need that."),
)

COURTESIES: tuple[tuple[str, ...], ...] = (
    *(("Hello.",), ("Hi there!",), ("Good morning.",), ("Thanks a lot, goodbye!",), ("Thank you very much.",), ("bye",), ("ok",)),
    *(("Great, thanks.",), ("One moment, please.",), ("Sorry, what did you say?",), ("Never mind.",), ("That's all.",), ("hey",)),
    *(("No, that's all.",), ("Thanks, have a nice day.",), ("Can you help me?",), ("I have a question.",), ("Sounds good.",)),
    *(
        ("Is there anything else?", "No, that's all, thank you."),
        ("Anything else I can do for you?", "No."),
        ("All done!", "Thanks!"),
    ),
    *(("Shall I go ahead and book it?", "Yes, please."), ("Is that right?", "Yes."), ("Shall I book it?", "No, not yet.")),
    *(
        ("How are you today?", "Fine, and you?"),
        ("How may I help?", "I'd like some information."),
        ("Is this correct?", "No, it isn't."),
    ),
)
"""Turns, some after the bot's, that say nothing of any slot."""

PlainRequest = tuple[tuple[str, ...], str]
"""A user's turn, or the bot's and the user's, and the value that it means."""


def plain_requests(slot: str, unrelated: Sequence[str], chance: random.Random, count: int) -> Iterator[PlainRequest]:
    """`count` turns that mean True, as many that mean False, some of them beside a request for something else.

    Args:
        slot: the name of a yes-no slot.
        unrelated: requests to the same service that say nothing of the slot.
    """
    thing, quality = _thing(slot)
    for value, told, answers in (("True", IS if quality else YES, AGREED), ("False", IS_NOT if quality else NO, DECLINED)):
        for _ in range(count):
            if chance.random() < 0.3 and not quality:
                yield (chance.choice(ASKED).format(thing), chance.choice(answers)), value
                continue
            text = chance.choice(told).format(thing)
            text = text[0].upper() + text[1:]
            if unrelated and chance.random() < 0.4:
                parts = [text, chance.choice(unrelated)]
                chance.shuffle(parts)
                text = " ".join(parts)
            yield (text.lower() if chance.random() < 0.2 else text,), value


def _thing(slot: str) -> tuple[str, bool]:
    """What the slot is about, in words, and whether that is a quality (`is_vegan`) rather than a thing (`has_garage`)."""
    parts = words(slot).split()
    if parts[0] == "is" and len(parts) > 1:
        return " ".join(parts[1:]), True
    while len(parts) > 1 and parts[0] in BEFORE:
        parts = parts[1:]
    while len(parts) > 1 and parts[-1] in AFTER:
        parts = parts[:-1]
    return " ".join(parts), False
