//! Serves two striped disks without gates as files in a directory, until its standard input ends.
//!
//! `cargo run --release --example fuse_server -- DIR [MEDIA_US [THREADS]]`

use std::io::Read;
use std::process::ExitCode;

use iobound_emulate::fuse::{MountOptions, Mounted};
use iobound_emulate::store::{Backing, Memory};
use iobound_emulate::{Emulator, FrontId, Pacer, Shared, Spin};
use iobound_model::{Blueprint, DiskId, DiskSpec, Latency, Media, Routes, Start, StartCredits, VolumeSpec};
use iobound_units::{Bytes, Span};

fn blueprint(media: Span) -> Blueprint {
    let latency = Latency::constant(media);
    let disk = |n| DiskSpec {
        name: format!("data.{n}"),
        size: Bytes::gib(1),
        media: Media { read: latency, write: latency },
        routes: Routes::default(),
        cache: None,
        max_transfer: Bytes::mib(1),
    };
    let volume = VolumeSpec {
        name: "data".into(),
        size: Bytes::gib(2),
        disks: vec![DiskId(0), DiskId(1)],
        columns: 2,
        interleave: Bytes::kib(64),
        partition_offset: Bytes::ZERO,
    };
    Blueprint { volumes: vec![volume], disks: vec![disk(0), disk(1)], ..Blueprint::default() }
}

fn serve(options: &MountOptions, media: Span) -> Result<(), Box<dyn std::error::Error>> {
    let blueprint = blueprint(media);
    let backings = Memory::of_disks(blueprint.disks.len(), Bytes::gib(1))?.into_iter();
    let backings = backings.map(|memory| Box::new(memory) as Box<dyn Backing>).collect();
    let start = Start { seed: 1, credits: StartCredits::Full };
    let shared = Shared::new(Emulator::new(&blueprint, &start, 4096, backings)?)?;
    let _pacer = Pacer::start(&shared, Spin::default())?;
    let mounted = Mounted::start(&shared, FrontId(0), options)?;
    println!("{}", mounted.directory().display());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    mounted.unmount()?;
    Ok(())
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| "disks".into());
    let mut number = |default| arguments.next().map_or(Ok(default), |text| text.parse::<u64>());
    let (Ok(media), Ok(threads)) = (number(0), number(1)) else {
        eprintln!("DIR [MEDIA_US [THREADS]]: media and threads are whole numbers");
        return ExitCode::from(2);
    };
    let options = MountOptions { threads: threads as usize, ..MountOptions::of(directory) };
    match serve(&options, Span::from_us(media)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
