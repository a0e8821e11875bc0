"""What an attacker may know, in a language of its own: facts about people, and statements about shares of people.

Here: the values (facts, people, statements), their text forms, and what follows from the words alone (a fact as basic
implications).  Not here: anything that needs a release, such as who is meant, or how likely it is (`worlds`,
`max_entropy`).

Read `facts`, then `events` and `statements`; `tokens` (shared by all parsers) and `parse` (with completion);
`basic_implications` last.
"""
