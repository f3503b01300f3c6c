"""Large language models behind any OpenAI-compatible server: asked, remembered, counted, and kept within a budget."""

from grice.middleware.llm.budget import Budget, Limits, MemoryBudget
from grice.middleware.llm.chat_model import ChatModel
from grice.middleware.llm.chat_settings import ChatSettings
from grice.middleware.llm.reply import Message, Reply
from grice.middleware.llm.reply_cache import ReplyCache

__all__ = ["Budget", "ChatModel", "ChatSettings", "Limits", "MemoryBudget", "Message", "Reply", "ReplyCache"]
