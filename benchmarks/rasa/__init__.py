"""What a real Rasa NLU makes of turns, without Grice and with it."""
