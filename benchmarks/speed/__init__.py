"""How long everything takes."""
