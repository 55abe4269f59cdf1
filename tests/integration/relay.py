"""A relay before a node: tests put it in the rules instead of the node and count what goes over the wire."""
from __future__ import annotations

import contextlib
import socket
import threading


class Relay:
    """Listens on a free port and passes bytes to 127.0.0.1:target and back. Counts turns: how often the client's side
    spoke after the server had (or at first). A request with its answer is one turn, however many packets it has."""

    def __init__(self, target: int):
        self.target = target
        self.lock = threading.Lock()
        self.turns = 0
        self.up_bytes = 0
        self.connections = 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.open: list[socket.socket] = []
        self.closing = False
        threading.Thread(target=self.accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def accept(self) -> None:
        while True:
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            try:
                node = socket.create_connection(("127.0.0.1", self.target), 5)
                node.settimeout(None)
            except OSError:
                client.close()
                continue
            for end in (client, node):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.connections += 1
                self.open += [client, node]
            spoke = ["node"]  # who spoke last on this connection
            threading.Thread(target=self.pump, args=(client, node, "client", spoke), daemon=True).start()
            threading.Thread(target=self.pump, args=(node, client, "node", spoke), daemon=True).start()

    def pump(self, source: socket.socket, sink: socket.socket, name: str, spoke: list[str]) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                with self.lock:
                    if name == "client":
                        self.turns += spoke[0] == "node"
                        self.up_bytes += len(data)
                    spoke[0] = name
                sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Breaks all connections, as a network does; new ones are taken."""
        with self.lock:
            ends, self.open = self.open, []
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        self.server.close()
        self.cut()
