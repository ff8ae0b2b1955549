"""Where a person is signed in. All of it needs a session token."""

from typing import cast

from . import types
from ._calls import Calls


class Sessions:
    """The sessions of the person who asks."""

    def __init__(self, calls: Calls) -> None:
        self._call = calls.call

    def list(self) -> types.SessionList:
        """The newest first, with a coarse name of the browser."""
        return cast(types.SessionList, self._call("GET /api/sessions"))

    def end(self, session_id: str) -> None:
        """It and its tokens are refused from the next request on."""
        self._call("DELETE /api/sessions/{session_id}", {"session_id": session_id})

    def end_others(self) -> int:
        """Ends all but the one that asks: the answer is how many there were."""
        return cast(int, self._call("POST /api/sessions/end-others")["ended"])
