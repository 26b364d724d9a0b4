//! Ranks over the person's own ssh. All hosts are reached before anything starts on one of them; then each is told its
//! rank and its words, and what it says to the coordinator goes through the connection that is there.
//!
//! Nothing is asked of the hosts' ssh servers but to run a program: no port is forwarded, no socket is left behind, and
//! where the connection ends, so does what runs there.

mod command;
mod copy;
mod greeting;
mod link;
mod pump;
#[cfg_attr(windows, path = "../unsupported/remote.rs")]
mod remote;
mod said;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use iobound_formats::hosts::Host;

use crate::{Env, Failure};

pub(crate) use command::{Ssh, far_end};
pub(crate) use copy::CopiedProgram;
pub(crate) use greeting::{Direct, Start};
pub use remote::serve_rank;

use link::{Link, Unreached};

/// Time that ranks may take to end when all is over: those that do not are cut off.
const LAST: Duration = Duration::from_secs(20);
/// Time that a command which has printed its answer may take to end.
const ENDS: Duration = Duration::from_secs(2);
/// Time between two looks at what the hosts printed.
const LOOK: Duration = Duration::from_millis(20);
/// The most hosts that are named where many can't be reached.
const NAMED: usize = 10;

/// The exit code of a rank that was served: its own, or that of a shell for a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankExit(pub i32);

/// Way to reach the hosts.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) ssh: Ssh,
    /// The program there, where none is copied.
    pub(crate) program: String,
    /// Program to copy to the hosts for this run.
    pub(crate) copy: Option<CopiedProgram>,
    /// Number that are connected to at once.
    pub(crate) at_once: usize,
    /// Time that a host has to greet.
    pub(crate) patience: Duration,
    pub(crate) env: Env,
}

/// Hosts that were all reached, by rank.
#[derive(Debug)]
pub(crate) struct Ranks {
    links: Vec<Link>,
}

impl Reach {
    /// Reaches every host; nothing runs on any of them yet.
    ///
    /// # Errors
    /// Returns an error if a host cannot be reached (with ssh's message) or has another version of the program.
    pub(crate) fn all(&self, hosts: &[Host]) -> Result<Ranks, Failure> {
        let next = AtomicUsize::new(0);
        let reached: Mutex<Vec<Option<Result<Link, Unreached>>>> =
            Mutex::new((0..hosts.len()).map(|_| None).collect());
        std::thread::scope(|scope| {
            for _ in 0..self.at_once.min(hosts.len()) {
                scope.spawn(|| {
                    while let Some(host) = hosts.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if self.env.is_stopped() {
                            break;
                        }
                        let one = self.one(host);
                        let at = hosts.iter().position(|other| std::ptr::eq(other, host)).expect("it is one");
                        reached.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(one);
                    }
                });
            }
        });
        if self.env.is_stopped() {
            return Err(Failure::interrupted("interrupted before anything was started"));
        }
        let reached = reached.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut links, mut failed) = (Vec::new(), Vec::new());
        for (host, one) in hosts.iter().zip(reached) {
            match one.expect("each was tried").and_then(same_version) {
                Ok(link) => links.push(link),
                Err(why) => failed.push((host, why)),
            }
        }
        if failed.is_empty() { Ok(Ranks { links }) } else { Err(unreached(&failed, hosts.len())) }
    }

    fn one(&self, host: &Host) -> Result<Link, Unreached> {
        let Some(copy) = &self.copy else {
            return Link::open(&self.ssh, host, &self.program, false, self.patience, &self.env);
        };
        let program = copy.copy(&self.ssh, host, self.patience, &self.env)?;
        // It removes itself when it starts; where it does not start, that is for us to do.
        Link::open(&self.ssh, host, &program, true, self.patience, &self.env)
            .inspect_err(|_| copy::remove(&self.ssh, host, &program))
    }
}

/// Ranks of one run are of one version: another may count otherwise.
fn same_version(link: Link) -> Result<Link, Unreached> {
    let own = env!("CARGO_PKG_VERSION");
    if link.greeting.version == own {
        return Ok(link);
    }
    Err(Unreached {
        why: format!("iobound there is version {}, and this is {own}", link.greeting.version),
        help: Some("install this version there, or copy it with --copy".into()),
    })
}

/// The hosts that can't be reached, in words.
fn unreached(failed: &[(&Host, Unreached)], of: usize) -> Failure {
    let mut lines: Vec<String> = failed
        .iter()
        .take(NAMED)
        .map(|(host, unreached)| format!("cannot reach {}: {}", host.name, unreached.why))
        .collect();
    if failed.len() > NAMED {
        lines.push(format!("and {} more of {of} hosts", failed.len() - NAMED));
    }
    let mut advice: Vec<&str> = Vec::new();
    for help in failed.iter().filter_map(|(_, unreached)| unreached.help.as_deref()) {
        if !advice.contains(&help) {
            advice.push(help);
        }
    }
    let help = match advice[..] {
        [] => "check that `ssh HOST true` works without a password, or leave the host out".to_string(),
        _ => advice.join("; "),
    };
    Failure::io(format!("{}\nnothing was started", lines.join("\n"))).help(help)
}

impl Ranks {
    /// Hosts that are one machine under several names, as sentences.
    pub(crate) fn same_machines(&self) -> Vec<String> {
        let mut seen: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for link in self.links.iter().filter(|link| !link.greeting.boot.is_empty()) {
            let (boot, host) = (link.greeting.boot.as_str(), link.greeting.host.as_str());
            match seen.iter_mut().find(|(known, name, _)| (*known, *name) == (boot, host)) {
                Some((_, _, names)) => names.push(&link.host.name),
                None => seen.push((boot, host, vec![&link.host.name])),
            }
        }
        let shared = seen.iter().filter(|(_, _, names)| names.len() > 1);
        shared
            .map(|(_, host, names)| {
                format!("{} are the same machine ({host}): its disks get the load of each", names.join(", "))
            })
            .collect()
    }

