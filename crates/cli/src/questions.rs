use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

const QUESTIONS: &str = "\
iobound finds what bounds a cloud VM's disk I/O.

What will this VM with these disks deliver?
  iobound predict --vm DS14 --disk 10xP30 --random --block 8KiB --read 70% --depth 64

Help: iobound predict --help
";

/// What can be asked, each with a line that can be run.
pub(crate) fn show(_common: &CommonArgs) -> Result<Exit, Failure> {
    output::write(QUESTIONS)
}
