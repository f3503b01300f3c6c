"""Training of the detector of face acts."""
