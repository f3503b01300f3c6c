"""How plainly a turn says what is wanted."""
