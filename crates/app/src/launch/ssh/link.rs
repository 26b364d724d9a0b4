//! One host: the ssh process that reaches it, and what goes through it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use iobound_fleet::connect_here;
use iobound_formats::hosts::Host;

use super::command::{Ssh, far_end};
use super::greeting::{BEFORE, Greeting, Start};
use super::pump::pump;
use super::said::Said;
use crate::Env;

/// Number of times that is asked whether to go on waiting.
const LOOK: Duration = Duration::from_millis(50);
/// Exit code of ssh if it cannot connect.
const SSH_FAILED: i32 = 255;
/// Exit codes of shells for a missing program, and for one that cannot run.
const NOT_FOUND: i32 = 127;
const NOT_RUN: i32 = 126;
/// The most bytes that a command may print.
const MOST_PRINTED: u64 = 64 << 20;
/// The stack of a thread that only copies bytes.
const STACK: usize = 128 << 10;

/// A host that greeted.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) host: Host,
    pub(crate) greeting: Greeting,
    child: Mutex<Child>,
    said: Arc<Said>,
    /// Until it is told to start.
    stdin: Mutex<Option<ChildStdin>>,
    go: mpsc::Sender<Carry>,
}

/// Purpose of the connection from now on.
enum Carry {
    /// It carries what comes to the coordinator at that socket.
    ToCoordinator(PathBuf, ChildStdin),
    /// Nothing: the rank reaches the coordinator by itself.
    Nothing,
    /// Channel for the output of the command; it is sent when the command ends.
    Printed(mpsc::Sender<Vec<u8>>),
}

/// Reason why a host can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unreached {
    pub(crate) why: String,
    pub(crate) help: Option<String>,
}

impl Unreached {
    pub(crate) fn because(why: impl Into<String>) -> Unreached {
        Unreached { why: why.into(), help: None }
    }
}

