"""What the world sees: groups as arrays, releases, generalising."""
