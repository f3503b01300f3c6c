"""What was said before, as Rasa's tracker knows it."""

from __future__ import annotations

from rasa.shared.constants import INTENT_MESSAGE_PREFIX
from rasa.shared.core.constants import EXTERNAL_MESSAGE_PREFIX
from rasa.shared.core.events import (
    ActionExecuted,
    ActionReverted,
    BotUttered,
    Event,
    Restarted,
    SessionStarted,
    UserUtteranceReverted,
    UserUttered,
)
from rasa.shared.core.trackers import DialogueStateTracker

from grice.models.dialogue import MAX_TEXT_CHARACTERS, Dialogue, Turn


def dialogue_of(text: str, tracker: DialogueStateTracker | None, newest: int) -> Dialogue:
    """The dialogue that ends in the user's `text`, after the `newest` turns that the tracker has (it does not have `text` yet).

    Raises:
        InputError: `text` is too long or not valid Unicode.
    """
    return Dialogue.of(text, [] if tracker is None or not newest else _history(tracker, newest))


def is_said(text: object) -> bool:
    """Whether a person or the bot said this: not blank, and no command to Rasa such as `/greet` or an external trigger."""
    if not isinstance(text, str) or not any(character.isprintable() and not character.isspace() for character in text):
        return False
    return not text.strip().startswith((INTENT_MESSAGE_PREFIX, EXTERNAL_MESSAGE_PREFIX))


def _history(tracker: DialogueStateTracker, newest: int) -> list[Turn]:
    turns: list[Turn] = []
    for event in reversed(_standing(tracker)):
        if isinstance(event, (UserUttered, BotUttered)) and is_said(event.text):
            text = event.text.encode("utf-8", "replace").decode()[:MAX_TEXT_CHARACTERS]
            if is_said(text):
                turns.append(Turn("user" if isinstance(event, UserUttered) else "bot", text))
        if len(turns) == newest:
            break
    return turns[::-1]


def _standing(tracker: DialogueStateTracker) -> list[Event]:
    """What was said and done in this session and not taken back.

    Not `tracker.applied_events()`: that also leaves out what was said inside a form, from its first question on.
    """
    standing: list[Event] = []
    for event in tracker.events:
        if isinstance(event, (Restarted, SessionStarted)):
            standing = []
        elif isinstance(event, ActionReverted):
            _undo(standing, ActionExecuted)
        elif isinstance(event, UserUtteranceReverted):
            _undo(standing, UserUttered)
            _undo(standing, ActionExecuted)
        elif isinstance(event, (UserUttered, BotUttered, ActionExecuted)):
            standing.append(event)
    return standing


def _undo(events: list[Event], kind: type[Event]) -> None:
    """Take back everything from the latest event of `kind` on; all, if there is none."""
    while events and not isinstance(events.pop(), kind):
        pass
