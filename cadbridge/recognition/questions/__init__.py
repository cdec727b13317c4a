"""What a person is asked of a recognition, what is answered, and what an answer changes."""
