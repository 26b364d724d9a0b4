#!/usr/bin/env bash
# Builds every fuzz target with coverage and runs each for so many seconds (20 if nothing is said) on its corpus; with 0 it
# only builds.
# Fails where one crashes, hangs or needs too much memory; the input is then in fuzz/artifacts.
#
# Neither cargo-fuzz nor a nightly compiler is needed: coverage is a code generation option of the stable compiler,
# and there is no unsafe code that an address sanitizer could watch. libFuzzer itself is compiled with the C++ compiler.
# `cargo fuzz run NAME` works as well, where it is installed.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:-20}
host=$(rustc -vV | sed -n 's/^host: //p')

export CARGO_TARGET_DIR="$PWD/target"
export RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing -Ccodegen-units=1"
# With a target named, build scripts and procedural macros are not instrumented.
cargo build --release --locked --target "$host"
[ "$seconds" != 0 ] || exit 0

# One target: fuzz NAME. Its output is one text, so that targets that run at the same time do not mix theirs.
fuzz() {
    local name=$1 seeds=() log=target/$1.log
    mkdir -p "corpus/$name" "artifacts/$name"
    [ -d "seeds/$name" ] && seeds=("seeds/$name")
    # The files that the readers' tests read.
    [ "$name" = observation ] && seeds=(../crates/formats/tests/observation/fixtures)
    if ! "target/$host/release/$name" -max_total_time="$seconds" -max_len=4096 -timeout=60 -rss_limit_mb=2048 \
        -verbosity=0 -print_final_stats=1 -artifact_prefix="artifacts/$name/" "corpus/$name" "${seeds[@]}" \
        >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "fuzz $name failed: see fuzz/artifacts/$name" >&2
        return 1
    fi
    sed -n "s/^stat::number_of_executed_units: */fuzz $name for $seconds s: inputs tried /p" "$log"
}
export -f fuzz
export seconds host

# A target has one thread: as many run at a time as there are processors.
for source in fuzz_targets/*.rs; do
    basename "$source" .rs
done | xargs -P "$(nproc)" -I '{}' bash -euo pipefail -c 'fuzz {}'
