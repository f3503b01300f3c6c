"""The URL that configures a sink: `KIND+https://USER:PASSWORD@HOST/PATH?option=value`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from grice.models.errors import SettingsError

SETTING = "score_sinks"


@dataclass(frozen=True)
class SinkTarget:
    """What a URL says. Its errors and its representation never show it.

    Attributes:
        kind: what stands before `+`.
        url: without kind, user, password, options and the slash at the end.
        user, password: "" where there are none.
        options: what stands behind `?`.
    """

    kind: str
    url: str
    user: str
    password: str
    options: Mapping[str, str]

    def __repr__(self) -> str:
        return f"SinkTarget({self.kind!r})"

    @classmethod
    def of(cls, text: str, kinds: Sequence[str]) -> SinkTarget:
        """What a URL says.

        Raises:
            SettingsError: it is none, or of an unknown kind.
        """
        allowed = ", ".join(f"{kind}+https://…" for kind in kinds)
        try:
            parts = urlsplit(text.strip())
            port = parts.port
        except ValueError:
            raise SettingsError(SETTING, "a value that is not shown", allowed) from None
        kind, _, scheme = parts.scheme.rpartition("+")
        if kind not in kinds or scheme not in ("http", "https") or not parts.hostname:
            raise SettingsError(SETTING, f"{parts.scheme or 'no scheme'}://", allowed)
        host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        place = host if port is None else f"{host}:{port}"
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(kind, f"{scheme}://{place}{parts.path.rstrip('/')}", user, password, options)

    def check_options(self, known: Sequence[str]) -> None:
        """Refuse an option that the kind does not have.

        Raises:
            SettingsError: there is one.
        """
        for name in self.options:
            if name not in known:
                raise SettingsError(SETTING, f"option {name} of {self.kind}", ", ".join(known) or "none")
