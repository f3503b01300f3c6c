"""ABC-Eval: nine behaviours of bot responses."""
