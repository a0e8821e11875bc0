"""How does the page get to the browser?  From 127.0.0.1 alone, at a port that is free, until Ctrl-C."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from sidelight.errors import SidelightError
from sidelight.web.app import explorer
from sidelight.web.security import TOKEN, new_token
from sidelight.web.uploads import Uploads, private_folder
from sidelight.web.workspace import Workspace

HOST = "127.0.0.1"
"""The one address that is listened to: nobody else's machine can ask."""


def serve(
    workspace: Workspace, *, port: int = 0, open_browser: bool = True, say: Callable[[str], None] = lambda _: None
) -> None:
    """Show the explorer until it is interrupted; port 0 is any that is free."""
    token = new_token()
    with private_folder() as folder, _listening(port) as listener:
        number = listener.getsockname()[1]
        address = f"http://{HOST}:{number}/?{TOKEN}={token}"
        app = explorer(workspace, token=token, port=number, uploads=Uploads(folder))
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,  # addresses say what is looked at
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        say(address)
        if open_browser:
            threading.Timer(0.3, webbrowser.open, [address]).start()
        uvicorn.Server(config).run(sockets=[listener])


def _listening(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen()  # whoever opens the address at once waits, and is not refused
    except (OSError, OverflowError) as error:
        listener.close()
        message = f"cannot listen to port {port}: {getattr(error, 'strerror', None) or error}; name another with --port"
        raise SidelightError(message) from None
    return listener
