"""How the bot is watched: which model, which thresholds, and when a judge is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from grice.middleware.runtime.base_url import check_base_url, check_key
from grice.middleware.settings import RuntimeSettings, StoreKind, check_settings, check_within, secret, setting
from grice.models.errors import SettingsError
from grice.models.results import BEHAVIORS, Behavior

Escalate = Literal["never", "uncertain", "alarming", "both"]
"""When a judge is asked about a behaviour: its probability is close to the threshold, an undesired one is shown, or either.
About an alarm: how likely a fault is lies close to the threshold, there is one, or either."""

WEAKEST: tuple[Behavior, ...] = ("!Com", "!Fac", "!Sel", "!Par")
"""Behaviours that a small model tells worst: they ask for knowledge of the world, or for reading two turns against each other."""

_OMITTED = ("temperature", "seed")


@dataclass(frozen=True)
class MonitorSettings(RuntimeSettings):
    """How responses are scored, and how the model runs.

    Attributes:
        behaviors_model: a shipped name or the path of a folder.
        threshold_overrides: other thresholds than the model's own, such as `!Rel=0.8,Red=0.5`.
        relations_model: the reader of relations, a shipped name or the path of a folder; empty: relations are not read.
        guess_facts: whether relations tell `!Fac` too where the bot was given nothing, by the response's form alone.
        frustration_model: tells `user_frustration`, beside relations; a shipped name or the path of a folder; empty: nothing does.
        frustration_threshold: the probability from which on it is shown, in place of the model's own, such as
            `grice calibrate frustration` tells.
        alarm_settings: the file that `grice calibrate monitor` wrote; empty: the thresholds of `relations_model`.
        alarm_budget: false alarms per 100 fine responses, in place of those that `relations_model` has its thresholds for.
        judge_url: base URL of an OpenAI-compatible server, such as `http://127.0.0.1:8000/v1`; empty: there is no judge.
        judge_model: the model that is asked there.
        judge_api_key: sent as a bearer token; empty: none is needed.
        judge_timeout_s: how long one answer may take, in seconds; less than `judge_deadline_s`.
        judge_deadline_s: how long all questions about one batch may take, retries and waits included; the rest stays unanswered.
        judge_workers: questions that are asked side by side, 1 to 64.
        judge_max_tokens: tokens that an answer may have; None: as many as the server allows.
        judge_omit: of `temperature` and `seed`, what the server refuses, so that it is not sent.
        judge_cache: file that remembers answers, until it is deleted (it holds what the judge said of conversations); empty: none.
        judge_window: turns of context that the judge reads, the newest; None: all.
        judge_pairing: for `PAIRED` behaviours, the response is held against one earlier turn at a time: as many calls as turns.
        judge_prompt_price, judge_completion_price: US dollars a million tokens; None: not known, and no cost is counted.
        judge_budget_per_hour: calls within any hour; None: without limit. Remembered answers do not count.
        judge_budget_usd_per_day: US dollars within any day; None: without limit.
        judge_budget_store: whether every process has its budget for itself (`memory`) or all share one (`redis`, at `redis_url`).
        redis_url: used when the budget is shared.
        escalate: when the judge is asked, about alarms and about `escalate_behaviors`.
        escalate_margin: a probability this close to its threshold, or closer, is uncertain; 0 to 1.
        escalate_behaviors: which behaviours it is asked about.

    Raises:
        SettingsError: a value is out of range, or two do not fit together.
    """

    behaviors_model: str = "behaviors"
    threshold_overrides: str = ""
    relations_model: str = "relations"
    guess_facts: bool = False
    frustration_model: str = "frustration"
    frustration_threshold: float | None = setting(None, 0, 1)
    alarm_settings: str = ""
    alarm_budget: float | None = setting(None, 0, 100)
    judge_url: str = secret("")
    judge_model: str = ""
    judge_api_key: str = secret("", flag=False)
    judge_timeout_s: float = setting(20.0, 0.001, 600)
    judge_deadline_s: float = setting(30.0, 0.001, 3600)
    judge_workers: int = setting(4, 1, 64)
    judge_max_tokens: int | None = setting(1024, 1, 1_000_000)
    judge_omit: tuple[str, ...] = ()
    judge_cache: str = ""
    judge_window: int | None = setting(None, 1, 10_000)
    judge_pairing: bool = False
    judge_prompt_price: float | None = setting(None, 0, 1e6)
    judge_completion_price: float | None = setting(None, 0, 1e6)
    judge_budget_per_hour: int | None = setting(100, 0, 2**31)
    judge_budget_usd_per_day: float | None = setting(None, 0, 1e9)
    judge_budget_store: StoreKind = "memory"
    redis_url: str = secret("redis://127.0.0.1:6379/0")
    escalate: Escalate = "never"
    escalate_margin: float = setting(0.1, 0.0, 1.0)
    escalate_behaviors: tuple[str, ...] = WEAKEST

    def __post_init__(self) -> None:
        check_settings(self)
        for label in self.escalate_behaviors:
            if label not in BEHAVIORS:
                raise SettingsError("escalate_behaviors", label, ", ".join(BEHAVIORS))
        _ = self.thresholds
        self._check_alarms()
        self._check_judge()
        self._check_prices()

    def _check_alarms(self) -> None:
        if self.alarm_budget is not None and (self.alarm_settings or not self.relations_model):
            raise SettingsError("alarm_budget", self.alarm_budget, "only with relations_model, and without alarm_settings")

    def _check_judge(self) -> None:
        if self.judge_deadline_s <= self.judge_timeout_s:
            raise SettingsError("judge_deadline_s", self.judge_deadline_s, f"more than judge_timeout_s, {self.judge_timeout_s}")
        if self.judge_url:
            check_base_url("judge_url", self.judge_url)
        if bool(self.judge_url) != bool(self.judge_model):
            raise SettingsError("judge_model", self.judge_model, "a name together with judge_url, or neither")
        check_key("judge_api_key", self.judge_api_key)
        for name in self.judge_omit:
            if name not in _OMITTED:
                raise SettingsError("judge_omit", name, ", ".join(_OMITTED))
        if self.escalate != "never" and not self.judge_url:
            raise SettingsError("escalate", self.escalate, "never, as there is no judge; set judge_url and judge_model for another")

    def _check_prices(self) -> None:
        if (self.judge_prompt_price is None) != (self.judge_completion_price is None):
            raise SettingsError("judge_completion_price", self.judge_completion_price, "a price together with judge_prompt_price")
        if self.judge_budget_usd_per_day is not None and self.judge_prompt_price is None:
            raise SettingsError(
                "judge_budget_usd_per_day", self.judge_budget_usd_per_day, "only with both prices, or it cannot be kept"
            )

    @property
    def thresholds(self) -> dict[Behavior, float]:
        """The thresholds that are given, 0 to 1; the model's own hold for the others."""
        return _thresholds(self.threshold_overrides)


def _thresholds(text: str) -> dict[Behavior, float]:
    found: dict[Behavior, float] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        label, _, number = (piece.strip() for piece in part.partition("="))
        known = [each for each in get_args(Behavior) if each == label and each not in found]
        if not known:
            raise SettingsError("threshold_overrides", part, f"LABEL=NUMBER, each label once: {', '.join(BEHAVIORS)}")
        try:
            found[known[0]] = float(number)
        except ValueError:
            raise SettingsError("threshold_overrides", part, "LABEL=NUMBER, such as !Rel=0.8,Red=0.5") from None
        check_within(f"threshold_overrides.{label}", found[known[0]], 0.0, 1.0)
    return found
