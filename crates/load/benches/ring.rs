//! The cost of this program: its run loop with full recording beside a bare loop by the same engine without any
//! accounting. `cargo bench -p iobound-load --bench ring [-- TARGET]`; without a target, the I/Os are NOPs on a ring.
//! TARGET is only read. `--once bare|iobound` prints how many NOPs one round did, for `perf stat`; `--once bare|iobound ENGINE
//! DEPTH TARGET` prints IOPS, and of this program's loop the processor time of an I/O in µs.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::os::fd::AsRawFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant as Wall};

use io_uring::{IoUring, opcode, types};
use iobound_drive::Flow;
use iobound_load::engine::{Kind, OnError, Open, Targets};
use iobound_load::prepare::{Filling, Payload};
use iobound_load::run::{Blocks, Options, Outcome, Placement, Start, run};
use iobound_measure::Keep;
use iobound_units::{Bytes, Span, TargetId};
use iobound_workload::{Job, Load, Target, Workload};

const BLOCK: u32 = 4096;
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_secs(1);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--once") {
        once(&arguments[at + 1..]);
        return;
    }
    let path = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    // NOPs are io_uring's own.
    let engines = if path.is_some() { &[Kind::IoUring, Kind::Libaio][..] } else { &[Kind::IoUring] };
    println!("{:<10} {:<8} {:>12} {:>12} {:>10}", "engine", "depth", "bare k/s", "iobound k/s", "ratio");
    for (engine, depth) in engines.iter().flat_map(|engine| [(*engine, 32), (*engine, 1)]) {
        let (mut bare_rates, mut own_rates) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            bare_rates.push(match (engine, &path) {
                (Kind::Libaio, Some(path)) => bare_aio(path, depth),
                _ => bare(path.as_deref(), depth),
            });
            own_rates.push(own(path.clone(), engine, depth));
        }
        let mut ratios: Vec<f64> = own_rates.iter().zip(&bare_rates).map(|(own, bare)| own / bare).collect();
        let (bare, own, ratio) = (median(&mut bare_rates), median(&mut own_rates), median(&mut ratios));
        println!("{:<10} {depth:<8} {:>12.0} {:>12.0} {ratio:>10.3}", engine.name(), bare / 1e3, own / 1e3);
    }
}

/// One round of one loop.
fn once(words: &[String]) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (which, engine, depth, path) = match words[..] {
        [which] => (which, Kind::IoUring, 32, None),
        [which, engine, depth, path] => {
            let engine = Kind::of_name(engine).expect("an engine's name");
            (which, engine, depth.parse().expect("a depth"), Some(PathBuf::from(path)))
        }
        _ => panic!("--once bare|iobound [ENGINE DEPTH TARGET]"),
    };
    let (rate, processor_us) = match (which, engine, &path) {
        ("bare", Kind::Libaio, Some(path)) => (bare_aio(path, depth), None),
        ("bare", ..) => (bare(path.as_deref(), depth), None),
        ("iobound", ..) => {
            let outcome = outcome(path.clone(), engine, depth);
            let usage = outcome.usage();
            let ios = outcome.ios() as f64;
            (ios / ROUND.as_secs_f64(), Some((usage.user + usage.system).ns() as f64 / 1e3 / ios))
        }
        _ => panic!("bare or iobound"),
    };
    match (path, processor_us) {
        (None, _) => println!("{:.0}", rate * ROUND.as_secs_f64()),
        (Some(_), None) => println!("{rate:.0}"),
        (Some(_), Some(us)) => println!("{rate:.0} {us:.2}"),
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// I/Os a second of a loop that refills what completed and does nothing else.
fn bare(path: Option<&std::path::Path>, depth: u32) -> f64 {
    let mut ring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .setup_no_sqarray()
        .build(depth)
        .expect("a ring");
    let mut memory = memmap2::MmapMut::map_anon((depth * BLOCK) as usize).expect("memory");
    let part = libc::iovec { iov_base: memory.as_mut_ptr().cast(), iov_len: memory.len() };
    // SAFETY: the memory outlives the ring's last I/O: all are reaped before the end.
    unsafe { ring.submitter().register_buffers(&[part]) }.expect("registered buffers");
    let file = path.map(|path| {
        let paths = vec![path.to_path_buf()];
        Targets::open(&[paths], Open { writes: false, direct: true }).expect("the target opens")
    });
    let blocks = file.as_ref().map_or(1, |file| file.files()[0].size.get() / u64::from(BLOCK));
    if let Some(file) = &file {
        ring.submitter().register_files(&[file.files()[0].file().as_raw_fd()]).expect("a registered file");
    }
    let mut offsets = Offsets { random: 0x1234_5678_9abc_def1, blocks };
    let mut push = |ring: &mut IoUring, tag: u64| {
        let offset = offsets.next();
        let entry = if file.is_some() {
            // SAFETY: the place of this tag lies within the memory.
            let address = unsafe { memory.as_mut_ptr().add(tag as usize * BLOCK as usize) };
            opcode::ReadFixed::new(types::Fixed(0), address, BLOCK, 0).offset(offset).build()
        } else {
            opcode::Nop::new().build()
        };
        // SAFETY: as above; the tag is not outstanding.
        unsafe { ring.submission().push(&entry.user_data(tag)) }.expect("the queue has room for all tags");
    };
    for tag in 0..u64::from(depth) {
        push(&mut ring, tag);
    }
    let (mut count, begin) = (0_u64, Wall::now());
    let mut tags = Vec::with_capacity(depth as usize);
    loop {
        ring.submit_and_wait(1).expect("the ring goes on");
        tags.extend(ring.completion().map(|completion| completion.user_data()));
        count += tags.len() as u64;
        if begin.elapsed() >= ROUND {
            break;
        }
        for tag in tags.drain(..) {
            push(&mut ring, tag);
        }
    }
    let rate = count as f64 / begin.elapsed().as_secs_f64();
    let mut left = depth as usize - tags.len();
    while left > 0 {
        ring.submit_and_wait(1).expect("the ring goes on");
        left -= ring.completion().count();
    }
    rate
}

/// The cheapest offsets that are not sequential: xorshift, and a product instead of a division.
struct Offsets {
    random: u64,
    blocks: u64,
}

impl Offsets {
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        ((u128::from(self.random) * u128::from(self.blocks)) >> 64) as u64 * u64::from(BLOCK)
    }
}

