"""Every measure beside those of other programs: `python -m benchmarks.peers`."""
