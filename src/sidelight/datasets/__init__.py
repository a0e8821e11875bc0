"""Real tables that come with the package."""
