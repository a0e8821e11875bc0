"""Several releases about the same people: what do they give away together?"""
