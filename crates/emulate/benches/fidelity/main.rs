//! Distance between emulated devices and the simulator: the same workloads with the same draws in virtual time, and through
//! `iobound emulate` in real time, over NBD and over FUSE.
//!
//! `cargo bench -p iobound-emulate --bench fidelity -- PROGRAM [--seconds N] [--long] [--spin] [CASE...]` prints a table:
//! what of the simulated and the emulated run is compared depends on what holds the run back. PROGRAM is the binary
//! `iobound`; a CASE is how names begin. `--long` is the rate of one limiter over 100 s instead.
//!
//! After two seconds of warm-up: where a limiter binds, IOPS within 0.5 % and p50, p95, p99 within 5 % or 100 µs; where latency
//! binds, the mean within 2 % or 30 µs; hits, the median within 20 µs and the median of the transport.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a benchmark starts programs and measures time")]

mod cases;
mod figures;
mod runs;
mod server;

use std::path::PathBuf;

use cases::{Algorithm, BUCKETS, CASES, Case, Held, SEED};
use figures::Figures;
use iobound_units::Span;
use runs::{Front, emulated, simulated};
use server::Server;

const FRONTS: [Front; 2] = [Front::Nbd, Front::Fuse];

struct Options {
    program: PathBuf,
    counted: Span,
    long: bool,
    /// Further words for the server.
    words: Vec<String>,
    only: Vec<String>,
}

fn options() -> Option<Options> {
    // Cargo passes --bench.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let mut options = Options {
        program: words.next()?.into(),
        counted: Span::from_secs(10),
        long: false,
        words: vec![],
        only: vec![],
    };
    while let Some(word) = words.next() {
        match word.as_str() {
            "--seconds" => options.counted = Span::from_secs(words.next()?.parse().ok()?),
            "--long" => options.long = true,
            word if word.starts_with("--spin") => options.words.push(word.into()),
            _ => options.only.push(word),
        }
    }
    Some(options)
}

fn serve(options: &Options, case: &Case, further: &[&str]) -> Server {
    let seed = SEED.to_string();
    let mut words = vec!["--vm", case.vm, "--disk", case.disk, "--seed", &seed];
    if case.is_cached() {
        words.extend(["--cache-state", if case.held == Held::All { "warm" } else { "cold" }]);
    }
    words.extend(further);
    let words: Vec<String> =
        words.into_iter().map(String::from).chain(options.words.iter().cloned()).collect();
    Server::start(&options.program, &words, (case.algorithm == Algorithm::Bucket).then_some(BUCKETS))
}

fn main() {
    let Some(options) = options() else {
        println!("fidelity: PROGRAM [--seconds N] [--long] [--spin[=TIME]] [CASE...]");
        return;
    };
    if options.long { long(&options) } else { table(&options) }
}

/// The median round trip of each front without a model, in microseconds.
fn transports(options: &Options) -> [f64; 2] {
    let case = Case { depth: 1, ..CASES[0] };
    let server = serve(options, &case, &["--limits", "off"]);
    FRONTS.map(|front| emulated(&server, front, &case, Span::from_secs(1)).percentiles[0])
}

fn table(options: &Options) {
    let transports = transports(options);
    println!("round trip without a model, median: NBD {:.1} us, FUSE {:.1} us", transports[0], transports[1]);
    println!("| case | front | binds | IOPS | emulated | ratio | mean, us | p50 | p95 | p99 | verdict |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    let (mut rows, mut within) = (0, 0);
    let asked = |case: &&Case| {
        options.only.is_empty() || options.only.iter().any(|part| case.name.starts_with(part.as_str()))
    };
    for case in CASES.iter().filter(asked) {
        let (simulated, binds) = simulated(case, options.counted);
        for (front, transport) in FRONTS.into_iter().zip(transports) {
            // A server for each: what a run leaves in caches and lines is not the next one's.
            let server = serve(options, case, &[]);
            let emulated = emulated(&server, front, case, options.counted);
            drop(server);
            let misses = binds.misses(&simulated, &emulated, transport);
            (rows, within) = (rows + 1, within + usize::from(misses.is_empty()));
            let verdict = if misses.is_empty() { "within".to_string() } else { misses.join(", ") };
            println!(
                "| {} | {} | {} | {} | {verdict} |",
                case.name,
                front.name(),
                binds.name(),
                row(&simulated, &emulated)
            );
        }
    }
    println!("{within} of {rows} within what is asked");
}

fn row(simulated: &Figures, emulated: &Figures) -> String {
    let pair = |one: f64, other: f64| format!("{one:.0} / {other:.0}");
    let mut cells = vec![
        format!("{:.0}", simulated.iops),
        format!("{:.0}", emulated.iops),
        format!("{:.4}", emulated.iops / simulated.iops),
        pair(simulated.mean, emulated.mean),
    ];
    cells.extend(
        simulated.percentiles.into_iter().zip(emulated.percentiles).map(|(one, other)| pair(one, other)),
    );
    cells.join(" | ")
}

/// A P30 is let have 5,000 × 1.02 I/Os a second: counted over 100 s of whole slices.
fn long(options: &Options) {
    let enforced = 5_100.0;
    for name in ["P30-32", "P30-bucket-32"] {
        let case = CASES.iter().find(|case| case.name == name).expect("a case");
        for front in FRONTS {
            let server = serve(options, case, &[]);
            let iops = emulated(&server, front, case, Span::from_secs(100)).iops;
            let off = (iops / enforced - 1.0) * 100.0;
            let verdict = if off.abs() <= 0.1 { "within" } else { "not within" };
            println!("| {name}, 100 s | {} | {iops:.2} IOPS | {off:+.3} % | {verdict} 0.1 % |", front.name());
        }
    }
}
