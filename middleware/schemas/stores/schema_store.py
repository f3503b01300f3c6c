"""The contract of a store of schemas; memory and Redis behave the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

from grice.models.errors import InputError, StoreFull
from grice.models.schema import BotSchema

SCHEMA_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
"""A name that can stand in a path, in a log and on a command line."""


class SchemaStore(Protocol):
    """Keeps schemas of a tenant until they are deleted, each under a name. All methods may be called from any thread.

    Every method but `of` raises `StoreError` when the store cannot be reached or refuses.
    """

    def of(self, tenant: str) -> SchemaStore:
        """The store of another tenant, whose schemas are its own. It is closed with this one."""
        ...

    def put(self, schema_id: str, schema: BotSchema) -> None:
        """Keep a schema, in place of the one of that name if there is one.

        Raises:
            StoreFull: the name is new, and there are as many as may be.
        """
        ...

    def read(self, schema_id: str) -> BotSchema | None:
        """The schema of that name; None: there is none."""
        ...

    def delete(self, schema_id: str) -> bool:
        """Forget a schema; whether there was one."""
        ...

    def fingerprints(self) -> Mapping[str, str]:
        """The fingerprint of each schema by its name, in alphabetical order."""
        ...

    def close(self) -> None:
        """Give connections back."""
        ...


def check_schema_id(name: object) -> str:
    """Return `name` if it is usable as the name of a stored schema.

    Raises:
        InputError: it is not.
    """
    if not isinstance(name, str) or not re.fullmatch(SCHEMA_ID_PATTERN, name):
        raise InputError("schema_id", name, "1 to 100 of a-z, A-Z, 0-9, '.', '_' and '-', the first a letter or digit")
    return name


def full(most: int) -> StoreFull:
    """What to say of a schema that does not fit."""
    return StoreFull(f"{most} schemas are stored, as many as may be; delete one, or raise GRICE_MAX_SCHEMAS")
