"""Which ports the demo listens on."""
from __future__ import annotations

import socket

from steps import Failed

HOST = "127.0.0.1"
FIRST, LAST = 3306, 3399   # tried in turn
ADMIN_FIRST, ADMIN_LAST = 9306, 9399


def chosen(wanted: int | None) -> int:
    """The port the user wants, or the first that is free."""
    if wanted and not is_free(wanted):
        raise Failed(f"port {wanted} is taken", "name another with --port, or leave it out: a free one is taken then")
    return wanted or first_free(FIRST, LAST)


def first_free(first: int, last: int) -> int:
    for port in range(first, last + 1):
        if is_free(port):
            return port
    raise Failed(f"ports {first} to {last} are all taken", "name one with --port")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen(1)
            return True
        except OSError:
            return False
