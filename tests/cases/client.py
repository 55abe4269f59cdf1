"""A client that shows an answer as it came over the wire: values as bytes, whole column definitions, errors with their
SQLSTATE; text statements, and prepared ones with the types a case gives. PyMySQL does the login and the packets."""
from __future__ import annotations

import datetime
import decimal
import struct
from dataclasses import dataclass

import pymysql
from pymysql.constants import COMMAND, FIELD_TYPE

HOST = "127.0.0.1"
NOT_SUPPORTED = (1235, 1047, 1295)  # what Shardway says of what it does not do (yet)


@dataclass(frozen=True)
class Column:
    """What clients go by; lengths are those of the connection's character set."""

    label: str
    type: int
    length: int
    flags: int
    decimals: int
    charset: int
    database: str
    table: str
    org_table: str
    org_name: str


@dataclass
class Answer:
    kind: str  # "rows", "ok" or "error"
    rows: list[tuple]
    columns: list[Column]
    affected: int = 0
    code: int = 0
    state: str = ""
    message: str = ""
    warnings: int = 0

    def labels(self) -> list[str]:
        return [column.label for column in self.columns]

    def refused(self) -> bool:
        return self.kind == "error" and self.code in NOT_SUPPORTED

    def __str__(self) -> str:
        if self.kind == "error":
            return f"ERROR {self.code} ({self.state}): {self.message}"
        if self.kind == "ok":
            return f"OK, {self.affected} rows affected"
        shown = ["(" + ", ".join(show(value) for value in row) + ")" for row in self.rows[:12]]
        if len(self.rows) > 12:
            shown.append(f"… {len(self.rows)} rows")
        return f"{self.labels()} " + (" ".join(shown) or "no rows")


def show(value: bytes | None) -> str:
    if value is None:
        return "NULL"
    return repr(value.decode()) if is_utf8(value) else "x'" + value.hex() + "'"


def is_utf8(value: bytes) -> bool:
    try:
        value.decode()
        return True
    except UnicodeDecodeError:
        return False


class StatedPacket(pymysql.protocol.MysqlPacket):
    def raise_for_error(self) -> None:
        try:
            super().raise_for_error()
        except pymysql.err.MySQLError as error:
            error.sqlstate = text(self.get_all_data()[4:9])  # 0xff, number, '#', SQLSTATE
            raise


class Connection(pymysql.connections.Connection):
    """PyMySQL's, which keeps the SQLSTATE of an error."""

    def _read_packet(self, packet_type=StatedPacket):
        return super()._read_packet(StatedPacket if packet_type is pymysql.protocol.MysqlPacket else packet_type)


