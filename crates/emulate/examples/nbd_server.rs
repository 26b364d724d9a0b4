//! A server of one volume of 1 GiB without gates and without latency: what the protocol and the loop cost alone.
//!
//! `nbd_server unix:PATH [never|always|MICROSECONDS]`, until it is told to end. `benches/` compares it with others.

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use iobound_emulate::nbd::{Door, Listen};
    use iobound_emulate::store::{Backing, Memory};
    use iobound_emulate::{Emulator, FrontId, Pacer, Shared, Spin};
    use iobound_model::{
        Blueprint, DiskId, DiskSpec, Latency, Media, Routes, Start, StartCredits, VolumeSpec,
    };
    use iobound_units::{Bytes, Span};

    let mut arguments = std::env::args().skip(1);
    let place = arguments.next().ok_or("nbd_server unix:PATH [never|always|MICROSECONDS]")?;
    let place = place.strip_prefix("unix:").ok_or("expected unix:PATH")?;
    let spin = match arguments.next().as_deref() {
        None | Some("never") => Spin::Never,
        Some("always") => Spin::Always,
        Some(us) => Spin::Last(Span::from_us(us.parse()?)),
    };
    let none = Latency::constant(Span::ZERO);
    let disk = DiskSpec {
        name: "data.0".into(),
        size: Bytes::gib(1),
        media: Media { read: none, write: none },
        routes: Routes::default(),
        cache: None,
        max_transfer: Bytes::kib(256),
    };
    let volume = VolumeSpec {
        name: "data".into(),
        size: Bytes::gib(1),
        disks: vec![DiskId(0)],
        columns: 1,
        interleave: Bytes::kib(64),
        partition_offset: Bytes::ZERO,
    };
    let blueprint = Blueprint { volumes: vec![volume], disks: vec![disk], ..Blueprint::default() };
    let start = Start { seed: 1, credits: StartCredits::Full };
    let memory = Memory::of_disks(1, Bytes::gib(1))?.into_iter().map(|one| Box::new(one) as Box<dyn Backing>);
    let emulator = Emulator::new(&blueprint, &start, 65_536, memory.collect())?;
    let shared = Shared::new(emulator)?;
    let door = Door::listen(FrontId(0), &[Listen::Unix(place.into())])?;
    let _pacer = Pacer::serve(&shared, door, spin)?;
    loop {
        std::thread::park();
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
