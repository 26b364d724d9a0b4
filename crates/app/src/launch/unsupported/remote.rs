//! The far end of an ssh connection, which exists on Linux alone: a shell there starts it, and it ends with its connection.

use super::RankExit;
use crate::{Env, Failure};

/// Serves no rank.
///
/// # Errors
/// Always returns an error.
pub fn serve_rank(_copied: bool, _env: &Env) -> Result<RankExit, Failure> {
    Err(Failure::input("the hosts of a fleet over ssh run Linux").help(
        "start the rank of a Windows machine there: iobound run E:\\ --rank R --of N --meet HOST:PORT --token-file FILE",
    ))
}
