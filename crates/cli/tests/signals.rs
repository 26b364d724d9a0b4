//! SIGTERM ends every verb, in whatever it is doing, with the exit code of an interruption or of a server's end.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "it runs the program beside, and looks at the clock")]

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Exit codes of the program.
const DONE: i32 = 0;
const INTERRUPTED: i32 = 5;

/// What a test waits for at most: far longer than the second that is promised, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that runs, ended with the test.
struct Running {
    what: String,
    child: Child,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(words: &[&str], folder: &Path) -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_iobound"));
    command.args(words).current_dir(folder).env("IOBOUND_RESULTS", "none").env("XDG_RUNTIME_DIR", folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Running { what: words.join(" "), child: command.spawn().expect("it starts") }
}

impl Running {
    /// Sends SIGTERM and waits for the end; returns what was printed.
    fn end(mut self, expected: i32) -> String {
        let sent = Instant::now();
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs").success());
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                println!("{:6.0} ms  {}", sent.elapsed().as_secs_f64() * 1e3, self.what);
                let (mut out, mut err) = (String::new(), String::new());
                self.child.stdout.take().map(|mut pipe| pipe.read_to_string(&mut out));
                self.child.stderr.take().map(|mut pipe| pipe.read_to_string(&mut err));
                assert_eq!(status.code(), Some(expected), "{}: {out}{err}", self.what);
                return out;
            }
            assert!(sent.elapsed() < PATIENCE, "{} has not ended {PATIENCE:?} after SIGTERM", self.what);
            std::thread::yield_now();
        }
    }

    /// Waits until it has computed for so many hundredths of a second.
    fn computes(&mut self, ticks: u64) {
        let began = Instant::now();
        loop {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("it runs");
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            if fields[11].parse::<u64>().expect("ticks") >= ticks {
                return;
            }
            let ended = self.child.try_wait().expect("it can be waited for");
            assert!(ended.is_none(), "{} ended before it had computed", self.what);
            assert!(began.elapsed() < PATIENCE, "{} does not compute", self.what);
            std::thread::yield_now();
        }
    }

    /// Waits for a line of standard output or of standard error that has this in it.
    fn says(&mut self, part: &str, on_error: bool) -> String {
        let pipe: &mut dyn Read = match on_error {
            true => self.child.stderr.as_mut().expect("a pipe"),
            false => self.child.stdout.as_mut().expect("a pipe"),
        };
        let mut line = Vec::new();
        let mut byte = [0];
        // One byte at a time: nothing that comes later is taken.
        while pipe.read(&mut byte).expect("it is read") == 1 {
            line.push(byte[0]);
            if byte[0] == b'\n' {
                let text = String::from_utf8_lossy(&line).into_owned();
                if text.contains(part) {
                    return text;
                }
                line.clear();
            }
        }
        panic!("{} ended before it said {part}", self.what);
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("signals-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn fifo(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo runs").success());
    path
}

