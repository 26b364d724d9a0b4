//! The cost of this program on a ring: its run loop with full recording beside a bare loop on the same ring
//! settings without any accounting. `cargo bench -p iobound-load --bench ring [-- TARGET]`; without a target, the
//! I/Os are NOPs. TARGET is only read.
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
use iobound_load::run::{Blocks, Options, Placement, run};
use iobound_units::{Bytes, Span, TargetId};
use iobound_workload::{Job, Load, Target, Workload};

const BLOCK: u32 = 4096;
const ROUNDS: usize = 7;
const ROUND: Duration = Duration::from_secs(1);

fn main() {
    let path = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).map(PathBuf::from);
    println!("{:<8} {:>12} {:>12} {:>10}", "depth", "bare k/s", "iobound k/s", "ratio");
    for depth in [32, 1] {
        let (mut bare_rates, mut own_rates) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            bare_rates.push(bare(path.as_deref(), depth));
            own_rates.push(own(path.clone(), depth));
        }
        let mut ratios: Vec<f64> = own_rates.iter().zip(&bare_rates).map(|(own, bare)| own / bare).collect();
        let (bare, own, ratio) = (median(&mut bare_rates), median(&mut own_rates), median(&mut ratios));
        println!("{depth:<8} {:>12.0} {:>12.0} {ratio:>10.3}", bare / 1e3, own / 1e3);
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
    let mut random: u64 = 0x1234_5678_9abc_def1;
    let mut push = |ring: &mut IoUring, tag: u64| {
        // The cheapest offset that is not sequential: xorshift, and a product instead of a division.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let offset = ((u128::from(random) * u128::from(blocks)) >> 64) as u64 * u64::from(BLOCK);
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

/// I/Os a second of the program's own loop.
fn own(path: Option<PathBuf>, depth: u32) -> f64 {
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
        engine: Kind::IoUring,
        interval: Span::from_secs(1),
        placement: Placement::Anywhere,
        on_error: OnError::Stop,
        apart: false,
        nops,
        blocks: Blocks::Refreshed(Payload::new(Filling::incompressible(1))),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let outcome =
        run(&workload, &names, &targets, &options, &stop, &mut |_| Flow::Continue).expect("it runs");
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    outcome.ios() as f64 / ROUND.as_secs_f64()
}
