//! An ssh that runs the words on this machine.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use tempfile::TempDir;

use super::program;

/// A folder with an ssh in it. Hosts that are called `down` refuse; on `wrong` no rank can start; the connection to `cut` is
/// a process group of its own, and what runs there is not in it; others are this machine.
pub(crate) fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let ssh = folder.path().join("ssh");
    let text = "#!/bin/sh
echo \"$$ $@\" >> \"$(dirname \"$0\")/asked\"
while [ \"$1\" != \"--\" ]; do shift; done
host=$2
shift 2
case $host in
  down*) echo \"ssh: connect to host $host port 22: Connection refused\" >&2; exit 255;;
  chatty) echo 'Last login: never'; echo 'a banner' >&2;;
  silent) exec sleep 600;;
  wrong) IOBOUND_ENGINE=none; export IOBOUND_ENGINE;;
  cut) cat | setsid sh -c \"$*\" | cat; exit 255;;
  old) echo 'iobound-fleet {\"version\":\"0.0.1\",\"host\":\"old\",\"boot\":\"x\"}'; exec sleep 600;;
esac
exec sh -c \"$*\"
";
    std::fs::write(&ssh, text).unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// `iobound fleet` with that ssh, and this program as the one there.
pub(crate) fn fleet(at: &TempDir, words: &[&str]) -> Command {
    let mut command = program();
    command.arg("fleet").env("IOBOUND_SSH", at.path().join("ssh")).current_dir(at.path());
    command.env("IOBOUND_RESULTS", "off").env("IOBOUND_BUSY_OK", "true").env("TMPDIR", at.path());
    command.args(words);
    command
}

/// The same with the program there named, which a copy needs not.
pub(crate) fn on_hosts(at: &TempDir, words: &[&str]) -> Command {
    let mut command = fleet(at, words);
    command.env("IOBOUND_REMOTE_PROGRAM", env!("CARGO_BIN_EXE_iobound"));
    command
}
