"""`grice iur`: makes indirect requests for a schema or a bot, and runs a bot's NLU over them."""
