"""Softens, scores and replaces template responses: `nlg` in `endpoints.yml`."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from rasa.core.nlg.response import TemplatedNaturalLanguageGenerator
from rasa.shared.core.domain import Domain
from rasa.shared.core.trackers import DialogueStateTracker
from rasa.shared.exceptions import InvalidConfigException
from rasa.utils.endpoints import EndpointConfig

from grice.components.history import dialogue_of
from grice.components.response_monitors import load_monitor
from grice.components.settings import given_keys
from grice.middleware.events.event import KNOWN
from grice.middleware.responses.checks import CheckedResponse, ResponseChecks, ResponseFailure
from grice.middleware.responses.settings import ResponseSettings
from grice.models import Dialogue, load_frustration_detector, load_rewriter
from grice.models.errors import DeadlineExceeded, GriceError, Overloaded, SettingsError

NAME = "MonitoredResponseGenerator"
GRICE = "grice"
WORKERS = 2
MAX_UNDER_WAY = 16
"""Responses that are checked at once, late ones included; more go out unchecked, so that a hanging model holds up nobody."""

_OWN_SLOTS = ("requested_slot", "session_started_metadata")
"""Slots that Rasa keeps for itself."""
_NOT_TEXT = ("buttons", "quick_replies", "elements", "image", "attachment", "custom")

log = logging.getLogger(__name__)


class MonitoredResponseGenerator(TemplatedNaturalLanguageGenerator):
    """Rasa's own responses, checked by Grice before they are sent.

        nlg:
          type: grice.components.MonitoredResponseGenerator
          soften: true
          monitor: local                    # or http, with url and api_key; or my_bot.monitor.load
          fallback: {"!Rel": 0.8}
          fallback_response: utter_did_not_understand

    The keys are those of `ResponseSettings`. What was found is under `grice` in the metadata of the `BotUttered` event:

    - `original`, `text`, `softened`, `rewrite`: the response as its template says, as it was sent, and its softer form.
    - `behaviors`: behaviour → probability, 0 to 1, null where it was not scored; null where nothing was.
    - `shown`: the behaviours that reach the model's own thresholds; null where it has none, or nothing was scored.
    - `evidence`: behaviour → the earlier turn it is about (`turn`, its place among the `history_turns` that were read, 0 the
      oldest; `speaker`; `text`).
    - `exceeded`, `replaced_by`: the behaviours above their threshold in `fallback`, and what was sent instead.
    - `user_frustration`: how likely the user's turn before it shows frustration with the bot (`probability`; `shown`; `turn`, its
      place as in `evidence`; `text`). Null without `frustration: true`, where it is not the first response to a turn of the
      user, and where that turn answers nothing.
    - `failures`: what failed (`stage`, `error`, `message`).
    - `known`: what the bot's slots held, as a row of facts; a worker (`grice monitor`) holds the response against it.

    If anything fails or is late, the response goes out as its template says.

    Raises:
        InvalidConfigException: a key or value cannot be used, or the monitor or the model cannot be loaded; Rasa does not start.
    """

    responses: dict[str, list[dict[str, Any]]]

    def __init__(self, endpoint_config: EndpointConfig, domain: Domain) -> None:
        super().__init__(domain.responses)
        self._missed = False
        try:
            self.settings = ResponseSettings.of(given_keys(NAME, endpoint_config))
            if domain.responses and self.settings.fallback and self.settings.fallback_response not in domain.responses:
                raise _no_fallback(self.settings.fallback_response, domain.responses)
            self.checks = _checks(self.settings)
        except (GriceError, ImportError, AttributeError) as error:
            raise InvalidConfigException(f"{NAME}: {error}") from error
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="grice-response")
        self._free = threading.BoundedSemaphore(MAX_UNDER_WAY)

    async def generate(
        self, utter_action: str, tracker: DialogueStateTracker, output_channel: str, **kwargs: Any
    ) -> dict[str, Any] | None:
        """The response, with what was found under `grice`; None if the domain has none of that name."""
        self.responses = kwargs.get("domain_responses") or self.responses
        self._miss_fallback()
        response: dict[str, Any] | None = await super().generate(utter_action, tracker, output_channel, **kwargs)
        if response is None or not self._is_checked(utter_action, response):
            return response
        try:
            checked = await self._checked(utter_action, response, tracker)
            if checked.exceeded and utter_action != self.settings.fallback_response:
                return await self._replacement(checked, response, tracker, output_channel, kwargs)
            return {**response, "text": checked.text, GRICE: {**_found(checked), **_known(tracker)}}
        except Exception as error:  # noqa: BLE001 - whatever it is, the response goes out; the error may quote it
            log.warning("%s: %s goes out unchecked: %s", NAME, utter_action, type(error).__name__)
            return {**response, GRICE: _found(_unchecked(response["text"], error))}

    def _miss_fallback(self) -> None:
        """Say it once where there is no response to fall back to: Rasa tells the domain only with the first response."""
        name = self.settings.fallback_response
        if not self._missed and self.settings.fallback and name not in self.responses:
            self._missed = True
            log.error("%s: %s", NAME, _no_fallback(name, self.responses))

    def _is_checked(self, utter_action: str, response: dict[str, Any]) -> bool:
        text = response.get("text")
        wanted = any(each is not None for each in (self.checks.softener, self.checks.monitor, self.checks.frustration))
        return wanted and utter_action not in self.settings.skip and isinstance(text, str) and bool(text.strip())

    async def _checked(self, utter_action: str, response: dict[str, Any], tracker: DialogueStateTracker) -> CheckedResponse:
        """What the checks find, within the deadline and off the event loop."""
        text = response["text"]
        history = dialogue_of(text, tracker, self.settings.history_turns).history
        dialogue = Dialogue.of(text, history, "bot")
        if not self._free.acquire(blocking=False):
            raise Overloaded(f"{MAX_UNDER_WAY} responses are being checked already")
        work = self._workers.submit(self.checks.check, dialogue, self._is_softened(utter_action, response))
        work.add_done_callback(lambda _: self._free.release())
        try:
            return await asyncio.wait_for(asyncio.wrap_future(work), self.settings.deadline_ms / 1000)
        except asyncio.TimeoutError:
            raise DeadlineExceeded(f"the checks did not end within {self.settings.deadline_ms} ms") from None

    def _is_softened(self, utter_action: str, response: dict[str, Any]) -> bool:
        """Only a text alone, on one line: what a list or a button says must stay as it is."""
        named = not self.settings.soften_only or utter_action in self.settings.soften_only
        return named and "\n" not in response["text"].strip() and not any(response.get(key) for key in _NOT_TEXT)

    async def _replacement(
        self,
        checked: CheckedResponse,
        response: dict[str, Any],
        tracker: DialogueStateTracker,
        output_channel: str,
        kwargs: dict[str, Any],
    ) -> dict[str, Any]:
        """The fallback response, which is not checked itself; the response if there is none of that name."""
        name = self.settings.fallback_response
        replacement = await super().generate(name, tracker, output_channel, **kwargs)
        if replacement is None:
            failure = ResponseFailure("fallback", "KeyError", f"the domain has no response {name} for this channel")
            return {**response, "text": checked.text, GRICE: {**_found(checked), "failures": [asdict(failure)]}}
        return {**replacement, GRICE: {**_found(checked), "text": replacement.get("text"), "replaced_by": name}}


def _no_fallback(name: str, responses: Iterable[str]) -> SettingsError:
    return SettingsError("fallback_response", name, f"a response of the bot's domain: {', '.join(sorted(responses))}")


def _checks(settings: ResponseSettings) -> ResponseChecks:
    softener = None
    if settings.soften:
        chosen = settings.models
        softener = load_rewriter(chosen.rewriter_model, form="indirect", runtime=chosen.runtime)
    frustration = load_frustration_detector(runtime=settings.models.runtime) if settings.frustration else None
    return ResponseChecks(
        softener, load_monitor(settings), dict(settings.fallback), settings.min_confidence, frustration=frustration
    )


def _unchecked(text: str, error: Exception) -> CheckedResponse:
    return CheckedResponse(text, text, failures=(ResponseFailure("checks", type(error).__name__, str(error)),))


def _found(checked: CheckedResponse) -> dict[str, Any]:
    """What lands in the metadata of the event: plain JSON, whatever kind of numbers a model gives."""
    rewrite, behaviors = checked.rewrite, checked.behaviors
    return {
        "original": checked.original,
        "text": checked.text,
        "softened": checked.text != checked.original,
        "rewrite": rewrite and {"text": rewrite.text, "confidence": rewrite.confidence},
        "behaviors": behaviors
        and {label: None if value is None else float(value) for label, value in behaviors.probabilities.items()},
        "shown": None if checked.shown is None else list(checked.shown),
        "evidence": {
            label: {"turn": int(place), **asdict(checked.evidence[label])}
            for label, place in (behaviors.evidence if behaviors else {}).items()
        },
        "exceeded": list(checked.exceeded),
        "replaced_by": None,
        "user_frustration": _frustration(checked),
        "failures": [asdict(failure) for failure in checked.failures],
    }


def _frustration(checked: CheckedResponse) -> dict[str, Any] | None:
    told, said = checked.frustration, checked.answered
    if told is None or told.probability is None or said is None:
        return None
    return {**asdict(told), "text": said.text}


def _known(tracker: DialogueStateTracker) -> dict[str, Any]:
    """What the bot's slots hold, as one row of facts: a worker holds the response against it. Nothing where they are empty."""
    held = {
        name: str(value)
        for name, value in tracker.current_slot_values().items()
        if isinstance(value, (str, int, float)) and name not in _OWN_SLOTS and str(value).strip()
    }
    return {KNOWN: {"facts": [held], "setting": "task"}} if held else {}
