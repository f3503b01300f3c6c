"""What the turns of a persuasion do to the face of speaker and hearer."""
