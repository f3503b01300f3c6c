"""The tools: rewrite a turn, read what it means, score a reply, ask the judge. For looking at conversations, not for a live one: a
model that may choose whether to ask is no gate."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any

from grice.middleware.capabilities.codec import encode
from grice.middleware.meaning.implied_calls import imply_calls
from grice.middleware.monitor.reports import Judge
from grice.middleware.schemas.tools import is_tools, schema_of_tools
from grice.models.behaviors.definitions import DEFINITIONS
from grice.models.dialogue import Dialogue, Speaker
from grice.models.errors import GriceError, InputError, MissingExtra
from grice.models.meaning.results import MeaningQuestion
from grice.models.results import Behavior
from grice.models.schema import BotSchema

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations
    from pydantic import Field
except ImportError as error:
    raise MissingExtra("mcp", "mcp") from error

INSTRUCTIONS = "What users of a dialogue system mean when they are indirect, and what its replies do."
LABELS = f"Behaviours: {', '.join(f'{label} ({each.name})' for label, each in DEFINITIONS.items())}."
WITHOUT = ("rewrite_turn", "read_meaning")
"""Tools that know no behaviours."""
MENU = "tools as OpenAI, Anthropic or MCP write them, or a mapping with intents, slots, services"
ROW = {
    "type": "object",
    "properties": {"role": {"type": "string", "enum": ["user", "assistant", "system", "tool"]}, "content": {"type": "string"}},
    "required": ["role", "content"],
}

Rows = Annotated[
    list[dict[str, Any]],
    Field(
        description="The conversation, oldest message first, each text of at most 10000 characters. What system and tools say is "
        "left out.",
        json_schema_extra={"items": ROW},
    ),
]
EXAMPLE = (
    '{"intents": [{"name": "rent_kayak", "description": "rent a kayak", "slots": ["size"]}], '
    '"slots": {"size": {"values": ["single", "double"]}}}'
)
SAID_OF_MENU = Field(description=f"What the dialogue system can do: {MENU}, such as {EXAMPLE}.")
MenuArgument = Annotated[list[dict[str, Any]] | dict[str, Any], SAID_OF_MENU]
MaybeMenu = Annotated[list[dict[str, Any]] | dict[str, Any] | None, SAID_OF_MENU]
OneBehavior = Annotated[Behavior, Field(description="The label of the behaviour to ask about.")]


class GriceTools:
    """The tools, on models that are loaded when they are first asked. What a method's docstring says, the tool's user reads.

    Args:
        load: makes a model: of `turns`, `meaning` or `responses`.
        judge: gives a second opinion; None: there is no such tool.
    """

    def __init__(self, load: Callable[[str], Any], judge: Judge | None = None) -> None:
        self._load = load
        self._judge = judge

    def rewrite_turn(self, messages: Rows, menu: MaybeMenu = None) -> dict[str, Any]:
        """Say directly what the user's last turn hints at. `decision` is pass, rewrite or clarify; `text` is what a bot should read
        in the turn's place, `rewrite` the direct form alone, `directness` from 0 (a hint) to 1. With a menu the turn is said in its
        words. The last message has to be the user's."""
        dialogue = _read(messages, "user")
        return self._ask("turns", dialogue if menu is None else MeaningQuestion(dialogue, _menu(menu)))

    def read_meaning(self, messages: Rows, menu: MenuArgument) -> dict[str, Any]:
        """Read which intent and slot values of a menu the user's last turn means: `found`, with probabilities, or unknown. Where
        the menu is tools, `calls` are the calls that the turn implies, the most probable first. The last message has to be the
        user's."""
        schema = _menu(menu)
        question = MeaningQuestion(_read(messages, "user"), schema)
        report = self._predict("meaning", question)
        calls = imply_calls(report.found, schema) if is_tools(menu) and report.found is not None else None
        return {**encode(report), "calls": encode(calls)}

    def score_reply(self, messages: Rows) -> dict[str, Any]:
        """Say which behaviours the assistant's last reply shows: `shown`, and `probabilities` of each. Only Emp is desired. The
        last message has to be the assistant's."""
        return self._ask("responses", _read(messages, "assistant"))

    def judge_reply(self, messages: Rows, behavior: OneBehavior) -> dict[str, Any]:
        """Ask a large language model whether the assistant's last reply shows one behaviour, and why. `decision` is null where it
        gave no answer, and `unscored` says why. The last message has to be the assistant's."""
        dialogue = _read(messages, "assistant")
        if self._judge is None:
            raise ToolError("there is no judge here: set GRICE_JUDGE_URL and GRICE_JUDGE_MODEL")
        (judgement,) = self._judge.judge([(dialogue, behavior)])
        return dict(encode(judgement))

    def names(self) -> tuple[str, ...]:
        """The tools that there are."""
        return ("rewrite_turn", "read_meaning", "score_reply", *(("judge_reply",) if self._judge is not None else ()))

    def _ask(self, name: str, asked: Any) -> dict[str, Any]:
        return dict(encode(self._predict(name, asked)))

    def _predict(self, name: str, asked: Any) -> Any:
        try:
            (found,) = self._load(name).predict([asked])
        except GriceError as error:
            raise ToolError(str(error)) from error
        return found


def create_server(tools: GriceTools) -> MCPServer[Any]:
    """The MCP server with these tools. It logs warnings alone: what it says of calls below that quotes conversations."""
    server: MCPServer[Any] = MCPServer("grice", instructions=INSTRUCTIONS, version=version("grice"), log_level="WARNING")
    for name in tools.names():
        function = getattr(tools, name)
        hints = ToolAnnotations(read_only_hint=True, open_world_hint=name == "judge_reply")
        said = " ".join(function.__doc__.split())
        server.add_tool(function, name=name, description=said if name in WITHOUT else f"{said} {LABELS}", annotations=hints)
    return server


def _read(messages: list[dict[str, Any]], role: str) -> Dialogue:
    try:
        dialogue = Dialogue.of_messages(messages)
    except InputError as error:
        raise ToolError(str(error)) from error
    last = ROLES[dialogue.last.speaker]
    if last != role:
        raise ToolError(str(InputError("role of the last message", last, role)))
    return dialogue


ROLES: dict[Speaker, str] = {"user": "user", "bot": "assistant"}


def _menu(given: Any) -> BotSchema:
    try:
        if is_tools(given):
            return schema_of_tools(given)
        if not isinstance(given, dict):
            raise InputError("menu", given, MENU)
        return BotSchema.of(given)
    except InputError as error:
        raise ToolError(f"menu{str(error).removeprefix('menu').removeprefix('schema')}") from error
