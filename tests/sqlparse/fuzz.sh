#!/bin/bash
# Fuzzes lexer, parser and printer with libFuzzer, one after the other: fuzz.sh [SECONDS] [BUILD FOLDER]. Needs
# clang++-16 with its runtime. Starts from the seeds in tests/sqlparse/seeds; ends with 1 at the first finding.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
seconds=${1:-60}
out=${2:-$root/build-fuzz}
mkdir -p "$out"
status=0
flags=(-std=c++20 -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined "-I$root")
printf '%s\n' "$root"/sqlparse/*.cpp |
    xargs -P "$(nproc)" -I{} sh -c 'f=$1; shift; clang++-16 "$@" -c "$f" -o "'"$out"'/$(basename "$f" .cpp).o"' sh {} "${flags[@]}"
for target in 1:lexer 2:parser 3:printer; do
    name=${target#*:}
    clang++-16 "${flags[@]}" -fsanitize=fuzzer -DSQLPARSE_FUZZ="${target%%:*}" "$here/fuzz.cpp" "$out"/*.o -o "$out/fuzz_$name"
done
for name in lexer parser printer; do
    mkdir -p "$out/corpus_$name"
    echo "fuzzing the $name for $seconds s"
    "$out/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -dict="$here/fuzz.dict" -artifact_prefix="$out/$name-" "$out/corpus_$name" "$here/seeds" \
        >"$out/$name.log" 2>&1 || status=1
    grep -E '^stat::number_of_executed_units|^SUMMARY|ERROR: ' "$out/$name.log" || true
done
exit $status
