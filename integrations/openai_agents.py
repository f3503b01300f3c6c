"""OpenAI Agents SDK: a configuration of a run. Needs openai-agents: `pip install 'grice[openai-agents]'`.

    result = await Runner.run(agent, "It is cold in here.", run_config=with_grice(check))

The model reads the user's turns said anew; the run's input, its result and a session keep the user's own words. What the reply does
is in `result.output_guardrail_results`, and in traces. The SDK's guardrails cannot ask the user back, so nothing is clarified here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from grice.integrations.conversation_check import ConversationCheck, read_anew
from grice.middleware.gateways.rows import Row
from grice.models.errors import InputError, MissingExtra
from grice.models.results import Behavior

try:
    from agents import Agent, GuardrailFunctionOutput, OutputGuardrail, RunConfig, RunContextWrapper
    from agents.run import CallModelData, ModelInputData
except ImportError as error:
    raise MissingExtra("openai-agents", "openai-agents") from error

NAME = "grice"
"""Of the output guardrail."""


def with_grice(
    check: ConversationCheck,
    config: RunConfig | None = None,
    refuse_from: Mapping[Behavior, float] | None = None,
    scored: bool = True,
) -> RunConfig:
    """`config` with Grice in it. Make one for each conversation: the reply is scored in the light of what its model last read.

    Args:
        config: what else is wanted of the run; a filter of its own comes before ours.
        refuse_from: from which probability of a behaviour on a reply raises `OutputGuardrailTripwireTriggered`; none: none
            does.
        scored: whether there is an output guardrail. The SDK refuses one in a run whose conversation the server keeps
            (`conversation_id`, `previous_response_id`, `auto_previous_response_id`), so say False there.

    Raises:
        InputError: `refuse_from` is given, and `scored` is False.
    """
    if refuse_from and not scored:
        raise InputError("scored", False, "True where refuse_from is given")
    chosen = config or RunConfig()
    run = _GriceRun(check, chosen.call_model_input_filter, refuse_from or {})
    found = replace(chosen, call_model_input_filter=run.read_anew)
    if scored:
        found.output_guardrails = [*(chosen.output_guardrails or ()), OutputGuardrail(run.score, NAME)]
    return found


class _GriceRun:
    """One conversation's way through the SDK."""

    def __init__(self, check: ConversationCheck, before: Any, refuse_from: Mapping[Behavior, float]) -> None:
        self._check = check
        self._before = before
        self._refuse_from = refuse_from
        self._rows: Sequence[Row] = ()

    async def read_anew(self, data: CallModelData[Any]) -> ModelInputData:
        """The model's input with the user's turns said anew.

        The SDK hands out copies of what it keeps, and knows by the object which of them was sent: those change in place. What a
        filter before ours made is copied.
        """
        given, own = data.model_data, {id(each) for each in data.model_data.input}
        if self._before is not None:
            found = self._before(data)
            given = found if isinstance(found, ModelInputData) else await found
        self._rows = rows = [dict(each) for each in given.input]
        checked = await self._check.acheck_turn(rows)
        items: list[Any] = list(given.input)
        for place, rewrite in checked.rewrites.items():
            if id(items[place]) not in own:
                items[place] = dict(items[place])
            items[place]["content"] = read_anew(rows[place], rewrite, self._check.policy.mode)
        return ModelInputData(items, given.instructions)

    async def score(self, context: RunContextWrapper[Any], agent: Agent[Any], output: Any) -> GuardrailFunctionOutput:
        """What the reply does, as the output of a guardrail."""
        found = await self._check.acheck_reply(self._rows, output) if isinstance(output, str) else None
        if found is None or found.report.behaviors is None:
            return GuardrailFunctionOutput(None, False)
        scores = found.report.behaviors.probabilities
        crossed = [label for label, least in self._refuse_from.items() if (scores.get(label) or 0.0) >= least]
        told = {"shown": list(found.report.shown), "probabilities": dict(scores), "refused": crossed}
        return GuardrailFunctionOutput(told, bool(crossed))