    /// Starts every rank, whose words for the coordinator go to the coordinator's socket or to nowhere.
    ///
    /// # Errors
    /// Returns an error if a connection is already closed.
    pub(crate) fn start(&self, words: &[String], to: &ToCoordinator) -> Result<(), Failure> {
        let of = self.links.len() as u32;
        for (rank, link) in (0..).zip(&self.links) {
            let (meet, coordinator) = match to {
                ToCoordinator::Through(coordinator) => (None, Some(coordinator.clone())),
                ToCoordinator::Direct(direct) => (Some(direct.clone()), None),
            };
            let start = Start { rank, of, words: words.to_vec(), meet, prints: false };
            link.start(&start, coordinator)
                .map_err(|why| Failure::io(format!("cannot start {}: {why}", link.host.name)))?;
        }
        Ok(())
    }

    /// Runs a command on every host, where `{rank}` and `{host}` are replaced, and returns what each printed or why it printed
    /// nothing, in the order of the ranks. Ctrl-C ends the commands, and what they print then counts.
    ///
    /// # Errors
    /// A connection that is gone before its command starts.
    pub(crate) fn printed(&self, words: &[String], env: &Env) -> Result<Vec<HostPrint>, Failure> {
        let of = self.links.len() as u32;
        let mut waited = Vec::with_capacity(self.links.len());
        for (rank, link) in (0..).zip(&self.links) {
            let own = |word: &String| {
                word.replace("{rank}", &u32::to_string(&rank)).replace("{host}", &link.greeting.host)
            };
            let start = Start { rank, of, words: words.iter().map(own).collect(), meet: None, prints: true };
            let printed = link.start_printing(&start);
            waited
                .push(printed.map_err(|why| Failure::io(format!("cannot start {}: {why}", link.host.name)))?);
        }
        let mut cut_at = None;
        let mut all: Vec<Option<Vec<u8>>> = vec![None; waited.len()];
        while all.iter().any(Option::is_none) {
            if env.is_stopped() && cut_at.is_none() {
                self.links.iter().for_each(Link::let_go);
                cut_at = Some(Instant::now());
            }
            let is_late = cut_at.is_some_and(|at| at.elapsed() > LAST);
            for (slot, printed) in all.iter_mut().zip(&waited).filter(|(slot, _)| slot.is_none()) {
                match printed.recv_timeout(LOOK) {
                    Ok(bytes) => *slot = Some(bytes),
                    Err(mpsc::RecvTimeoutError::Disconnected) => *slot = Some(Vec::new()),
                    Err(mpsc::RecvTimeoutError::Timeout) if is_late => *slot = Some(Vec::new()),
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                }
            }
        }
        let print = |(link, bytes): (&Link, Option<Vec<u8>>)| {
            let printed = bytes.unwrap_or_default();
            let began = Instant::now();
            while link.ended().is_none() && began.elapsed() < ENDS {
                std::thread::sleep(LOOK);
            }
            let why = link.ended().map_or("it does not end".to_string(), |status| link.why(status));
            HostPrint { host: link.host.name.clone(), printed, why }
        };
        Ok(self.links.iter().zip(all).map(print).collect())
    }

    /// The ranks whose ssh has ended, each with why.
    pub(crate) fn ended(&self) -> Vec<(u32, String)> {
        let ended = (0..).zip(&self.links).filter_map(|(rank, link)| {
            let status = link.ended()?;
            Some((rank, format!("{}: {}", link.host.name, link.why(status))))
        });
        ended.collect()
    }

    /// Waits until all have ended by themselves, and cuts off those that do not; names those.
    pub(crate) fn end(self) -> Vec<String> {
        self.links.iter().for_each(Link::let_go);
        let began = Instant::now();
        let all_ended = || self.links.iter().all(|link| link.ended().is_some());
        while began.elapsed() < LAST && !all_ended() {
            std::thread::sleep(Duration::from_millis(20));
        }
        let left = self.links.iter().filter(|link| link.ended().is_none());
        left.map(|link| {
            link.cut();
            format!(
                "{}: its rank did not end within {} s and was disconnected",
                link.host.name,
                LAST.as_secs()
            )
        })
        .collect()
    }
}

/// Output of a command on a host.
#[derive(Clone, Debug)]
pub(crate) struct HostPrint {
    /// Name of the host.
    pub(crate) host: String,
    /// Output of the command.
    pub(crate) printed: Vec<u8>,
    /// End of the command.
    pub(crate) why: String,
}

/// Way of the ranks to the coordinator.
#[derive(Clone, Debug)]
pub(crate) enum ToCoordinator {
    /// Through ssh, to the coordinator's socket here.
    Through(PathBuf),
    /// By themselves.
    Direct(Direct),
}

/// Says what a copy costs, and what may be wrong with it.
pub(crate) fn note_copy(copy: &CopiedProgram, hosts: usize, env: &Env) {
    let megabytes = copy.size().div_ceil(1 << 20);
    env.note(&format!(
        "the program, {megabytes} MiB, is copied to {hosts} hosts, and removed when it has started"
    ));
    if copy.is_dynamic {
        env.note(
            "it is linked to a C library and does not start on hosts with an older one: name a static build with --copy \
             PATH",
        );
    }
}
