//! What the way to the emulator costs: round trips of a client of our own, on an emulator without limits whose I/Os all take
//! the same time.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use iobound_emulate::nbd::Listen;
use iobound_emulate::store::{Backing, Pool};
use iobound_emulate::transport::{REST, median_round_trip, resting};
use iobound_emulate::{Emulator, Shared};
use iobound_model::{Blueprint, DiskId, Start, StartCredits, VolumeSpec};
use iobound_report::ServedAt;
use iobound_units::{Bytes, Span};

use tempfile::TempDir;

use super::fronts::{Fronts, Places};
use crate::failure::Failure;
use crate::scratch;

/// How many round trips a median is of: some 0.2 s.
const ROUND_TRIPS: usize = 800;
/// What each reads: the block of small I/Os.
const BLOCK: usize = 4096;

/// The cost of each front that would serve at these places, in the order in which they serve.
///
/// # Errors
/// Nothing can be served in the temporary folder either.
pub(super) fn costs(blueprint: &Blueprint, how: &Places) -> Result<Vec<Span>, Failure> {
    let folder = scratch::folder("measure")?;
    let measuring = |error: io::Error| Failure::io(format!("the transport can't be measured: {error}"));
    let places = Places {
        nbd: how.nbd.iter().enumerate().map(|(n, listen)| alike(listen, n, &folder)).collect(),
        fuse: how.fuse.as_ref().map(|_| folder.path().join("files")),
        allow_other: false,
        spin: how.spin,
    };
    let shared = emulator(blueprint)?;
    let mut fronts = Fronts::start(&shared, &places)?;
    let costs = fronts.served().to_vec().iter().map(|at| cost(at).map_err(measuring)).collect();
    fronts.unmount();
    fronts.close();
    costs
}

/// A place of the same kind that disturbs nobody.
fn alike(listen: &Listen, n: usize, folder: &TempDir) -> Listen {
    match listen {
        Listen::Unix(_) => Listen::Unix(folder.path().join(format!("{n}.sock"))),
        Listen::Tcp(at) => Listen::Tcp((at.ip(), 0).into()),
    }
}

/// An emulator of a small volume on the first disk, whose I/Os take no time but rest.
fn emulator(blueprint: &Blueprint) -> Result<Arc<Shared>, Failure> {
    let size = Bytes::mib(1);
    let mut small = resting(blueprint);
    small.disks.truncate(1);
    small.disks.iter_mut().for_each(|disk| disk.size = size);
    small.volumes = vec![VolumeSpec {
        name: "measured".into(),
        size,
        disks: vec![DiskId(0)],
        columns: 1,
        interleave: Bytes::kib(64),
        partition_offset: Bytes::ZERO,
    }];
    let pool = Pool::new(Bytes::mib(8)).map_err(Failure::io)?;
    let disks = vec![Box::new(pool.disk()) as Box<dyn Backing>];
    let start = Start { seed: 0, credits: StartCredits::Full };
    let emulator = Emulator::new(&small, &start, 64, disks).map_err(Failure::io)?;
    Shared::new(emulator).map_err(Failure::io)
}

/// How much longer than the disk the median of 4 KiB reads takes, one outstanding.
fn cost(at: &ServedAt) -> io::Result<Span> {
    let median = round_trip(at)?;
    Ok(Span::from_ns(median.ns().saturating_sub(REST.ns())))
}

fn round_trip(at: &ServedAt) -> io::Result<Span> {
    match at {
        ServedAt::NbdUnix(path) => nbd(UnixStream::connect(path)?),
        ServedAt::NbdTcp(host, port) => {
            let stream = TcpStream::connect((host.as_str(), *port))?;
            stream.set_nodelay(true)?;
            nbd(stream)
        }
        ServedAt::Fuse(folder) => {
            let path = Path::new(folder).join("measured");
            let flags = rustix::fs::OFlags::DIRECT.bits() as i32;
            let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
            // Direct I/O wants an aligned buffer.
            let mut memory = vec![0; 2 * BLOCK];
            let start = memory.as_ptr().align_offset(BLOCK);
            let block = &mut memory[start..start + BLOCK];
            median_round_trip(ROUND_TRIPS, || file.read_exact_at(block, 0))
        }
    }
}

/// By the NBD protocol, as short as it can be said: the handshake for one export by its name, then reads.
fn nbd(mut stream: impl Read + Write) -> io::Result<Span> {
    let mut greeting = [0; 18];
    stream.read_exact(&mut greeting)?;
    let name = b"measured";
    let mut words = Vec::new();
    // Fixed newstyle, no zeroes; then NBD_OPT_EXPORT_NAME.
    words.extend_from_slice(&3u32.to_be_bytes());
    words.extend_from_slice(b"IHAVEOPT");
    words.extend_from_slice(&1u32.to_be_bytes());
    words.extend_from_slice(&(name.len() as u32).to_be_bytes());
    words.extend_from_slice(name);
    stream.write_all(&words)?;
    let mut export = [0; 10];
    stream.read_exact(&mut export)?;
    let mut request = Vec::new();
    request.extend_from_slice(&0x2560_9513u32.to_be_bytes());
    // No flags, a read, any cookie, offset 0.
    request.extend_from_slice(&[0; 4]);
    request.extend_from_slice(&[0; 16]);
    request.extend_from_slice(&(BLOCK as u32).to_be_bytes());
    let mut reply = vec![0; 16 + BLOCK];
    median_round_trip(ROUND_TRIPS, || {
        stream.write_all(&request)?;
        stream.read_exact(&mut reply)?;
        match reply[4..8] {
            [0, 0, 0, 0] => Ok(()),
            _ => Err(io::Error::other("a read failed")),
        }
    })
}
