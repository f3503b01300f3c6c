from grice.middleware.analysis import Finding
def flipped(turn: str, rewrite: str) -> list[Finding]:
    return []
