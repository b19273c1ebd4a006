"""How likely a system finds texts that it may have learnt from."""
