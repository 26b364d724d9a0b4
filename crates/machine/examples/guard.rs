//! Says whether something may be written over: `cargo run -p iobound-machine --example guard -- /dev/sdb`.
//!
//! Prints what is on it and ends with 0, or prints why not, and the rule's name, and ends with 3.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    use std::path::PathBuf;
    use std::process::ExitCode;

    use iobound_machine::{World, guard};

    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        eprintln!("no path was given: guard PATH...");
        return ExitCode::from(2);
    }
    let mut refused = false;
    for path in paths {
        match guard::check(&World::real(), &path, None) {
            Ok(clearance) => {
                println!("{} may be written over by consent", path.display());
                for content in clearance.contents {
                    println!("  lost: {content}");
                }
                if clearance.hidden_processes > 0 {
                    println!("  unseen: what {} processes have open", clearance.hidden_processes);
                }
            }
            Err(refusal) => {
                println!("{:?}: {refusal}", refusal.because);
                refused = true;
            }
        }
    }
    ExitCode::from(if refused { 3 } else { 0 })
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the guard knows Linux only");
}
