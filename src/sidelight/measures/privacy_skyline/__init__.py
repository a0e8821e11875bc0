"""The acquaintance, who knows things about the target, other people and family members."""
