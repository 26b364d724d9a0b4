//! An emulator that runs in a folder of its own, and a client that speaks NBD by the specification's own bytes.
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that an emulator leaves")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{Ran, program, ran};

/// A folder with an emulator in it, which is killed if the test fails.
pub(crate) struct Emulator {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) child: Child,
    pub(crate) out: BufReader<ChildStdout>,
    pub(crate) ready: Value,
}

impl Emulator {
    /// Starts one with `--json`, and waits until it serves.
    pub(crate) fn start(words: &str) -> Emulator {
        Emulator::start_in(tempfile::tempdir().unwrap(), words)
    }

    pub(crate) fn start_in(folder: tempfile::TempDir, words: &str) -> Emulator {
        let mut command = in_folder(folder.path());
        command.args(words.split_whitespace()).args(["--nbd", "unix:emulator.sock", "--json"]);
        command.args(["--memory", "64MiB", "--transport-cost", "0us"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let Ok(ready) = serde_json::from_str(&line) else {
            let mut said = String::new();
            let _ = child.stderr.take().unwrap().read_to_string(&mut said);
            panic!("it is not ready: {line}{said}");
        };
        Emulator { folder, child, out, ready }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn attach(&self, export: &str) -> Nbd<UnixStream> {
        Nbd::enter(UnixStream::connect(self.path("emulator.sock")).unwrap(), export)
    }

    /// Says words to it.
    pub(crate) fn ctl(&self, words: &str) -> Ran {
        let mut command = in_folder(self.folder.path());
        command.args(["ctl", "--json"]).args(words.split_whitespace());
        ran(command.output().unwrap())
    }

    /// Says words to it that it does, and gives the answer.
    pub(crate) fn told(&self, words: &str) -> Value {
        super::json(&self.ctl(words))
    }

    /// Says words to it, and gives what a person reads.
    pub(crate) fn ctl_text(&self, words: &str) -> String {
        let mut command = in_folder(self.folder.path());
        let said = ran(command.arg("ctl").args(words.split_whitespace()).output().unwrap());
        assert_eq!(said.code, 0, "{said:?}");
        said.out
    }

    /// The state, when `is` holds of it.
    pub(crate) fn state_when(&self, is: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..100 {
            let state = self.told("state")["state"].clone();
            if is(&state) {
                return state;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("never so: {}", self.told("state"));
    }

    /// Interrupts it, and gives its last line, the exit code, and the folder.
    pub(crate) fn interrupt(self) -> (Value, i32, tempfile::TempDir) {
        self.end_by(&[Signal::INT])
    }

    /// Sends it these signals, one directly after the other.
    pub(crate) fn end_by(mut self, signals: &[Signal]) -> (Value, i32, tempfile::TempDir) {
        let pid = Pid::from_child(&self.child);
        signals.iter().for_each(|signal| kill_process(pid, *signal).unwrap());
        let (last, code) = self.last();
        (last, code, std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap()))
    }

    pub(crate) fn last(&mut self) -> (Value, i32) {
        let lines: Vec<String> = (&mut self.out).lines().map(Result::unwrap).collect();
        let last = serde_json::from_str(lines.last().expect("it says that it ends")).unwrap();
        (last, self.child.wait().unwrap().code().unwrap_or(-1))
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A killed one leaves its mount.
        let disks = self.folder.path().join("disks");
        if std::thread::panicking() && fs::metadata(&disks).is_err() {
            let _ = Command::new("umount").arg("-l").arg(disks).status();
        }
    }
}

/// The verb, in a folder where it finds and leaves everything.
pub(crate) fn in_folder(folder: &Path) -> Command {
    let mut command = program();
    command.current_dir(folder).env("XDG_RUNTIME_DIR", folder).arg("emulate");
    command
}

pub(crate) fn emulate(words: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    ran(in_folder(folder.path()).args(words.split_whitespace()).output().unwrap())
}

/// A client, in the bytes of the NBD protocol's specification.
pub(crate) struct Nbd<S> {
    pub(crate) stream: S,
    pub(crate) size: u64,
}

impl<S: Read + Write> Nbd<S> {
    /// NBD_OPT_EXPORT_NAME after the fixed newstyle greeting.
    pub(crate) fn enter(mut stream: S, export: &str) -> Nbd<S> {
        let mut greeting = [0; 18];
        stream.read_exact(&mut greeting).unwrap();
        assert_eq!(&greeting[..16], b"NBDMAGICIHAVEOPT");
        let length = (export.len() as u32).to_be_bytes();
        let words = [&3u32.to_be_bytes(), &b"IHAVEOPT"[..], &1u32.to_be_bytes(), &length, export.as_bytes()];
        stream.write_all(&words.concat()).unwrap();
        let mut answer = [0; 10];
        stream.read_exact(&mut answer).unwrap();
        Nbd { stream, size: u64::from_be_bytes(answer[..8].try_into().unwrap()) }
    }

    /// A request, and its error and data.
    pub(crate) fn ask(&mut self, command: u16, offset: u64, len: u32, data: &[u8]) -> (u32, Vec<u8>) {
        let head = [
            &0x2560_9513u32.to_be_bytes(),
            &[0, 0][..],
            &command.to_be_bytes(),
            b"cookie!!",
            &offset.to_be_bytes(),
            &len.to_be_bytes(),
            data,
        ];
        self.stream.write_all(&head.concat()).unwrap();
        let mut reply = [0; 16];
        self.stream.read_exact(&mut reply).unwrap();
        assert_eq!((&reply[..4], &reply[8..]), (&0x6744_6698u32.to_be_bytes()[..], &b"cookie!!"[..]));
        let error = u32::from_be_bytes(reply[4..8].try_into().unwrap());
        let mut bytes = vec![0; if command == 0 && error == 0 { len as usize } else { 0 }];
        self.stream.read_exact(&mut bytes).unwrap();
        (error, bytes)
    }

    pub(crate) fn read(&mut self, offset: u64, len: u32) -> (u32, Vec<u8>) {
        self.ask(0, offset, len, &[])
    }

    pub(crate) fn write(&mut self, offset: u64, data: &[u8]) {
        assert_eq!(self.ask(1, offset, data.len() as u32, data).0, 0, "a write");
    }
}
