//! A client that sends many requests with one message: random reads of 4 KiB on any NBD server of a unix socket.
//!
//! `nbd_load unix:PATH EXPORT DEPTH SECONDS [waves|loop]`: in waves all are sent at once when the last of them is replied to,
//! in a loop those that were replied to are sent again. Prints IOPS and the median latency of an I/O.
#![allow(clippy::disallowed_methods, reason = "a benchmark measures time")]

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::time::{Duration, Instant};

    use iobound_drive::Engine;
    use iobound_emulate::nbd::Listen;
    use iobound_emulate::nbd::client::Client;
    use iobound_measure::Histogram;
    use iobound_units::{Io, Tag, TargetId};

    const USAGE: &str = "nbd_load unix:PATH EXPORT DEPTH SECONDS [waves|loop]";
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, export, depth, seconds, how @ ..] = &arguments[..] else { return Err(USAGE.into()) };
    let path = place.strip_prefix("unix:").ok_or(USAGE)?;
    let (depth, seconds): (u32, u64) = (depth.parse()?, seconds.parse()?);
    let waves = how.first().is_none_or(|how| how == "waves");
    let mut client = Client::new(&Listen::Unix(path.into()), &[export], 1, false)?;
    let (mut state, mut done) = (1u64, Vec::new());
    let mut next = || {
        // Any offsets will do that are not in order.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Io::read(TargetId(0), (state >> 33) % (1 << 18) * 4096, 4096)
    };
    let began = Instant::now();
    let mut issued = vec![client.now(); depth as usize];
    let (mut latencies, mut ios) = (Histogram::<3>::new(), 0u64);
    let mut free: Vec<Tag> = (0..depth).map(Tag).collect();
    while began.elapsed() < Duration::from_secs(seconds) {
        if !waves || free.len() == depth as usize {
            let now = client.now();
            for tag in free.drain(..) {
                issued[tag.0 as usize] = now;
                client.submit(tag, next());
            }
        }
        client.wait(iobound_units::Instant::MAX, &mut done)?;
        ios += done.len() as u64;
        for one in done.drain(..) {
            latencies.record(one.at.since(issued[one.tag.0 as usize]).ns());
            free.push(one.tag);
        }
    }
    let iops = ios as f64 / began.elapsed().as_secs_f64();
    println!("{iops:.0} IOPS, p50 {:.1} us, {ios} I/Os", latencies.value_at_percentile(50.0) as f64 / 1e3);
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {}
