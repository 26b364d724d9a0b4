#!/usr/bin/env bash
# Instructions per simulated I/O, counted by valgrind's callgrind: a figure that does not depend on what else the
# machine does. Prints one line for each case of `cargo bench -p iobound-drive`, or for those named as arguments.
# INSTRUCTIONS_PROFILE is the profile of the build [default: bench, which is `release`]; `dist` is the one that is shipped.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v valgrind >/dev/null; then
    echo "benches/instructions.sh: valgrind is not here; install it (Debian, Ubuntu: apt-get install valgrind)" >&2
    exit 2
fi

built=$(cargo bench -p iobound-drive --bench simulator --profile "${INSTRUCTIONS_PROFILE:-bench}" --no-run 2>&1) || { echo "$built" >&2; exit 1; }
bench=$(sed -n 's/^ *Executable .*(\(.*\))$/\1/p' <<<"$built" | tail -n 1)
if [ ! -x "$bench" ]; then
    echo "benches/instructions.sh: cargo named no executable for the bench:" >&2
    echo "$built" >&2
    exit 1
fi

cases=("$@")
if [ ${#cases[@]} -eq 0 ]; then
    mapfile -t cases < <("$bench" --list)
fi

printf '%-16s %12s %18s %16s\n' case I/Os instructions 'instructions/I/O'
for name in "${cases[@]}"; do
    log=$(mktemp)
    ios=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" "$bench" --once "$name")
    count=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log")
    rm -f "$log"
    printf '%-16s %12d %18d %16d\n' "$name" "$ios" "$count" $((count / ios))
done
