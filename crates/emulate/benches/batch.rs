//! A client that sends 32 requests at once, waits for all their replies, and begins again: 4 KiB random reads from any NBD
//! server on a unix socket.
//!
//! `cargo bench -p iobound-emulate --bench batch -- SOCKET EXPORT SIZE [SECONDS [BATCH]]` prints IOPS and the median time
//! of a batch in microseconds. SIZE is in bytes.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

use std::os::fd::AsFd;
use std::time::{Duration, Instant as Wall};

use iobound_emulate::nbd::client::{Address, connect};
use iobound_measure::Histogram;
use iobound_units::{Io, Op, TargetId};
use rustix::event::{PollFd, PollFlags, poll};

const BLOCK: u32 = 4096;

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let [socket, export, size, rest @ ..] = words.as_slice() else {
        println!("batch: SOCKET, EXPORT and SIZE are needed, then SECONDS and BATCH if others than 4 and 32");
        return Ok(());
    };
    let number = |word: &String| word.parse::<u64>().expect("a number");
    let (seconds, batch) = (rest.first().map_or(4, number), rest.get(1).map_or(32, number));
    let blocks = number(size) / u64::from(BLOCK);
    let mut channel = connect(&Address::Unix(socket.into()), export, false)?;
    let mut random = 0x1234_5678_9abc_def1_u64;
    let mut latencies: Histogram<3> = Histogram::new();
    let (mut count, warm) = (0_u64, Wall::now() + Duration::from_secs(1));
    let mut begin = None;
    loop {
        let start = Wall::now();
        if begin.is_none() && start >= warm {
            begin = Some(start);
        }
        for cookie in 0..batch {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let offset = ((u128::from(random) * u128::from(blocks)) >> 64) as u64 * u64::from(BLOCK);
            channel.submit(
                cookie,
                &Io { op: Op::Read, target: TargetId(0), offset, len: BLOCK, fua: false },
                &[],
            );
        }
        assert!(channel.send()?, "a socket has room for {batch} headers");
        let mut left = batch;
        while left > 0 {
            if !channel.receive()? {
                poll(&mut [PollFd::from_borrowed_fd(channel.transport().as_fd(), PollFlags::IN)], None)?;
            }
            while let Some(reply) = channel.reply()? {
                assert_eq!((reply.error, reply.data.len()), (0, BLOCK as usize), "a read that succeeds");
                left -= 1;
            }
        }
        let Some(begin) = begin else { continue };
        count += batch;
        latencies.record(start.elapsed().as_nanos() as u64);
        if begin.elapsed() >= Duration::from_secs(seconds) {
            let iops = count as f64 / begin.elapsed().as_secs_f64();
            println!("{iops:.0} {:.1}", latencies.value_at_percentile(50.0) as f64 / 1e3);
            return Ok(());
        }
    }
}
