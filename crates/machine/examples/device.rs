//! Says what a path lies on, and what is known of it: `cargo run -p iobound-machine --example device -- /mnt/data`.

#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    use std::path::PathBuf;

    use iobound_machine::block::{Beneath, beneath, facts, medium};
    use iobound_machine::{Node, World};

    let world = World::real();
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        match beneath(&world, &std::fs::canonicalize(&path)?, &Node::of(&path)?) {
            Beneath::Devices(devices) => {
                for device in devices {
                    println!("{}: {:#?}", path.display(), facts(&world, &device));
                    println!("{:?}", medium(&world, &device));
                }
            }
            Beneath::Memory { filesystem } => println!("{}: {filesystem}, in memory", path.display()),
            Beneath::Unknown { why } => println!("{}: unknown: {why}", path.display()),
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("devices are known on Linux only");
}