class RawClient:
    def __init__(self, **options: object):
        """Options of pymysql.connect. Autocommit is left as the server has it."""
        self.connection = Connection(**{"host": HOST, "charset": "utf8mb4", "use_unicode": False, "conv": {},
                                             "autocommit": None, "connect_timeout": 20, "read_timeout": 60, **options})

    def close(self) -> None:
        try:
            self.connection.close()
        except pymysql.err.Error:
            pass

    def cut(self) -> None:
        """Closes the socket without COM_QUIT."""
        self.connection._force_close()

    def id(self) -> int:
        return self.connection.thread_id()

    def run(self, statement: str | bytes) -> list[Answer]:
        """All results of one text statement."""
        answers: list[Answer] = []
        try:
            self.connection.query(statement)
            answers.append(self.answer())
            while self.connection._result.has_next:
                self.connection.next_result()
                answers.append(self.answer())
        except pymysql.err.MySQLError as error:
            answers.append(error_answer(error))
        return answers

    def answer(self) -> Answer:
        result = self.connection._result
        warnings = result.warning_count or 0
        if not result.field_count:
            return Answer("ok", [], [], affected=result.affected_rows, warnings=warnings)
        return Answer("rows", list(result.rows), [column_of(field) for field in result.fields], warnings=warnings)

    # Prepared statements.

    def command(self, command: int, body: bytes) -> None:
        self.connection._execute_command(command, body)

    def packet(self):
        return self.connection._read_packet()

    def definitions(self, count: int) -> list[Column]:
        found = [column_of(self.connection._read_packet(pymysql.protocol.FieldDescriptorPacket)) for _ in range(count)]
        if count:
            self.packet()  # EOF
        return found

    def prepare(self, statement: str) -> tuple[int, int]:
        """Handle and number of parameters."""
        self.command(COMMAND.COM_STMT_PREPARE, statement.encode())
        handle, columns, parameters = struct.unpack_from("<xIHH", self.packet().get_all_data())
        self.definitions(parameters)
        self.definitions(columns)
        return handle, parameters

    def run_prepared(self, statement: str, parameters: list, cursor_rows: int = 0) -> list[Answer]:
        """Prepares, executes and closes. `parameters` are pairs of a type's name and a value. With `cursor_rows` the
        rows are fetched by a read-only cursor, so many at a time."""
        try:
            handle, _ = self.prepare(statement)
            answers = self.execute(handle, parameters, cursor_rows)
            self.command(COMMAND.COM_STMT_CLOSE, struct.pack("<I", handle))
            return answers
        except pymysql.err.MySQLError as error:
            return [error_answer(error)]

    def execute(self, handle: int, parameters: list, cursor_rows: int = 0) -> list[Answer]:
        try:
            self.command(COMMAND.COM_STMT_EXECUTE, execute_body(handle, parameters, cursor_rows))
            first = self.packet()
            if first.is_ok_packet():
                ok = pymysql.protocol.OKPacketWrapper(first)
                return [Answer("ok", [], [], affected=ok.affected_rows, warnings=ok.warning_count)]
            count = first.read_length_encoded_integer()
            columns = [column_of(self.connection._read_packet(pymysql.protocol.FieldDescriptorPacket))
                       for _ in range(count)]
            end = self.packet()
            rows: list[tuple] = []
            if not cursor_rows or not status_of(end) & SERVER_STATUS_CURSOR_EXISTS:
                self.read_binary_rows(columns, rows)
            else:
                status = 0
                while not status & SERVER_STATUS_LAST_ROW_SENT:
                    self.command(COMMAND.COM_STMT_FETCH, struct.pack("<II", handle, cursor_rows))
                    status = self.read_binary_rows(columns, rows)
            return [Answer("rows", rows, columns)]
        except pymysql.err.MySQLError as error:
            return [error_answer(error)]

    def read_binary_rows(self, columns: list[Column], rows: list[tuple]) -> int:
        while True:
            packet = self.packet()
            if packet.is_eof_packet():
                return status_of(packet)
            rows.append(binary_row(packet.get_all_data(), columns))

    def change_user(self, user: str, password: str, database: str) -> None:
        """COM_CHANGE_USER; the server is expected to ask for the proof by an auth switch, or to accept an empty one."""
        from pymysql import _auth
        connection = self.connection
        body = user.encode() + b"\0\0" + database.encode() + b"\0" + struct.pack("<H", 45) + b"mysql_native_password\0"
        connection._execute_command(COMMAND.COM_CHANGE_USER, body)
        packet = connection._read_packet()
        connection.password = password.encode()
        if packet.is_auth_switch_request():
            packet.read_uint8()
            plugin = packet.read_string()
            connection._process_auth(plugin, packet)
        elif packet.is_extra_auth_data():
            _auth.caching_sha2_password_auth(connection, packet)


SERVER_STATUS_CURSOR_EXISTS = 0x40
SERVER_STATUS_LAST_ROW_SENT = 0x80


def status_of(eof) -> int:
    return struct.unpack_from("<xHH", eof.get_all_data())[1]


def text(value: bytes | str) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def column_of(field) -> Column:
    return Column(text(field.name), field.type_code, field.length, field.flags, field.scale, field.charsetnr,
                  text(field.db), text(field.table_name), text(field.org_table), text(field.org_name))


def error_answer(error: pymysql.err.MySQLError) -> Answer:
    code = error.args[0] if error.args and isinstance(error.args[0], int) else 0
    message = error.args[1] if len(error.args) > 1 else str(error)
    return Answer("error", [], [], code=code, state=getattr(error, "sqlstate", ""), message=text(message))


# ---- values of the binary protocol --------------------------------------------------------------------------------

INTEGERS = {"TINY": (FIELD_TYPE.TINY, "<b", "<B"), "SHORT": (FIELD_TYPE.SHORT, "<h", "<H"),
            "LONG": (FIELD_TYPE.LONG, "<i", "<I"), "INT24": (FIELD_TYPE.INT24, "<i", "<I"),
            "LONGLONG": (FIELD_TYPE.LONGLONG, "<q", "<Q")}
FLOATS = {"FLOAT": (FIELD_TYPE.FLOAT, "<f"), "DOUBLE": (FIELD_TYPE.DOUBLE, "<d")}
TEXTS = {"VAR_STRING": FIELD_TYPE.VAR_STRING, "STRING": FIELD_TYPE.STRING, "VARCHAR": FIELD_TYPE.VARCHAR,
         "BLOB": FIELD_TYPE.BLOB, "NEWDECIMAL": FIELD_TYPE.NEWDECIMAL, "DECIMAL": FIELD_TYPE.DECIMAL, "JSON": 245,
         "LONG_BLOB": FIELD_TYPE.LONG_BLOB, "ENUM": FIELD_TYPE.ENUM, "SET": FIELD_TYPE.SET}
