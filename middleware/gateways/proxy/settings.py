"""How the proxy treats requests and replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from grice.middleware.gateways.rows import LONGEST
from grice.middleware.runtime.base_url import check_base_url
from grice.middleware.schemas import read_schema
from grice.middleware.settings import ServiceSettings
from grice.middleware.settings.declaration import check_settings, secret, setting
from grice.models.errors import SettingsError
from grice.models.schema import BotSchema

RewriteDelivery = Literal["append", "replace", "note"]
Hold = Literal["never", "score", "regenerate"]


@dataclass(frozen=True)
class ProxyServiceSettings(ServiceSettings):
    """How the proxy listens: as the service does, beside it.

    Attributes:
        port: port to listen on; 0: any free one.
    """

    port: int = setting(8301, 0, 65_535)


@dataclass(frozen=True)
class ProxySettings:
    """How the proxy runs.

    Attributes:
        upstream: the base URL of the OpenAI-compatible server, such as https://api.openai.com/v1.
        upstream_key: sent there in place of the caller's bearer token, or of its header `api-key` (Azure); empty: the caller's goes
            through.
        upstream_timeout_s: how long that server may be silent, in seconds.
        delivery: what becomes of a turn that is rewritten: the rewrite after it, the rewrite alone, or a note behind the messages.
        budget_ms: how much later than without Grice the server may be asked, in milliseconds; what takes longer passes unchanged.
        longest_turn: characters of a turn that may be rewritten.
        menu: what the bot can understand: a file, or the folder of a Rasa bot, in any format that `grice schema show` reads. Turns
            are rewritten in its words; empty: without a menu.
        tools_as_menu: whether the tools of a request are its menu, before that of `menu`.
        hold: whether replies wait until they are scored, and whether one that raises an alarm under the budget, or, where relations
            are not read, shows an undesired behaviour, is made anew, once.
        hold_ms: how long a reply may wait for its scores, in milliseconds.
        rewrites_kept: rewrites that are remembered, so that earlier turns go out as they did before; the oldest go first.
        scores_kept: replies whose scores can be asked for by their id; the oldest go first.
        max_request_bytes: largest request body.

    Raises:
        SettingsError: a value is out of range.
    """

    upstream: str = secret("")
    upstream_key: str = secret("", flag=False)
    upstream_timeout_s: float = setting(600.0, 0.1, 86_400.0)
    delivery: RewriteDelivery = "append"
    budget_ms: int = setting(500, 1, 60_000)
    longest_turn: int = setting(LONGEST, 1, LONGEST)
    menu: str = ""
    tools_as_menu: bool = False
    hold: Hold = "never"
    hold_ms: int = setting(1000, 1, 60_000)
    rewrites_kept: int = setting(100_000, 1, 2**31)
    scores_kept: int = setting(10_000, 1, 2**31)
    max_request_bytes: int = setting(50_000_000, 1, 2**31)

    def __post_init__(self) -> None:
        check_settings(self)
        if self.upstream:
            check_base_url("upstream", self.upstream)

    def require_upstream(self) -> None:
        """Refuse settings that do not say where requests go.

        Raises:
            SettingsError: they do not.
        """
        if not self.upstream:
            raise SettingsError("upstream", "", "the base URL of an OpenAI-compatible server, such as https://api.openai.com/v1")

    def read_menu(self) -> BotSchema | None:
        """The menu; None where none is given.

        Raises:
            MissingExtra, DataNotFound, DataCorrupt, InputError: as in `read_schema`.
        """
        return read_schema(self.menu) if self.menu else None
