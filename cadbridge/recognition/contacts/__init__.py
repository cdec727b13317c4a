"""Where the faces of two instances meet, and what such contacts leave free of each other."""
