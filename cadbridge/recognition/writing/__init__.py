"""The mates file of a recognition, under a person's hand too, and its JSON; a source read with it."""
