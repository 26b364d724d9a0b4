//! Serves two striped disks without limiters as files in a directory, until its standard input ends.
//!
//! `cargo run --release --example fuse_server -- DIR [MEDIA_US [THREADS]]`

use std::io::Read;
use std::process::ExitCode;

use iobound_emulate::fuse::{MountOptions, Mounted};
use iobound_emulate::store::Pool;
use iobound_emulate::{Emulator, FrontId, Pacer, Shared, Spin};
use iobound_model::{Blueprint, Latency, Start, StartCredits};
use iobound_units::{Bytes, Span};

fn blueprint(media: Span) -> Blueprint {
    let mut blueprint = Blueprint::striped("data", 2, Bytes::gib(1), Latency::constant(media));
    blueprint.disks.iter_mut().for_each(|disk| disk.max_transfer = Bytes::mib(1));
    blueprint
}

fn serve(options: &MountOptions, media: Span) -> Result<(), Box<dyn std::error::Error>> {
    let blueprint = blueprint(media);
    let backings = Pool::new(Bytes::gib(1))?.disks(blueprint.disks.len());
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