#[test]
fn every_verb_that_waits_for_a_file_ends() {
    let folder = folder("fifo");
    for words in [
        "predict --config F",
        "predict --vm DS14 --disk P30 --workload F",
        "predict --vm DS14 --disk P30 --fio F",
        "plan --config F",
        "explain --vm DS14 --disk P30 --result F",
        "compare F F",
        "lab F",
        "catalog vms --catalog F",
        "catalog import F",
        "run ./data --config F",
        "run ./data --workload F",
        "fio F",
        "diskspd -XF",
        "iometer F",
        "emulate --config F",
        "watch --config F",
        "doctor --config F",
        "serve --config F",
        "fleet --hosts F -- run ./data",
    ] {
        let path = fifo(&folder, "input");
        let text = path.display().to_string();
        let words: Vec<String> = words.split(' ').map(|word| word.replace('F', &text)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let running = start(&words, &folder);
        // Opened for writing as soon as the program has opened it for reading: then it waits for the text.
        let mut held = open_for_writing(&path, &words);
        held.write_all(b"\n").expect("it reads");
        running.end(INTERRUPTED);
        drop(held);
        std::fs::remove_file(&path).expect("it is there");
    }
}

/// Opens a pipe for writing once somebody reads it.
fn open_for_writing(path: &Path, words: &[&str]) -> File {
    use std::os::unix::fs::OpenOptionsExt;
    let began = Instant::now();
    loop {
        // Fails while nobody reads.
        match File::options().write(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32).open(path)
        {
            Ok(file) => return file,
            Err(_) => assert!(began.elapsed() < PATIENCE, "{words:?} does not open its file"),
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_verb_that_computes_ends() {
    let folder = folder("computing");
    for words in [
        "predict --vm DS14 --disk 32xP30 --depth 8 --threads 4000 --find-knee",
        "predict --vm DS14 --disk 10xP30:readonly --random --size 4TiB --depth 64 --threads 64 --find-knee",
        "plan --iops 60000 --throughput 900MB/s --capacity 20TiB --candidates 20",
        "lab published",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let mut running = start(&words, &folder);
        running.computes(2);
        running.end(INTERRUPTED);
    }
}

#[test]
fn a_verb_whose_answer_nobody_reads_ends() {
    let folder = folder("unread");
    let mut running = start(&["catalog", "vms", "--csv"], &folder);
    // A pipe holds 64 KiB: the list is longer, and the program waits for a reader.
    let began = Instant::now();
    loop {
        let pipe = running.child.stdout.as_ref().expect("a pipe");
        if rustix::io::ioctl_fionread(pipe).expect("it is a pipe") >= 65_536 {
            break;
        }
        assert!(began.elapsed() < PATIENCE, "the list is shorter than a pipe");
        let ended = running.child.try_wait().expect("it can be waited for");
        assert!(ended.is_none(), "the list is shorter than a pipe");
        std::thread::yield_now();
    }
    running.end(INTERRUPTED);
}

/// A trace without end, so that the signal comes while it is read.
#[test]
fn a_verb_that_reads_a_trace_prints_what_it_has() {
    let folder = folder("trace");
    let disks = "[base]\nvm = \"D8s_v5\"\nblock = \"8KiB\"\n\n[[run]]\nname = \"one\"\ndisk = [\"P10\"]\n";
    std::fs::write(folder.join("disks.toml"), disks).expect("there is room");
    let figures = "interrupted: the figures are of the I/Os up to then";
    for (words, says) in [
        ("trace info input", figures),
        ("predict --vm D8s_v5 --disk P30 --trace input", figures),
        ("predict --vm D8s_v5 --disk P30 --trace input --json", "\"interrupted\": true"),
        ("lab disks.toml --trace input", "one (partial)"),
        ("lab disks.toml --trace input --json", "\"interrupted\": true"),
    ] {
        let out = of_an_endless_trace(&folder, words);
        assert!(out.contains(says), "{words}: {out}");
    }
    // Nothing is known of a plan before the whole trace was read.
    assert_eq!(of_an_endless_trace(&folder, "plan --trace input --latency p99:5ms"), "");
}

/// The output of a verb that is ended while it reads a trace.
fn of_an_endless_trace(folder: &Path, words: &str) -> String {
    let words: Vec<&str> = words.split(' ').collect();
    let path = fifo(folder, "input");
    let mut running = start(&words, folder);
    let held = open_for_writing(&path, &words);
    // Now that the program reads, a pipe whose writes wait can be opened.
    let mut pipe = File::options().write(true).open(&path).expect("a reader is there");
    drop(held);
    let writer = std::thread::spawn(move || {
        let line =
            |n: u64| format!("{},usr,0,Read,{},4096,12000\n", 128_166_372_003_061_629 + n * 5_000, n * 4_096);
        (0..).step_by(1_000).find(|from| {
            let lines: String = (*from..from + 1_000).map(line).collect();
            pipe.write_all(lines.as_bytes()).is_err()
        })
    });
    running.computes(50);
    let out = running.end(INTERRUPTED);
    writer.join().expect("the pipe is closed");
    std::fs::remove_file(&path).expect("it is there");
    out
}

#[test]
fn a_run_prints_what_it_has() {
    let folder = folder("run");
    let words = [
        "run",
        "./data",
        "--size",
        "8MiB",
        "--duration",
        "600s",
        "--warmup",
        "0s",
        "--buffered",
        "--busy-ok",
        "--json",
    ];
    let mut running = start(&words, &folder);
    running.says("counted", true);
    let out = running.end(INTERRUPTED);
    assert!(out.contains("\"iops\""), "{out}");
}

#[test]
fn watching_serving_and_emulating_end() {
    let folder = folder("serving");
    let mut running = start(&["serve", "--at", "127.0.0.1:0"], &folder);
    running.says("http://", false);
    running.end(DONE);

    let mut running = start(&["serve", "--at", "127.0.0.1:0"], &folder);
    let address = running.says("http://", false);
    let address = address.trim().trim_start_matches("http://").trim_end_matches('/').to_string();
    let mut stream = TcpStream::connect(&address).expect("it listens");
    let question = "vm=DS14&disk=32xP30&depth=64&threads=2000";
    write!(stream, "GET /api/knee?{question} HTTP/1.1\r\nHost: {address}\r\n\r\n").expect("it reads");
    running.computes(2);
    running.end(DONE);
    drop(stream);

    let control = folder.join("control");
    let words = [
        "emulate",
        "--vm",
        "DS14",
        "--disk",
        "P4",
        "--nbd",
        "tcp:127.0.0.1:0",
        "--memory",
        "1GiB",
        "--control",
        control.to_str().expect("text"),
        "--json",
    ];
    let mut running = start(&words, &folder);
    let mut first = String::new();
    BufReader::with_capacity(1, running.child.stdout.as_mut().expect("a pipe"))
        .read_line(&mut first)
        .expect("text");
    assert!(first.starts_with('{'), "{first}");
    running.end(DONE);

    let mut running = start(&["watch", "--json"], &folder);
    running.says("iobound.watch", false);
    running.end(DONE);
}
