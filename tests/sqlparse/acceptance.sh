#!/bin/bash
# What a real server accepts, we accept; what it refuses, we refuse; what we print parses back to the same tree.
#
#   acceptance.sh SQLPARSE_ACCEPTANCE HOST PORT FOLDER...
#
# SQLPARSE_ACCEPTANCE is that target's program (cmake --build BUILD --target sqlparse_acceptance), HOST and PORT a MySQL
# 9.7 where ACCEPTANCE_USER (root) with ACCEPTANCE_PASSWORD (none) may do anything, FOLDERs hold mysqltest files: Debian's
# mariadb-test-data, sid's mysql-testsuite, unpacked with dpkg-deb -x. With ACCEPTANCE_DIALECT=mariadb the server is a
# MariaDB. Statements are prepared; plain queries run, as written and as printed. Prints a table and what differs; ends
# with 1 below 99.5 % accepted, above 2 % wrongly accepted, or when a printed statement has another tree.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=${1:?usage: acceptance.sh SQLPARSE_ACCEPTANCE HOST PORT FOLDER...}
host=$2
port=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/extract_statements.py" "$@" >"$work/statements"
"$program" "$work/statements" "$work/answers" --server "$host" "$port" "${ACCEPTANCE_USER:-root}" \
    "${ACCEPTANCE_PASSWORD:-}" ${ACCEPTANCE_DIALECT:+"--$ACCEPTANCE_DIALECT"}