impl Link {
    /// Connects to a host, and waits until the program there has greeted.
    ///
    /// # Errors
    /// Returns an error if ssh or the program there fails, or no answer comes in time; it quotes their message.
    pub(crate) fn open(
        ssh: &Ssh,
        host: &Host,
        program: &str,
        is_copy: bool,
        patience: Duration,
        env: &Env,
    ) -> Result<Link, Unreached> {
        let mut child = spawn(ssh, host, &far_end(program, is_copy))?;
        let said = hear(&mut child, env);
        let stdout = child.stdout.take().expect("it is piped");
        let stdin = child.stdin.take();
        let (tell, told) = mpsc::channel();
        let (go, wait) = mpsc::channel();
        let started = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            let mut stdout = BufReader::new(stdout);
            let is_there = tell.send(greeting_of(&mut stdout)).is_ok();
            drop(tell);
            if is_there && let Ok(carry) = wait.recv() {
                carried(stdout, carry);
            }
        });
        started.map_err(|error| Unreached::because(format!("cannot start a thread: {error}")))?;
        let began = Instant::now();
        let greeting = loop {
            match told.recv_timeout(LOOK) {
                Ok(greeting) => break greeting,
                Err(_) if env.is_stopped() => {
                    end_now(&mut child);
                    return Err(Unreached::because("interrupted"));
                }
                Err(_) if began.elapsed() > patience => {
                    end_now(&mut child);
                    let words = said.last().map(|words| format!(": {words}")).unwrap_or_default();
                    return Err(Unreached {
                        why: format!("no answer in {} s{words}", patience.as_secs()),
                        help: Some("try ssh by hand, or raise --connect-timeout".into()),
                    });
                }
                Err(_) => {}
            }
        };
        let Ok(greeting) = greeting else {
            let status = exit_within(&mut child, Duration::from_secs(2));
            if status.is_none() {
                end_now(&mut child);
            }
            return Err(unreached(status, &said, program, is_copy));
        };
        said.pass_on(&host.name);
        let (stdin, child) = (Mutex::new(stdin), Mutex::new(child));
        Ok(Link { host: host.clone(), greeting, child, said, stdin, go })
    }

    /// Starts the rank there. Its messages to the coordinator go to that socket, if there is one.
    ///
    /// # Errors
    /// Returns an error if the connection is closed.
    pub(crate) fn start(&self, start: &Start, coordinator: Option<PathBuf>) -> Result<(), String> {
        let mut held = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut stdin) = held.take() else { return Err("it has already started".into()) };
        let gone = |_| self.said.last().unwrap_or_else(|| "the connection is gone".into());
        stdin.write_all(start.line().as_bytes()).and_then(|()| stdin.flush()).map_err(gone)?;
        let carry = match coordinator {
            Some(coordinator) => Carry::ToCoordinator(coordinator, stdin),
            None => {
                // Its end is what tells the far end to end.
                *held = Some(stdin);
                Carry::Nothing
            }
        };
        self.go.send(carry).map_err(|_| "the connection is gone".to_string())
    }

    /// Starts a command there that is no rank of a run. What it prints can be received when it has ended.
    ///
    /// # Errors
    /// The connection is gone.
    pub(crate) fn start_printing(&self, start: &Start) -> Result<mpsc::Receiver<Vec<u8>>, String> {
        let mut held = self.stdin.lock().unwrap_or_else(PoisonError::into_inner);
        // It stays open: its end tells the far end to end.
        let Some(stdin) = held.as_mut() else { return Err("it has already started".into()) };
        let gone = |_| self.said.last().unwrap_or_else(|| "the connection is gone".into());
        stdin.write_all(start.line().as_bytes()).and_then(|()| stdin.flush()).map_err(gone)?;
        let (tell, printed) = mpsc::channel();
        self.go.send(Carry::Printed(tell)).map_err(|_| "the connection is gone".to_string())?;
        Ok(printed)
    }

    /// Its exit, once it has ended.
    pub(crate) fn ended(&self) -> Option<ExitStatus> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().ok().flatten()
    }

    /// Reason why it ended, in words.
    pub(crate) fn why(&self, status: ExitStatus) -> String {
        let said = self.said.last().map(|said| format!(": {said}")).unwrap_or_default();
        match status.code() {
            Some(SSH_FAILED) => format!("its ssh connection is gone{said}"),
            Some(code) => format!("it ended with exit code {code}{said}"),
            None => format!("its ssh was ended by a signal{said}"),
        }
    }

    /// Lets go: the far end ends its rank, if that still runs, and itself.
    pub(crate) fn let_go(&self) {
        drop(self.stdin.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Ends the connection at once; the far end sees to its own.
    pub(crate) fn cut(&self) {
        self.let_go();
        end_now(&mut self.child.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if self.ended().is_none() {
            self.cut();
        }
    }
}

/// Starts ssh.
pub(super) fn spawn(ssh: &Ssh, host: &Host, command: &str) -> Result<Child, Unreached> {
    ssh.command(host, command).spawn().map_err(|error| Unreached {
        why: format!("cannot start `{}`: {error}", ssh.words[0]),
        help: Some("install OpenSSH's client, or name it: --ssh PROGRAM".into()),
    })
}

/// Hears what a process says on standard error.
pub(super) fn hear(child: &mut Child, env: &Env) -> Arc<Said> {
    let said = Arc::new(Said::new(env));
    if let Some(stderr) = child.stderr.take() {
        let heard = Arc::clone(&said);
        // Without a thread, only its output is lost.
        let _ = std::thread::Builder::new().stack_size(STACK).spawn(move || heard.read(stderr));
    }
    said
}

/// Ends a process at once, and waits until it is gone.
pub(super) fn end_now(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// End of a process within a time.
pub(super) fn exit_within(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let began = Instant::now();
    while began.elapsed() < patience {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        std::thread::sleep(LOOK);
    }
    None
}

/// Reads up to the greeting.
fn greeting_of(stdout: &mut BufReader<ChildStdout>) -> Result<Greeting, ()> {
    let mut passed = 0;
    let mut line = Vec::new();
    while passed < BEFORE {
        line.clear();
        let most = (BEFORE - passed) as u64;
        match stdout.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Err(()),
            Ok(read) => passed += read,
        }
        if let Some(greeting) = Greeting::of(&String::from_utf8_lossy(&line)) {
            return Ok(greeting);
        }
    }
    Err(())
}

/// Carries bytes between a host and the coordinator until either is gone.
fn carried(mut stdout: BufReader<ChildStdout>, carry: Carry) {
    let (coordinator, mut stdin) = match carry {
        Carry::ToCoordinator(coordinator, stdin) => (coordinator, stdin),
        Carry::Nothing => {
            let mut rest = [0; 256];
            while matches!(stdout.read(&mut rest), Ok(1..)) {}
            return;
        }
        Carry::Printed(tell) => {
            let mut printed = Vec::new();
            // What was printed before the connection broke is kept: its reader sees whether it is whole.
            let _ = stdout.by_ref().take(MOST_PRINTED).read_to_end(&mut printed);
            let _ = tell.send(printed);
            return;
        }
    };
    // The coordinator hears of a rank when the rank says something, and not when its host was told to start it.
    let is_there = stdout.fill_buf().is_ok_and(|bytes| !bytes.is_empty());
    let Some(mut to_coordinator) = connect_here(&coordinator).ok().filter(|_| is_there) else { return };
    let Ok(mut from_coordinator) = to_coordinator.try_clone() else { return };
    let back = std::thread::Builder::new().stack_size(STACK).spawn(move || {
        pump(&mut from_coordinator, &mut stdin);
        let _ = from_coordinator.shutdown(Shutdown::Both);
    });
    pump(&mut stdout, &mut to_coordinator);
    let _ = to_coordinator.shutdown(Shutdown::Both);
    let _ = back.map(std::thread::JoinHandle::join);
}

/// Reason why there was no greeting.
fn unreached(status: Option<ExitStatus>, said: &Said, program: &str, is_copy: bool) -> Unreached {
    let words = said.last();
    let all = words.clone().unwrap_or_default();
    let with = |why: String| match &words {
        Some(words) => format!("{why}: {words}"),
        None => why,
    };
    let library = ["GLIBC_", "shared libraries", "ld-linux"].iter().any(|sign| all.contains(sign));
    let (why, help) = match status.and_then(|status| status.code()) {
        _ if library => (
            with("the program does not start there".into()),
            Some("copy one that is linked statically: --copy PATH"),
        ),
        Some(SSH_FAILED) => (
            // ssh's own words, where it has any.
            words.clone().unwrap_or_else(|| "ssh ended with exit code 255 and says nothing".into()),
            all.contains("Host key verification failed")
                .then_some("connect once by hand to store its host key")
                .or_else(|| {
                    all.contains("Permission denied")
                        .then_some("ssh needs a key: it runs with BatchMode=yes and never prompts")
                }),
        ),
        Some(NOT_FOUND) if is_copy => (with("the copy of the program does not start there".into()), None),
        Some(NOT_FOUND) => (
            with(format!("there is no `{program}`")),
            Some("install it there, name it with --remote-program PATH, or copy it with --copy"),
        ),
        Some(NOT_RUN) => (
            with("the host does not allow the program to run".into()),
            is_copy.then_some("set TMPDIR on that host to a folder whose file system allows programs"),
        ),
        Some(code) => (
            with(format!("`{program}` ended with exit code {code} before it greeted")),
            Some("check that it is this version of iobound, or copy it with --copy"),
        ),
        None => {
            (with("its login shell prints unexpected text".into()), Some("check its output: ssh HOST true"))
        }
    };
    Unreached { why, help: help.map(String::from) }
}
