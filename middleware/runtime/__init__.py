"""What every stage needs: deadlines, memory of results, progress, connections."""
