//! Parts of the full program that this build may lack.

use iobound_app::Failure;

/// Error for a part that is not in this build, with the command that builds it. `what` has no verb: `FUSE`.
pub(crate) fn lacks(what: &str) -> Failure {
    Failure::input(format!("this build has no {what}: it is left out of the default build"))
        .mend("build the full program: cargo build --release --features full")
}
