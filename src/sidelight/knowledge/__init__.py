"""What an attacker may know, said in words: facts, read from text or built in Python."""
