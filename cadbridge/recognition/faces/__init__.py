"""What one part is by itself: its analytic surfaces, its outline, and its sections as layers."""
