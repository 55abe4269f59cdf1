#!/bin/bash
# Counts instructions of the scanner and the parser with callgrind and compares them with their limits. Give the
# sqlparse_bench of a release build: cmake --build BUILD --target sqlparse_bench; tests/sqlparse/bench.sh BUILD/tests/sqlparse_bench
set -euo pipefail
bench=${1:?usage: bench.sh SQLPARSE_BENCH}
status=0

# Instructions of $2 runs of $1.
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$1" "$2" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# The cost of one operation is the difference that more of them make.
report() {  # name, what, few, many, divide by, limit, unit
    local few many each
    few=$(count "$2" "$3")
    many=$(count "$2" "$4")
    each=$(awk -v a="$few" -v b="$many" -v n="$(($4 - $3))" -v d="$5" 'BEGIN { printf "%.1f", (b - a) / n / d }')
    printf '%-46s %10s %-14s limit %s\n' "$1" "$each" "$7" "$6"
    awk -v a="$each" -v b="$6" 'BEGIN { exit !(a <= b) }' || status=1
}

bytes=$("$bench" memory 1 | awk '{ print $2 }')
report 'scan SELECT c FROM sbtest1 WHERE id=12345' scan-point 100 1100 1 800 instructions
report 'parse SELECT c FROM sbtest1 WHERE id=12345' parse-point 100 1100 1 3000 instructions
report 'scan a 1 MiB INSERT' scan-insert 1 3 "$bytes" 12 per-byte
report 'parse a 1 MiB INSERT' parse-insert 1 3 "$bytes" 40 per-byte
memory=$("$bench" memory 1 | awk '{ printf "%.2f", $1 / $2 }')
printf '%-46s %10s %-14s limit %s\n' 'memory of its tree' "$memory" 'x-the-text' 12
awk -v a="$memory" 'BEGIN { exit !(a <= 12) }' || status=1
exit $status
