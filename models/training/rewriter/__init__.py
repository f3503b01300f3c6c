"""Training of the rewriter."""
