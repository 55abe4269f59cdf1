"""Broken packets close the connection they came by, and no other."""
import contextlib
import random
import socket
import struct

from harness import Context, equal, holds

ANSWER_SECONDS_MAX = 10


def packet(sequence: int, payload: bytes) -> bytes:
    return struct.pack("<I", len(payload))[:3] + bytes([sequence]) + payload


class Raw:
    """A socket to the listener, without a driver's manners."""

    def __init__(self, context: Context):
        self.socket = socket.create_connection(("127.0.0.1", context.port), 5)
        self.socket.settimeout(ANSWER_SECONDS_MAX)

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        try:
            self.socket.sendall(data)
        except (ConnectionError, socket.timeout):
            pass  # it was closed on us, as it should

    def send_end(self) -> None:
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def read(self) -> tuple[int, bytes]:
        header = self.read_all(4)
        return header[3], self.read_all(int.from_bytes(header[:3], "little"))

    def read_all(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise ConnectionError("closed")
            data += more
        return data

    def closed_with(self) -> int | None:
        """Reads to the end, which must come; the error's number when one was sent before."""
        code = None
        try:
            while True:
                _, payload = self.read()
                if payload[:1] == b"\xff":
                    code = int.from_bytes(payload[1:3], "little")
        except socket.timeout:
            raise AssertionError("the connection was not closed") from None
        except ConnectionError:
            return code


def login_packet(context: Context) -> bytes:
    """A login that a driver would send, up to the plugin's proof."""
    capabilities = 0x0000A28D | 0x00080000 | 0x00200000
    return (struct.pack("<IIB", capabilities, 1 << 24, 45) + bytes(23) + b"app\0" + b"\x20" + bytes(32) + b"shop\0" +
            b"caching_sha2_password\0")


def others_live(context: Context) -> None:
    equal(context.query("SELECT 1"), [(1,)])


def test_broken_logins(context: Context):
    good = login_packet(context)
    broken = {
        "payload cut": [packet(1, good[:length]) for length in (0, 1, 3, 31, 32, 33, 36, 40, 60, len(good) - 1)],
        "out of order": [packet(sequence, good) for sequence in (0, 2, 255)],
        "larger than any login": [struct.pack("<I", 0xFFFFFF)[:3] + b"\x01" + bytes(200000)],
        "an HTTP request": [b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
        "lengths beyond the packet": [packet(1, good[:32] + b"app\0" + b"\xfe" + b"\xff" * 8),
                                      packet(1, good[:32] + b"app\0" + b"\xff" + bytes(4))],
    }
    with context.client() as bystander:
        for what, inputs in broken.items():
            for data in inputs:
                with Raw(context) as raw:
                    raw.read()
                    raw.send(data)
                    raw.send_end()
                    raw.closed_with()
                equal(bystander.one("SELECT 1"), 1, f"a bystander's answer after {what}")
    others_live(context)


def test_a_login_that_never_comes_whole(context: Context):
    good = packet(1, login_packet(context))
    for length in (0, 1, 3, 4, 5, len(good) // 2, len(good) - 1):
        with Raw(context) as raw:
            raw.read()
            raw.send(good[:length])
    others_live(context)


def logged_in(context: Context):
    client = context.connect(autocommit=True)
    client._sock.settimeout(ANSWER_SECONDS_MAX)
    return client


def raw_of(client) -> Raw:
    raw = Raw.__new__(Raw)
    raw.client = client  # keeps the socket open
    raw.socket = client._sock
    return raw


def test_commands_out_of_order(context: Context):
    with context.client() as bystander:
        for sequence in (1, 7, 255):
            raw = raw_of(logged_in(context))
            raw.send(packet(sequence, b"\x03SELECT 1"))
            code = raw.closed_with()
            holds(code in (1156, 1158, 1835, None), f"the error was {code}")
        equal(bystander.one("SELECT 1"), 1)


def test_commands_cut_short(context: Context):
    for data in (b"\x20\x00\x00\x00\x03SELECT", b"\x01\x00", b"\xff\xff\xff\x00\x03SELECT 1"):
        raw = raw_of(logged_in(context))
        raw.send(data)
        raw.send_end()
        raw.closed_with()
    others_live(context)


def test_a_command_larger_than_allowed(context: Context):
    with context.client() as client:
        allowed = int(client.one("SELECT @@max_allowed_packet"))
    holds(allowed <= 1 << 30, f"max_allowed_packet is {allowed}")
    if allowed > 1 << 28:
        return  # a gigabyte on a test machine proves nothing more
    raw = raw_of(logged_in(context))
    part = b"\xff\xff\xff"
    for number in range(allowed // 0xFFFFFF + 2):
        raw.send(part + bytes([number % 256]) + (b"\x03" if number == 0 else b" ") + b" " * 0xFFFFFE)
    holds(raw.closed_with() in (1153, None), "the error is 1153")
    others_live(context)


def test_statements_around_sixteen_mebibytes(context: Context):
    with context.client() as client:
        allowed = int(client.one("SELECT @@max_allowed_packet"))
        for size in (0xFFFFFF - 2, 0xFFFFFF - 1, 0xFFFFFF, 0xFFFFFF + 1):
            if size + 2 > allowed:  # the command's byte, and servers refuse the limit itself
                return
            head, tail = "SELECT LENGTH('", "')"
            filler = size - len(head) - len(tail)
            equal(client.one(head + "x" * filler + tail), filler, f"the length at {size} bytes")


def test_an_empty_packet(context: Context):
    raw = raw_of(logged_in(context))
    raw.send(packet(0, b""))
    raw.send_end()
    raw.closed_with()
    others_live(context)


def test_unknown_commands(context: Context):
    client = logged_in(context)
    raw = raw_of(client)
    for command in (0x60, 0xFE):
        raw.send(packet(0, bytes([command]) + b"whatever"))
        _, payload = raw.read()
        equal(int.from_bytes(payload[1:3], "little"), 1047, "the error")
    with client.cursor() as cursor:
        cursor.execute("SELECT 1")
        equal(cursor.fetchall(), ((1,),))
    client.close()


def test_pipelined_commands_are_answered_in_order(context: Context):
    client = logged_in(context)
    raw = raw_of(client)
    raw.send(b"".join(packet(0, b"\x03SELECT %d" % number) for number in range(20)))
    for number in range(20):
        rows = []
        for _ in range(5):
            _, payload = raw.read()
            rows.append(payload)
        equal(rows[3], bytes([len(str(number))]) + str(number).encode(), "the row")
    client.close()


def test_random_bytes(context: Context):
    """A small relative of the fuzz target: random and mutated bytes, before and after the login."""
    dice = random.Random(20260131)
    good = packet(1, login_packet(context))
    with context.client() as bystander:
        for turn in range(200):
            data = bytearray(good if turn % 2 else dice.randbytes(dice.randrange(1, 300)))
            for _ in range(dice.randrange(1, 4)):
                data[dice.randrange(len(data))] = dice.randrange(256)
            with Raw(context) as raw:
                raw.read()
                raw.send(bytes(data))
                raw.send_end()
                raw.closed_with()
            if turn % 50 == 0:
                equal(bystander.one("SELECT 1"), 1)
        for turn in range(50):
            client = logged_in(context)
            raw = raw_of(client)
            raw.send(packet(0, bytes([dice.randrange(256)]) + dice.randbytes(dice.randrange(0, 200))))
            raw.send_end()
            raw.closed_with()
        equal(bystander.one("SELECT 1"), 1)
