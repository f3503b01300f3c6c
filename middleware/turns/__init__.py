"""The way of a user turn: directness, gate, rewriter, guard."""
