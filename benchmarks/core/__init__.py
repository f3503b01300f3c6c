"""What every benchmark shares: rows, systems, figures, the command."""
