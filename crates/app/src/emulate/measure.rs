//! Transport overhead: round trips of a client of our own, on an emulator without limits whose I/Os all take
//! the same time.

use std::io;
use std::net::ToSocketAddrs;
use std::path::Path;
use std::sync::Arc;

use iobound_emulate::nbd::Listen;
use iobound_emulate::nbd::client::connect_patiently;
use iobound_emulate::store::Pool;
use iobound_emulate::transport::{lowest, median_round_trip, resting};
use iobound_emulate::{Emulator, Shared};
use iobound_model::{Blueprint, Start, StartCredits, VolumeSpec};
use iobound_report::ServedAt;
use iobound_units::{Bytes, Io, Span, TargetId};

use super::file_trip::median_of_file;
use super::fronts::{Fronts, ServePlaces};
use crate::scratch::{self, Scratch};
use crate::{Env, Failure};

/// Time of the round trips that a median is of.
const TRIPS: Span = Span::from_ms(80);
/// Their number at least.
const LEAST_TRIPS: usize = 100;
/// Device to read from.
const NAME: &str = "measured";
/// Block size of each read: that of small I/Os.
const BLOCK: usize = 4096;

/// The cost of each front that would serve at these places, in the order in which they serve.
///
/// # Errors
/// Returns an error if the temporary folder cannot hold a socket either.
pub(super) fn costs(blueprint: &Blueprint, how: &ServePlaces, env: &Env) -> Result<Vec<Span>, Failure> {
    let folder = scratch::folder(scratch::MEASURE, env)?;
    let measuring = |error: io::Error| Failure::io(format!("cannot measure the transport overhead: {error}"));
    let places = ServePlaces {
        nbd: how.nbd.iter().enumerate().map(|(n, listen)| alike(listen, n, &folder)).collect(),
        fuse: how.fuse.as_ref().map(|_| folder.path().join("files")),
        allow_other: false,
        spin: how.spin,
    };
    let (small, rest) = resting(blueprint);
    let shared = emulator(small)?;
    let mut fronts = Fronts::start(&shared, &places, env)?;
    let costs = fronts.served().to_vec().iter().map(|at| cost(at, rest, env).map_err(measuring)).collect();
    fronts.unmount();
    fronts.close();
    costs
}

/// A place of the same kind that disturbs nobody.
fn alike(listen: &Listen, n: usize, folder: &Scratch) -> Listen {
    match listen {
        Listen::Unix(_) => Listen::Unix(folder.path().join(format!("{n}.sock"))),
        Listen::Tcp(at) => Listen::Tcp((at.ip(), 0).into()),
    }
}

/// An emulator of a small volume on the first disk.
fn emulator(mut small: Blueprint) -> Result<Arc<Shared>, Failure> {
    let size = Bytes::mib(1);
    small.disks.truncate(1);
    small.disks.iter_mut().for_each(|disk| disk.size = size);
    small.volumes = vec![VolumeSpec::striped(NAME, [0], size)];
    let pool = Pool::new(Bytes::mib(8)).map_err(Failure::io)?;
    let start = Start { seed: 0, credits: StartCredits::Full };
    let emulator = Emulator::new(&small, &start, 64, pool.disks(1)).map_err(Failure::io)?;
    Shared::new(emulator).map_err(Failure::io)
}

/// Excess of the median of 4 KiB reads over the disk's latency, `rest`, with one I/O outstanding.
fn cost(at: &ServedAt, rest: Span, env: &Env) -> io::Result<Span> {
    let count = LEAST_TRIPS.max((TRIPS.ns() / rest.ns()) as usize);
    let excess = || Ok::<_, io::Error>(Span::from_ns(round_trip(at, count)?.ns().saturating_sub(rest.ns())));
    let (cost, highest) = lowest(excess)?;
    if let Some(highest) = highest {
        env.note(&format!(
            "transport overhead of {} {}: {:.0} to {:.0} us, because other work uses the processors; the lowest is \
             subtracted, so that latencies may be longer than modelled; start it on an idle machine",
            at.front(),
            at.place(),
            cost.us_f64(),
            highest.us_f64()
        ));
    }
    Ok(cost)
}

fn round_trip(at: &ServedAt, count: usize) -> io::Result<Span> {
    match at {
        ServedAt::NbdUnix(path) => nbd(&Listen::Unix(path.into()), count),
        ServedAt::NbdTcp(host, port) => {
            let address = (host.as_str(), *port).to_socket_addrs()?.next();
            let address = address.ok_or_else(|| io::Error::other(format!("{host} has no address")))?;
            nbd(&Listen::Tcp(address), count)
        }
        ServedAt::Fuse(folder) => median_of_file(&Path::new(folder).join(NAME), BLOCK, count),
    }
}

/// By the shortest replies that the protocol has, one call of the system each way.
fn nbd(at: &Listen, count: usize) -> io::Result<Span> {
    let mut channel = connect_patiently(at, NAME, false)?;
    let read = Io::read(TargetId(0), 0, BLOCK as u32);
    median_round_trip(count, || {
        channel.submit(0, &read, &[]);
        match channel.round_trip()? {
            0 => Ok(()),
            error => Err(io::Error::other(format!("a read failed with error {error}"))),
        }
    })
}
