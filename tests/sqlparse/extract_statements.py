#!/usr/bin/env python3
"""Collects the SQL statements of mysqltest files (.test, .inc) below the given folders, for the acceptance check.

Writes them to standard output, each once, with a zero byte behind it. Taken are the kinds of statements that our parser
reads; what mysqltest itself would still change (variables, eval with $) is left out.
"""
import os
import re
import sys

# mysqltest's own commands; a line that begins with one of these is not sent to the server.
COMMANDS = set("""append_file assert cat_file change_user character_set chmod connect connection copy_file copy_files_wildcard
dec delimiter diff_files dirty_close disable_abort_on_error disable_async_client disable_connect_log disable_info
disable_metadata disable_parsing disable_ps_protocol disable_query_log disable_reconnect disable_result_log
disable_session_track_info disable_testcase disable_warnings disconnect echo enable_abort_on_error enable_async_client
enable_connect_log enable_info enable_metadata enable_parsing enable_ps_protocol enable_query_log enable_reconnect
enable_result_log enable_session_track_info enable_testcase enable_warnings end error eval exec execw exec_in_background
exit expr file_exists force-cpdir force-rmdir horizontal_results if inc let list_files list_files_append_file
list_files_write_file lowercase_result mkdir move_file output partially_sorted_result perl ping query query_attributes
query_get_value query_horizontal query_vertical reap real_sleep remove_file remove_files_wildcard replace_column
replace_numeric_round replace_regex replace_result require reset_connection result result_format rmdir save_master_pos
send send_eval send_quit send_shutdown shutdown_server skip skip_if_hypergraph sleep sorted_result source start_timer
sync_slave_with_master sync_with_master system timer vertical_results wait_for_slave_to_stop while write_file
replace_numeric_round run shutdown disable_ps2_protocol enable_ps2_protocol disable_cursor_protocol enable_cursor_protocol
disable_view_protocol enable_view_protocol disable_service_connection enable_service_connection disable_prepare_warnings
enable_prepare_warnings optimizer_trace evalp query_sorted sync_slave skip_if_mysql""".split())

IN_SCOPE = re.compile(
    rb"""^(\(|SELECT|WITH|VALUES|TABLE|INSERT|REPLACE|UPDATE|DELETE|LOAD\s+(DATA|XML)|CALL|DO|HANDLER|BEGIN|START\s+TRANSACTION|
    COMMIT|ROLLBACK|SAVEPOINT|RELEASE|XA|LOCK|UNLOCK|SET|SHOW|DESC|DESCRIBE|EXPLAIN|USE|KILL|PREPARE|EXECUTE|DEALLOCATE|FLUSH|
    (CREATE|ALTER|DROP|RENAME|TRUNCATE)\s+((OR\s+REPLACE|TEMPORARY|UNIQUE|FULLTEXT|SPATIAL|IGNORE|ONLINE|PREPARE|
      ALGORITHM\s*=\s*\w+|DEFINER\s*=\s*\S+|SQL\s+SECURITY\s+\w+)\s+)*(TABLES?|INDEX|VIEW|DATABASE|SCHEMA|PREPARE)\b|
    TRUNCATE)(?![A-Za-z0-9_$])""", re.I | re.X)


def statements(data):
    delimiter = b";"
    pending = []
    lines = data.split(b"\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        i += 1
        stripped = line.strip()
        if not pending:
            if not stripped or stripped.startswith(b"#"):
                continue
            if stripped.startswith(b"--") and not stripped.startswith(b"-- "):
                words = stripped[2:].strip().split()
                if words and words[0].lower() == b"delimiter" and len(words) > 1:
                    delimiter = words[1]
                if words and words[0].lower() in (b"perl", b"write_file", b"append_file"):
                    end = words[-1] if words[0].lower() == b"perl" and len(words) > 1 else (
                        words[2] if len(words) > 2 else b"EOF")
                    while i < len(lines) and lines[i].strip() != end:
                        i += 1
                    i += 1
                continue
            if stripped in (b"{", b"}"):
                continue
            word = re.match(rb"[A-Za-z_]+", stripped)
            first = word.group(0).lower().decode() if word else ""
            if first == "delimiter":
                parts = stripped.split()
                if len(parts) > 1:
                    new = parts[1]
                    if new != delimiter and new.endswith(delimiter):
                        new = new[: -len(delimiter)]
                    delimiter = new or delimiter
                continue
            if first in ("perl", "write_file", "append_file"):
                rest = stripped.rstrip(delimiter).split()
                end = rest[1] if first == "perl" and len(rest) > 1 else (rest[2] if len(rest) > 2 else b"EOF")
                while i < len(lines) and lines[i].strip() != end:
                    i += 1
                i += 1
                continue
            if first in ("if", "while"):
                continue
        # `statement; # why`: the comment is mysqltest's.
        if delimiter == b";":
            line = re.sub(rb";\s*(#.*|-- .*)$", b";", line)
        pending.append(line)
        joined = b"\n".join(pending)
        if joined.rstrip().endswith(delimiter):
            text = joined.rstrip()[: -len(delimiter)].strip()
            pending = []
            word = re.match(rb"[A-Za-z_]+", text)
            first = word.group(0).lower().decode() if word else ""
            if first in COMMANDS:
                continue
            yield text
        elif len(pending) > 400:
            pending = []


def main():
    seen = set()
    out = sys.stdout.buffer
    for root in sys.argv[1:]:
        for folder, _, files in sorted(os.walk(root)):
            for name in sorted(files):
                if not name.endswith((".test", ".inc")):
                    continue
                with open(os.path.join(folder, name), "rb") as file:
                    data = file.read()
                for text in statements(data):
                    if not text or b"\0" in text or len(text) > 100000 or b"$" in text:
                        continue
                    try:
                        text.decode("utf-8")  # we connect with utf8mb4
                    except UnicodeDecodeError:
                        continue
                    if not IN_SCOPE.match(text) or text in seen:
                        continue
                    seen.add(text)
                    out.write(text + b"\0")


if __name__ == "__main__":
    main()
