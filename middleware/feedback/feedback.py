"""What a person says of one alarm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from grice.middleware.monitor.alarm_log import FROM_ALARM
from grice.models.dialogue import Turn
from grice.models.errors import InputError, shorten
from grice.models.relations.labels import Setting
from grice.models.results import Behavior

AlarmVerdict = Literal["seen", "wrong", "right"]
KNOWN = ("documents", "facts", "policy")


@dataclass(frozen=True)
class Feedback:
    """A verdict on an alarm, with the response that raised it, so that it outlives the alarm.

    Attributes:
        place: of the alarm, as `/v1/alarms` has it.
        verdict: `seen` (acknowledged, nothing said of it), `wrong` (the response is fine) or `right` (it is faulty).
        at: when that was said, in Unix seconds.
        event_id, dialogue_id, text, bot_version, channel: of the response; `shown`: what it was found to show.
        turns: what was said before it, as far as that is known.
        setting, documents, facts, policy: of the response, as the alarm has them.
    """

    place: str
    verdict: AlarmVerdict
    at: float
    event_id: str
    dialogue_id: str
    text: str
    bot_version: str | None
    channel: str | None
    shown: tuple[Behavior, ...]
    turns: tuple[Turn, ...] = ()
    setting: Setting | None = None
    documents: tuple[str, ...] = ()
    facts: tuple[Mapping[str, str], ...] = ()
    policy: tuple[str, ...] = ()

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str | bytes) -> Feedback:
        """What `to_json` wrote.

        Raises:
            InputError: not such JSON.
        """
        try:
            values: dict[str, Any] = json.loads(line)
            values["shown"] = tuple(values["shown"])
            values["turns"] = tuple(Turn(each["speaker"], each["text"]) for each in values["turns"])
            for name in KNOWN:
                values[name] = tuple(values.get(name, ()))
            return cls(**values)
        except (ValueError, TypeError, KeyError) as error:
            raise InputError("feedback", shorten(line), "a JSON object as `Feedback.to_json` writes it") from error

    def labelled(self) -> dict[str, Any] | None:
        """A line of the log that `grice calibrate monitor --log` reads; None where nobody said whether the response is faulty.

        It says that it comes `from` an alarm: such responses are no sample of all.
        """
        if self.verdict == "seen":
            return None
        return {
            "turns": [{"speaker": turn.speaker, "text": turn.text} for turn in self.turns],
            "response": self.text,
            "bad": self.verdict == "right",
            "from": FROM_ALARM,
            **{name: given for name in ("setting", *KNOWN) if (given := getattr(self, name))},
            "shown": list(self.shown),
            "event_id": self.event_id,
            "dialogue_id": self.dialogue_id or None,
            "bot_version": self.bot_version,
            "channel": self.channel,
            "said_at": self.at,
        }
