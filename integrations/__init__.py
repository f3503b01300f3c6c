"""Grice inside agent frameworks: one module a framework, each with an extra of its name. All go through one `ConversationCheck`."""

from grice.integrations.conversation_check import CheckedTurn, CheckPolicy, ConversationCheck, ScoredReply, read_anew

__all__ = ["CheckPolicy", "CheckedTurn", "ConversationCheck", "ScoredReply", "read_anew"]
