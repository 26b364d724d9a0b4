//! The far end of an ssh connection: `iobound fleet there`, which no person types. It starts one rank, carries what the
//! rank and the coordinator say to each other through its own streams, and leaves nothing behind: no process when the connection
//! is gone, no socket, no copy of the program.

use std::fs::File;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use iobound_machine::World;
use iobound_machine::kernel::Kernel;
use rustix::process::{Pid, Signal, kill_process};

use super::RankExit;
use super::greeting::{Direct, Greeting, LONGEST, Start};
use super::pump::pump;
use crate::scratch::{self, Scratch};
use crate::{Env, Failure};

/// Time that a rank may take to end by itself when its connection is gone: it stops its load, keeps what it has, and says so.
const BY_ITSELF: Duration = Duration::from_secs(15);
/// Time that after it was asked to end it is killed.
const ASKED: Duration = Duration::from_secs(5);
/// Time that the last of what it said may take to go out.
const LAST: Duration = Duration::from_secs(5);
/// Number of times that the rank is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Serves one rank for the process at the other end of standard input and output.
///
/// # Errors
/// Returns an error if the peer is gone, or the rank cannot be started or does not end.
pub fn serve_rank(copied: bool, env: &Env) -> Result<RankExit, Failure> {
    let own = own_program(copied)?;
    let (mut from, mut to) = streams()?;
    let greeting = Greeting {
        version: env!("CARGO_PKG_VERSION").to_string(),
        host: Kernel::of(&World::real()).host.unwrap_or_default(),
        boot: std::fs::read_to_string("/proc/sys/kernel/random/boot_id")
            .map_or(String::new(), |id| id.trim().into()),
    };
    to.write_all(greeting.line().as_bytes())
        .map_err(|error| Failure::io(format!("the peer is gone: {error}")))?;
    let Some(line) = line_of(&mut from, env) else {
        // The other end closed the connection before anything was started.
        return Ok(RankExit(0));
    };
    let Some(start) = Start::of(&line) else {
        return Err(Failure::input("cannot read the command to start")
            .help("this verb is started by `iobound fleet --hosts` over ssh"));
    };
    if start.prints {
        return print(own, &start, from, to, env);
    }
    let folder = scratch::folder(scratch::RANK, env)?;
    let cut = Arc::new(AtomicBool::new(false));
    let mut command = Command::new(own);
    command.args(&start.words).stdin(Stdio::null()).stdout(Stdio::from(std::io::stderr()));
    command.env("IOBOUND_RANK", start.rank.to_string()).env("IOBOUND_OF", start.of.to_string());
    command.env("IOBOUND_COORDINATOR", "elsewhere");
    let carried = match &start.meet {
        Some(direct) => {
            directly(&mut command, direct, &folder)?;
            watch(from, Arc::clone(&cut));
            None
        }
        None => {
            let socket = folder.path().join("coordinator");
            let carried = carry(&socket, from, to, Arc::clone(&cut))?;
            command.env("IOBOUND_MEET", &socket);
            Some(carried)
        }
    };
    let mut child =
        command.spawn().map_err(|error| Failure::io(format!("cannot start the rank: {error}")))?;
    let ended = attend(&mut child, &cut, BY_ITSELF, env);
    if let Some(carried) = carried {
        carried.finish();
    }
    // The process ends with the rank's code, and nothing after it takes the folder away.
    drop(folder);
    exit_of(ended)
}

fn exit_of(ended: Option<ExitStatus>) -> Result<RankExit, Failure> {
    match ended {
        Some(status) => Ok(RankExit(code_of(status))),
        None => Err(Failure::io("the rank does not end: it is blocked in the kernel")),
    }
}

/// Runs a command that meets nobody, and sends what it prints. The end of the connection ends it, and what it prints then
/// still goes out.
fn print(own: PathBuf, start: &Start, from: File, to: File, env: &Env) -> Result<RankExit, Failure> {
    let cut = Arc::new(AtomicBool::new(false));
    let mut command = Command::new(own);
    command.args(&start.words).stdin(Stdio::null()).stdout(Stdio::piped());
    watch(from, Arc::clone(&cut));
    let mut child =
        command.spawn().map_err(|error| Failure::io(format!("cannot start the command: {error}")))?;
    let printed = child.stdout.take();
    let (say, done) = mpsc::channel();
    std::thread::spawn(move || {
        if let Some(mut printed) = printed {
            pump(&mut printed, to);
        }
        let _ = say.send(());
    });
    let ended = attend(&mut child, &cut, Duration::ZERO, env);
    let _ = done.recv_timeout(LAST);
    exit_of(ended)
}

/// The program to start the rank with: this one. A copy is removed at once, so that nothing is left whatever happens:
/// the kernel keeps what runs, and by this name it can be started again.
fn own_program(copied: bool) -> Result<PathBuf, Failure> {
    if copied {
        let path =
            std::env::current_exe().map_err(|error| Failure::io(format!("/proc is needed: {error}")))?;
        let folder = path.parent().filter(|folder| {
            folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("iobound-"))
        });
        let Some(folder) = folder else {
            return Err(Failure::input(format!("--copied: {} is not a copy made by fleet", path.display()))
                .help("leave it out: only `iobound fleet --copy` uses it"));
        };
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_dir(folder);
    }
    Ok(PathBuf::from("/proc/self/exe"))
}

