"""What a scripted model says: no language model, but replies that look like one's."""
