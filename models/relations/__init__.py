"""How a response relates to what was said and what is known: it contradicts, repeats, ignores, asks again, or is fine."""
