"""Texts that a release may print, and labels that people may have: all forms, and what only looks like one."""

from hypothesis import strategies as st

PIECES = ["0", "3", "30", "034", "1e1", "2024", "2024-Q1", "2024-03", "2024-03-09", "a", "b", "(missing)", "816**", "*"]
SIGNS = ["-", "–", "..", " to ", ":", ", ", "; ", "+", "<", ">=", "[", ")", "]", "(", "{", "}", " or ", " or (missing)"]
TEXTS = st.none() | st.lists(st.sampled_from(PIECES + SIGNS), max_size=6).map("".join) | st.text(max_size=6)
LABELS = (
    TEXTS | st.integers(-5, 3000).map(str) | st.dates().map(str) | st.sampled_from(["3.0", "81667", "a, b", "10:30"])
)
