//! Lateness of a bare absolute sleep on this machine: the least lateness that pacing by sleeping can have.
//!
//! `cargo bench -p iobound-emulate --bench sleep -- [RATE [SECONDS]]` sleeps to RATE times a second (20,000) with one
//! nanosecond of timer slack, and prints p50 and p99 of the lateness in microseconds: of each second, the median second's.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use iobound_measure::Histogram;
use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::{Timespec, clock_gettime};

const SECOND: i64 = 1_000_000_000;

fn now() -> i64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec * SECOND + time.tv_nsec
}

fn main() -> std::io::Result<()> {
    let words: Vec<i64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (rate, seconds) = (*words.first().unwrap_or(&20_000), *words.get(1).unwrap_or(&4));
    rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1))?;
    let mut by_second: [Vec<u64>; 2] = [Vec::new(), Vec::new()];
    let begin = now();
    for second in 0..seconds {
        let mut lateness: Histogram<3> = Histogram::new();
        for n in 1..=rate {
            let due = begin + second * SECOND + n * SECOND / rate;
            if now() < due {
                let until = Timespec { tv_sec: due / SECOND, tv_nsec: due % SECOND };
                clock_nanosleep_absolute(ClockId::Monotonic, &until)?;
            }
            lateness.record((now() - due).max(0) as u64);
        }
        by_second[0].push(lateness.value_at_percentile(50.0));
        by_second[1].push(lateness.value_at_percentile(99.0));
    }
    let [p50, p99] = by_second.map(|mut values| {
        values.sort_unstable();
        values[values.len() / 2] as f64 / 1e3
    });
    println!("{p50:.1} {p99:.1}");
    Ok(())
}
