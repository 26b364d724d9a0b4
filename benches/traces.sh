#!/usr/bin/env bash
# Instructions for each I/O of a trace, counted by valgrind's callgrind: reading it, by format, and simulating it. A figure
# that does not depend on the machine's load: the difference between runs of two rounds and of one.
#
#   benches/traces.sh                 all formats and all cases
#   benches/traces.sh read|simulate   one of the two
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v valgrind >/dev/null; then
    echo "benches/traces.sh: valgrind is not here; install it (Debian, Ubuntu: apt-get install valgrind)" >&2
    exit 2
fi
case "${1:-}" in
    "" | read | simulate) ;;
    *)
        echo "benches/traces.sh: $1: write read or simulate, or nothing for both" >&2
        exit 2
        ;;
esac
readonly IOS=200000

built() {
    local log bench
    log=$(cargo bench -p "$1" --bench "$2" --no-run 2>&1) || { echo "$log" >&2; exit 1; }
    bench=$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' <<<"$log" | tail -n 1)
    if [ ! -x "$bench" ]; then
        echo "benches/traces.sh: cargo named no executable for the bench:" >&2
        echo "$log" >&2
        exit 1
    fi
    echo "$bench"
}

counted() {
    local log
    log=$(mktemp)
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" "$@" >/dev/null
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log"
    rm -f "$log"
}

row() {
    local one two
    one=$(counted "$1" --rounds 1 --ios $IOS "$2")
    two=$(counted "$1" --rounds 2 --ios $IOS "$2")
    printf '%-24s %6d\n' "$3 $2" $(((two - one) / IOS))
}

printf '%-24s %6s\n' case instructions/I/O
if [ "${1:-read}" = read ]; then
    bench=$(built iobound-formats trace)
    for name in iobound fio msr alibaba tencent; do row "$bench" "$name" read; done
fi
if [ "${1:-simulate}" = simulate ]; then
    bench=$(built iobound-predict replay)
    for name in timed timed-own-format overloaded four-fragments dependent; do row "$bench" "$name" simulate; done
fi
