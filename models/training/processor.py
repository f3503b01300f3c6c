"""What the processor that trains can do."""

from __future__ import annotations

import torch


def has_bf16() -> bool:
    """Whether the processor multiplies in bf16; elsewhere half precision only costs."""
    told: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(told.get("avx512_bf16") or told.get("amx_bf16"))
