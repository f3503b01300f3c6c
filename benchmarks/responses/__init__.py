"""`grice bench responses`: what is wrong with bots' responses, in chat, task and assistant dialogues."""