/// Standard input and output, past the buffers of this process: what is carried must not wait in one.
fn streams() -> Result<(File, File), Failure> {
    let own = |fd: std::os::fd::BorrowedFd<'_>| {
        fd.try_clone_to_owned()
            .map(File::from)
            .map_err(|error| Failure::io(format!("standard streams: {error}")))
    };
    Ok((own(std::io::stdin().as_fd())?, own(std::io::stdout().as_fd())?))
}

/// The first line, byte by byte: what follows it is not ours to read.
fn line_of(from: &mut File, env: &Env) -> Option<String> {
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.len() < LONGEST {
        match from.read(&mut byte) {
            Ok(1) if byte[0] == b'\n' => return String::from_utf8(line).ok(),
            Ok(1) => line.push(byte[0]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted && !env.is_stopped() => {}
            _ => return None,
        }
    }
    None
}

/// A rank that reaches the coordinator by itself: the secret is in a file that only this user can read.
fn directly(command: &mut Command, direct: &Direct, folder: &Scratch) -> Result<(), Failure> {
    let write = |name: &str, text: &str| -> Result<PathBuf, Failure> {
        let path = folder.path().join(name);
        let mut file = File::options();
        file.write(true).create_new(true).mode(0o600);
        let written = file.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| Failure::io(format!("cannot write {}: {error}", path.display())))?;
        Ok(path)
    };
    command.env("IOBOUND_MEET", &direct.meet);
    command.env("IOBOUND_TOKEN_FILE", write("token", &direct.token)?);
    if let Some(ca) = &direct.ca {
        command.env("IOBOUND_TLS_CA", write("ca.pem", ca)?);
    }
    Ok(())
}

/// Sees when the connection ends, where nothing else comes through it.
fn watch(mut from: File, cut: Arc<AtomicBool>) {
    std::thread::spawn(move || {
        let mut buffer = [0; 256];
        while matches!(from.read(&mut buffer), Ok(1..)) {}
        cut.store(true, Ordering::Relaxed);
    });
}

/// Data between the rank's socket and the connection.
struct Carried {
    stream: Arc<Mutex<Option<UnixStream>>>,
    done: mpsc::Receiver<()>,
}

/// Carries one connection of the rank's.
fn carry(socket: &Path, from: File, to: File, cut: Arc<AtomicBool>) -> Result<Carried, Failure> {
    let unusable = |error: std::io::Error| {
        Failure::io(format!("{}: {error}", socket.display()))
            .help("set TMPDIR on that host to a folder with a short path that you can write to")
    };
    let listener = UnixListener::bind(socket).map_err(unusable)?;
    let stream: Arc<Mutex<Option<UnixStream>>> = Arc::default();
    let (accepted, waiting) = mpsc::channel::<UnixStream>();
    let (say, done) = mpsc::channel();
    // The coordinator says nothing before the rank does: until then only the end of the connection can be read.
    let of_coordinator = Arc::clone(&stream);
    std::thread::spawn(move || {
        let rank = into_rank(from, &waiting);
        cut.store(true, Ordering::Relaxed);
        drop(rank);
        if let Some(stream) = of_coordinator.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
    let of_rank = Arc::clone(&stream);
    std::thread::spawn(move || {
        if let Ok((mut rank, _)) = listener.accept()
            && let (Ok(kept), Ok(written)) = (rank.try_clone(), rank.try_clone())
        {
            *of_rank.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
            let _ = accepted.send(written);
            pump(&mut rank, to);
        }
        let _ = say.send(());
    });
    Ok(Carried { stream, done })
}

/// Hands what comes from the coordinator to the rank.
fn into_rank(mut from: File, waiting: &mpsc::Receiver<UnixStream>) -> Option<UnixStream> {
    let mut buffer = vec![0; 64 << 10];
    let mut rank: Option<UnixStream> = None;
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => return rank,
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return rank,
        };
        if rank.is_none() {
            rank = waiting.recv().ok();
        }
        if rank.as_mut()?.write_all(&buffer[..read]).is_err() {
            return rank;
        }
    }
}

impl Carried {
    /// Waits until the last of what the rank said has gone out.
    fn finish(self) {
        let was_there = self.stream.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        if was_there {
            let _ = self.done.recv_timeout(LAST);
        }
    }
}

/// Waits for the rank. When the connection is gone, or this process is to end, the rank has this time to end by itself; then
/// it is asked to, then killed. `None` where not even that ends it.
fn attend(child: &mut Child, cut: &AtomicBool, by_itself: Duration, env: &Env) -> Option<ExitStatus> {
    let mut since: Option<Instant> = None;
    let mut step = 0;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if cut.load(Ordering::Relaxed) || env.is_stopped() {
            let gone = since.get_or_insert_with(Instant::now).elapsed();
            let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            // A signal counts at once: a signal to this process is meant for the rank.
            if step == 0 && (env.is_stopped() || gone >= by_itself) {
                since = Some(Instant::now());
                step = 1;
                let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
            } else if step == 1 && gone > ASKED {
                since = Some(Instant::now());
                step = 2;
                env.note("the rank does not end, and is killed");
                let _ = child.kill();
            } else if step == 2 && gone > ASKED {
                return None;
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// The exit code of a rank; of one that a signal ended what a shell makes of it.
fn code_of(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
