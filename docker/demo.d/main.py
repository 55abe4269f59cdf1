"""Reads the demo's options and runs it. docker/demo starts this once the machine has Python."""
from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from steps import Failed, complain  # noqa: E402

STATUS_FAILED, STATUS_USAGE = 1, 2


def leave(number: int, _: object) -> None:
    raise SystemExit(128 + number)


def main() -> int:
    parser = argparse.ArgumentParser(prog="docker/demo", add_help=False)
    parser.add_argument("--kind", choices=["mariadb", "mysql"], default="mariadb")
    parser.add_argument("--port", type=int)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--folder", default=str(HERE.parent.parent / "build" / "demo"))
    parser.add_argument("--shardway")
    parser.add_argument("--image")
    parser.add_argument("--compose", action="store_true")
    parser.add_argument("--remove", action="store_true")
    arguments = parser.parse_args()
    if arguments.port is not None and not 1 <= arguments.port <= 65535:
        print(f"docker/demo: --port is {arguments.port}; it can be 1 to 65535", file=sys.stderr)
        return STATUS_USAGE
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs are started with it ignored
    try:
        if arguments.compose or arguments.remove:
            import compose
            return compose.run(arguments)
        import native
        return native.run(arguments)
    except Failed as problem:
        complain(problem)
        return STATUS_FAILED
    except PermissionError as problem:
        complain(Failed(str(problem), "the build folder must be yours: a run as root leaves files of root's there"))
        return STATUS_FAILED
    except (KeyboardInterrupt, SystemExit) as ended:
        print("\nstopped; nothing is left running", flush=True)
        return ended.code if isinstance(ended, SystemExit) else 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
