"""Words and their written form: what every model may know of a text without a network."""
