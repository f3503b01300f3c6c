"""The tools: rewrite a turn, read what it means, score a reply, ask the judge. For looking at conversations, not for a live one: a
model that may choose whether to ask is no gate."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from grice.middleware.capabilities.codec import encode
from grice.middleware.monitor.reports import Judge
from grice.middleware.schemas.tools import is_tools, schema_of_tools
from grice.models.dialogue import Dialogue
from grice.models.errors import GriceError, InputError, MissingExtra
from grice.models.meaning.results import MeaningQuestion
from grice.models.results import BEHAVIORS
from grice.models.schema import BotSchema

try:
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
except ImportError as error:
    raise MissingExtra("mcp", "mcp") from error

INSTRUCTIONS = "What users of a dialogue system mean when they are indirect, and what its replies do."
ROWS = 'Messages, oldest first, each with "role" (user or assistant) and "content".'
Rows = list[dict[str, Any]]


class GriceTools:
    """The tools, on models that are loaded when they are first asked.

    Args:
        load: makes a model: of `turns`, `meaning` or `responses`.
        judge: gives a second opinion; None: there is no such tool.
    """

    def __init__(self, load: Callable[[str], Any], judge: Judge | None = None) -> None:
        self._load = load
        self._judge = judge

    def rewrite_turn(self, messages: Rows, menu: Any = None) -> dict[str, Any]:
        """Say the user's last turn directly, and how direct it was. The decision is pass, rewrite or clarify."""
        dialogue = _read(messages, "user")
        return self._ask("turns", dialogue if menu is None else MeaningQuestion(dialogue, _menu(menu)))

    def read_meaning(self, messages: Rows, menu: Any) -> dict[str, Any]:
        """Which intent and slot values of a menu the user's last turn means, with probabilities; or unknown."""
        return self._ask("meaning", MeaningQuestion(_read(messages, "user"), _menu(menu)))

    def score_reply(self, messages: Rows) -> dict[str, Any]:
        """Which of nine behaviours the assistant's last reply shows, such as ignoring or repeating."""
        return self._ask("responses", _read(messages, "assistant"))

    def judge_reply(self, messages: Rows, behavior: str) -> dict[str, Any]:
        """Ask a large language model whether the assistant's last reply shows one behaviour, and why."""
        dialogue = _read(messages, "assistant")
        found = [label for label in BEHAVIORS if label == behavior]
        if not found or self._judge is None:
            raise ToolError(str(InputError("behavior", behavior, ", ".join(BEHAVIORS))))
        (judgement,) = self._judge.judge([(dialogue, found[0])])
        return dict(encode(judgement))

    def names(self) -> tuple[str, ...]:
        """The tools that there are."""
        return ("rewrite_turn", "read_meaning", "score_reply", *(("judge_reply",) if self._judge is not None else ()))

    def _ask(self, name: str, asked: Any) -> dict[str, Any]:
        try:
            (found,) = self._load(name).predict([asked])
        except GriceError as error:
            raise ToolError(str(error)) from error
        return dict(encode(found))


def create_server(tools: GriceTools) -> MCPServer[Any]:
    """The MCP server with these tools."""
    server: MCPServer[Any] = MCPServer("grice", instructions=INSTRUCTIONS, version=version("grice"))
    for name in tools.names():
        function = getattr(tools, name)
        server.add_tool(function, name=name, description=f"{function.__doc__} {ROWS}")
    return server


def _read(messages: Rows, role: str) -> Dialogue:
    try:
        dialogue = Dialogue.of_messages(messages)
    except InputError as error:
        raise ToolError(str(error)) from error
    if dialogue.last.speaker != ("user" if role == "user" else "bot"):
        raise ToolError(str(InputError("last message", dialogue.last.speaker, f"one of role {role}")))
    return dialogue


def _menu(given: Any) -> BotSchema:
    """Tools as OpenAI, Anthropic or MCP write them, or a menu in Grice's own form."""
    try:
        return schema_of_tools(given) if is_tools(given) else BotSchema.of(given)
    except InputError as error:
        raise ToolError(str(error)) from error
