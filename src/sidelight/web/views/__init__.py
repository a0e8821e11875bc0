"""One file per view: its route, what it asks the library, and what its template gets to draw."""
