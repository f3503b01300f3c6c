"""How long calls of the service wait: beside a heavy one, and under more load than it can serve."""