/// I/Os a second of a loop by `io_submit` that does nothing but refill what completed.
fn bare_aio(path: &std::path::Path, depth: u32) -> f64 {
    let target = Targets::open(&[vec![path.to_path_buf()]], Open { writes: false, direct: true });
    let target = target.expect("the target opens");
    let file = &target.files()[0];
    let mut offsets = Offsets { random: 0x1234_5678_9abc_def1, blocks: file.size.get() / u64::from(BLOCK) };
    let mut memory = memmap2::MmapMut::map_anon((depth * BLOCK) as usize).expect("memory");
    let mut context: libc::c_ulong = 0;
    // SAFETY: the identifier is zero and outlives the call.
    let made = unsafe { libc::syscall(libc::SYS_io_setup, depth, &raw mut context) };
    assert_eq!(made, 0, "a context");
    // SAFETY: a zeroed iocb is a valid value of that plain C structure.
    let mut requests = vec![unsafe { std::mem::zeroed::<libc::iocb>() }; depth as usize];
    for (tag, request) in requests.iter_mut().enumerate() {
        request.aio_data = tag as u64;
        request.aio_fildes = file.file().as_raw_fd() as u32;
        request.aio_buf = memory[tag * BLOCK as usize..].as_mut_ptr() as u64;
        request.aio_nbytes = u64::from(BLOCK);
    }
    // Of each event the first word is the tag.
    let mut events = vec![[0_u64; 4]; depth as usize];
    let mut batch: Vec<*mut libc::iocb> = requests.iter_mut().map(|request| &raw mut *request).collect();
    let all = batch.clone();
    let (mut count, begin) = (0_u64, Wall::now());
    while begin.elapsed() < ROUND {
        for request in &batch {
            // SAFETY: the request is one of `requests`, and not with the kernel.
            unsafe { (**request).aio_offset = offsets.next() as i64 };
        }
        // SAFETY: requests and memory outlive the context.
        let took = unsafe { libc::syscall(libc::SYS_io_submit, context, batch.len(), batch.as_mut_ptr()) };
        assert_eq!(took, batch.len() as i64, "the context has room for all");
        let no_end: *mut libc::timespec = std::ptr::null_mut();
        // SAFETY: there is room for as many events as are outstanding.
        let found = unsafe {
            libc::syscall(libc::SYS_io_getevents, context, 1, depth as usize, events.as_mut_ptr(), no_end)
        };
        let found = usize::try_from(found).expect("the context goes on");
        batch.clear();
        batch.extend(events[..found].iter().map(|event| all[event[0] as usize]));
        count += found as u64;
    }
    let rate = count as f64 / begin.elapsed().as_secs_f64();
    // SAFETY: it is this function's own; the call returns when nothing is outstanding.
    unsafe { libc::syscall(libc::SYS_io_destroy, context) };
    rate
}

/// I/Os a second of the program's own loop.
fn own(path: Option<PathBuf>, engine: Kind, depth: u32) -> f64 {
    outcome(path, engine, depth).ios() as f64 / ROUND.as_secs_f64()
}

/// A run of the program's own loop for one round.
fn outcome(path: Option<PathBuf>, engine: Kind, depth: u32) -> Outcome {
    let nops = path.is_none();
    let path = path.unwrap_or_else(|| std::env::current_exe().expect("this program is a file"));
    let targets = Arc::new(
        Targets::open(&[vec![path]], Open { writes: false, direct: true }).expect("the target opens"),
    );
    let size = if nops { Bytes::gib(1) } else { targets.files()[0].size };
    let names = [Target { name: "target".into(), id: TargetId(0), size, members_of: None }];
    let mut job = Job::new("bench");
    job.load = Load::Closed { depth, cap: None };
    let workload = Workload::new(vec![job], Span::from_ns(ROUND.as_nanos() as u64));
    let options = Options {
        engine,
        interval: Span::from_secs(1),
        placement: Placement::Anywhere,
        on_error: OnError::Stop,
        apart: None,
        nops,
        traces: Vec::new(),
        thread_series: Keep::Nothing,
        report_every: None,
        log_ios: false,
        keep_warmup: false,
        blocks: Blocks::Refreshed(Payload::new(Filling::incompressible(1))),
        start: Start::AtOnce,
    };
    let stop = Arc::new(AtomicBool::new(false));
    let outcome =
        run(&workload, &names, &targets, &options, &stop, &mut |_| Flow::Continue).expect("it runs");
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    outcome
}
