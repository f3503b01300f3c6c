"""A turn in direct (or indirect) form, after its history."""
