"""What more machines bring: measured on two cores, simulated beyond."""
