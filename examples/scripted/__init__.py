"""Language models that say what a script says, and remember what they read: with them the examples run without a key."""
