"""Prior beliefs and finite stubbornness, ε-privacy: the adversary, its classes and their words."""
