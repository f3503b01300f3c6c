"""The stream worker under faults."""