MOMENTS = {"DATE": FIELD_TYPE.DATE, "DATETIME": FIELD_TYPE.DATETIME, "TIMESTAMP": FIELD_TYPE.TIMESTAMP}


def lenenc(value: bytes) -> bytes:
    size = len(value)
    if size < 251:
        return bytes([size]) + value
    if size < 1 << 16:
        return b"\xfc" + struct.pack("<H", size) + value
    if size < 1 << 24:
        return b"\xfd" + struct.pack("<I", size)[:3] + value
    return b"\xfe" + struct.pack("<Q", size) + value


def value_bytes(value: object) -> bytes:
    if isinstance(value, str) and value.startswith("hex:"):
        return bytes.fromhex(value[4:])
    if isinstance(value, str) and value.startswith("gen:"):
        return b"g" * int(value[4:])
    return str(value).encode()


def parameter(name: str, value: object) -> tuple[int, bytes]:
    """Type with its unsigned bit, and the value as COM_STMT_EXECUTE carries it."""
    base, unsigned = (name[:-len(" UNSIGNED")], True) if name.endswith(" UNSIGNED") else (name, False)
    if base in INTEGERS:
        code, signed_format, unsigned_format = INTEGERS[base]
        return code | (0x8000 if unsigned else 0), struct.pack(unsigned_format if unsigned else signed_format, int(value))
    if base in FLOATS:
        return FLOATS[base][0], struct.pack(FLOATS[base][1], float(value))
    if base in MOMENTS:
        moment = datetime.datetime.fromisoformat(str(value))
        packed = struct.pack("<HBBBBBI", moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second,
                             moment.microsecond)
        return MOMENTS[base], bytes([len(packed)]) + packed
    if base in TEXTS:
        return TEXTS[base], lenenc(value_bytes(value))
    raise ValueError(f"parameters of type {name} are not known here")


def execute_body(handle: int, parameters: list, cursor_rows: int) -> bytes:
    body = struct.pack("<IBI", handle, 1 if cursor_rows else 0, 1)
    if not parameters:
        return body
    nulls = bytearray((len(parameters) + 7) // 8)
    types, values = b"", b""
    for index, (name, value) in enumerate(parameters):
        if name == "NULL" or value is None:
            nulls[index // 8] |= 1 << index % 8
            types += struct.pack("<H", FIELD_TYPE.NULL)
            continue
        code, packed = parameter(name, value)
        types += struct.pack("<H", code)
        values += packed
    return body + bytes(nulls) + b"\x01" + types + values


def binary_row(packet: bytes, columns: list[Column]) -> tuple:
    """The values as their text, as far as it can be told; floats by repr."""
    nulls = packet[1:1 + (len(columns) + 9) // 8]
    at = 1 + len(nulls)
    row: list[bytes | None] = []
    for index, column in enumerate(columns):
        if nulls[(index + 2) // 8] >> ((index + 2) % 8) & 1:
            row.append(None)
            continue
        value, at = binary_value(packet, at, column)
        row.append(value)
    return tuple(row)


UNSIGNED_FLAG = 32
FIXED = {FIELD_TYPE.TINY: "bB", FIELD_TYPE.SHORT: "hH", FIELD_TYPE.YEAR: "hH", FIELD_TYPE.LONG: "iI",
         FIELD_TYPE.INT24: "iI", FIELD_TYPE.LONGLONG: "qQ", FIELD_TYPE.FLOAT: "ff", FIELD_TYPE.DOUBLE: "dd"}


def binary_value(packet: bytes, at: int, column: Column) -> tuple[bytes, int]:
    if column.type in FIXED:
        form = "<" + FIXED[column.type][bool(column.flags & UNSIGNED_FLAG)]
        return repr(struct.unpack_from(form, packet, at)[0]).encode(), at + struct.calcsize(form)
    if column.type in (FIELD_TYPE.DATE, FIELD_TYPE.DATETIME, FIELD_TYPE.TIMESTAMP, FIELD_TYPE.TIME):
        size = packet[at]
        return packet[at + 1:at + 1 + size].hex().encode(), at + 1 + size
    size, at = packet[at], at + 1
    if size >= 0xfc:
        width = {0xfc: 2, 0xfd: 3, 0xfe: 8}[size]
        size, at = int.from_bytes(packet[at:at + width], "little"), at + width
    return packet[at:at + size], at + size


def as_number(value: bytes | None) -> object:
    """For comparing figures that may differ in their last zeros."""
    try:
        return decimal.Decimal(value.decode()) if value is not None else None
    except (decimal.InvalidOperation, UnicodeDecodeError):
        return value
