"""What the publisher holds: reading anything, roles, hierarchies.  The only folder that sees dataframes and engines."""
