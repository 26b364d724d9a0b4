//! The program as a person starts it, in a folder of its own, on one processor.

use std::fs::{File, create_dir, read_to_string, write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant as Wall};

use rustix::process::{Pid, Signal, kill_process};

/// The processor that it is bound to once it is ready; the client is to have another.
const PROCESSOR: &str = "0";
/// Until then it has both: on one, its own client would measure a transport without a wake across them.
const BOTH: &str = "0,1";

/// A running `iobound emulate`; ends as Ctrl-C ends it.
pub(crate) struct Server {
    child: Child,
    folder: tempfile::TempDir,
}

impl Server {
    /// Starts it with these words, and waits until it is ready.
    pub(crate) fn start(program: &Path, words: &[String], catalog: Option<&str>) -> Server {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        create_dir(at("disks")).expect("a folder");
        let mut command = Command::new("taskset");
        command.args(["-c", BOTH]).arg(program).args(["emulate", "--json"]).args(words);
        command.arg("--nbd").arg(format!("unix:{}", at("nbd.sock").display()));
        command.arg("--fuse").arg(at("disks")).arg("--control").arg(at("ctl"));
        if let Some(catalog) = catalog {
            write(at("catalog.toml"), catalog).expect("a file");
            command.arg("--catalog").arg(at("catalog.toml"));
        }
        command.stdout(File::create(at("out")).expect("a file")).stderr(Stdio::inherit());
        let child = command.spawn().expect("taskset is installed (util-linux)");
        let mut server = Server { child, folder };
        let end = Wall::now() + Duration::from_secs(60);
        while !read_to_string(server.at("out")).is_ok_and(|out| out.contains('\n')) {
            let ended = server.child.try_wait().expect("a child");
            assert!(
                ended.is_none() && Wall::now() < end,
                "iobound emulate {words:?} is not ready: {ended:?}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        let pid = server.child.id().to_string();
        let bound =
            Command::new("taskset").args(["-a", "-p", "-c", PROCESSOR, &pid]).stdout(Stdio::null()).status();
        assert!(bound.is_ok_and(|status| status.success()), "every thread of the server is bound");
        server
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The socket that it listens at.
    pub(crate) fn socket(&self) -> PathBuf {
        self.at("nbd.sock")
    }

    /// The file of a volume.
    pub(crate) fn file(&self, volume: &str) -> PathBuf {
        self.at("disks").join(volume)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).expect("a process");
        // It may have ended: then there is nothing to do.
        let _ = kill_process(pid, Signal::INT);
        let ended = self.child.wait();
        if !std::thread::panicking() {
            assert!(ended.is_ok_and(|status| status.success()), "iobound emulate does not end cleanly");
        }
    }
}
