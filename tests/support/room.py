"""How much room a search of a streamed table has, for tests that give it little."""

from sidelight.search import mondrian_streamed
from sidelight.search.mondrian_streamed import StreamedStore


def limit_room(monkeypatch, keys: int, histograms: int = 10**6, groups: int = 10**9, **more: float) -> None:
    """Let Mondrian of a streamed table hold so many keys, and so many bytes of histograms and of groups."""
    room = {"keys": keys, "histograms": histograms, "groups": groups, **more}
    monkeypatch.setattr(mondrian_streamed, "StreamedStore", lambda *given, **_: StreamedStore(*given, **room))
