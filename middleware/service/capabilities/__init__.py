"""How each capability travels over the wire, and what is special on its way."""
