#!/bin/bash
# Fuzzes lexer, parser and printer with libFuzzer, each for so many seconds of processor time (a busy machine changes
# nothing but how long it takes): fuzz.sh [SECONDS] [BUILD FOLDER] [lexer|parser|printer …]. Needs clang++-16 with its
# runtime. Starts from the seeds in tests/sqlparse/seeds; ends with 1 when there was a finding, which lies in the folder.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
seconds=${1:-60}
out=${2:-$root/build-fuzz}
names=("${@:3}")
[ ${#names[@]} -gt 0 ] || names=(lexer parser printer)
mkdir -p "$out"
flags=(-std=c++20 -O1 -g1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined "-I$root")
# In few batches: most of the time goes into headers.
sources=("$root"/sqlparse/*.cpp)
batches=6
for ((i = 0; i < batches; ++i)); do
    for ((j = i; j < ${#sources[@]}; j += batches)); do echo "#include \"${sources[j]}\""; done >"$out/batch_$i.cpp"
done
# shellcheck disable=SC2016
printf '%s\n' "$out"/batch_?.cpp | xargs -P "${JOBS:-$(nproc)}" -I{} sh -c '
    f=$1; o=${f%.cpp}.o; root=$2; shift 2
    if [ ! -e "$o" ] || [ -n "$(find "$root/sqlparse" -newer "$o" -type f)" ]; then clang++-16 "$@" -c "$f" -o "$o"; fi
    ' sh {} "$root" "${flags[@]}"

status=0
# Processor seconds of the process $1 and its threads.
used() { awk -v ticks="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print int(($12 + $13) / ticks) }' "/proc/$1/stat" 2>/dev/null || echo 0; }
for name in "${names[@]}"; do
    case $name in lexer) target=1 ;; parser) target=2 ;; printer) target=3 ;; *) exit 2 ;; esac
    clang++-16 "${flags[@]}" -fsanitize=fuzzer -DSQLPARSE_FUZZ=$target "$here/fuzz.cpp" "$out"/batch_?.o -o "$out/fuzz_$name"
    mkdir -p "$out/corpus_$name"
    echo "fuzzing the $name for $seconds s of processor time"
    "$out/fuzz_$name" -max_len=4096 -timeout=120 -report_slow_units=120 -rss_limit_mb=2048 -print_final_stats=1 -dict="$here/fuzz.dict" \
        -artifact_prefix="$out/$name-" "$out/corpus_$name" "$here/seeds" >"$out/$name.log" 2>&1 &
    pid=$!
    cpu=0
    while kill -0 "$pid" 2>/dev/null; do
        cpu=$(used "$pid")
        # An interrupt ends libFuzzer with its statistics, and with 72 instead of 0.
        if [ "$cpu" -ge "$seconds" ]; then kill -INT "$pid"; break; fi
        sleep 1
    done
    code=0
    wait "$pid" || code=$?
    findings=$(find "$out" -maxdepth 1 -name "$name-*" ! -name "*-slow-unit-*" | wc -l)
    [ "$code" -eq 72 ] && [ "$findings" -eq 0 ] || status=1
    echo "$name: $cpu s of processor time, findings: $findings"
    grep -E '^stat::|^SUMMARY|ERROR: ' "$out/$name.log" || true
done
exit $status
