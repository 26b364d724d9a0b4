//! Makes the Rust of the fleet's protocol, in the folder that is given: `messages.rs`, and `service.rs`, which carries
//! them over gRPC.

use std::fs;
use std::path::PathBuf;

const HEAD: &str = "// Made of crates/fleet/proto/fleet.proto by `bash .ci/proto --write`. Not to be edited.\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let to = std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: iobound-proto FOLDER")?;
    let from = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/fleet/proto");
    let files = protox::compile(["fleet.proto"], [from])?;
    tonic_prost_build::configure().out_dir(&to).compile_fds(files)?;
    let whole = to.join("iobound.fleet.v1.rs");
    let text = fs::read_to_string(&whole)?;
    fs::remove_file(&whole)?;
    // Every exception from a lint in this project has its reason with it.
    let text = text
        .replace("#![allow(", "// Generated code has its own style.\n#![allow(")
        .replace("#[allow(", "// Generated code has its own style.\n#[allow(");
    let cut = text.find("/// Generated client implementations.").ok_or("the service is not where it was")?;
    fs::write(to.join("messages.rs"), format!("{HEAD}{}", &text[..cut]))?;
    fs::write(to.join("service.rs"), format!("{HEAD}use super::messages::{{ToCoordinator, ToRank}};\n\n{}", &text[cut..]))?;
    Ok(())
}
