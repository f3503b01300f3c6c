"""What becomes of scored responses: rates, alarms, and who is told of them live."""
