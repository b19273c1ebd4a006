"""Published procedures as coroutines over a ChatModel. They save nothing and know nothing of Django."""
