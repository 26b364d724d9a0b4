//! Address at which ranks meet.

use std::fmt;
use std::path::PathBuf;

use iobound_units::Problem;

use crate::rank_info::{Launcher, RankInfo};

/// Address at which ranks meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meet {
    /// A unix socket in a folder of the user's own: all ranks are on this machine.
    Socket(PathBuf),
    /// A host's name or address, and a port.
    Tcp {
        /// The name or address, without brackets.
        host: String,
        /// The port.
        port: u16,
    },
}

/// Facts about this process and machine that decide the meeting point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Here {
    /// The user.
    pub uid: u32,
    /// The process that started this one.
    pub parent: u32,
}

impl Meet {
    /// `HOST:PORT`, with an IPv6 address in brackets; an absolute path is a socket.
    ///
    /// # Errors
    /// Returns an error if the text is neither.
    pub fn parse(text: &str) -> Result<Meet, Problem> {
        if text.starts_with('/') {
            return Ok(Meet::Socket(PathBuf::from(text)));
        }
        let wrong = |what: String| Problem {
            what,
            help: "write HOST:PORT (db1:7711, [fd00::1]:7711) or the absolute path of a socket".into(),
        };
        let Some((host, port)) = text.rsplit_once(':') else {
            return Err(wrong(format!("'{text}' has no port")));
        };
        let port = port.parse().map_err(|_| wrong(format!("'{port}' is not a port")))?;
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        if bare.is_none() && host.contains([':', '[', ']']) {
            return Err(wrong(format!("'{host}' is not a host name")));
        }
        let host = bare.unwrap_or(host);
        if host.is_empty() || host.chars().any(|c| c.is_whitespace() || c == '/') {
            return Err(wrong(format!("'{host}' is not a host name")));
        }
        Ok(Meet::Tcp { host: host.to_string(), port })
    }
}

impl fmt::Display for Meet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Meet::Socket(path) => write!(f, "{}", path.display()),
            Meet::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Meet::Tcp { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

/// The ports that a job of several nodes meets at: below those that Linux gives out by itself (from 32,768).
const PORTS: std::ops::Range<u16> = 20_000..30_000;

/// Default meeting point of a launcher's ranks: a socket in the user's own folder if all are on one machine; under
/// Slurm, the first node of the step and a port that follows from its number.
///
/// # Errors
/// Returns an error if the ranks are on several machines and no address is given, or nothing identifies this start.
pub fn meet(rank_info: &RankInfo, here: Here, env: &dyn Fn(&str) -> Option<String>) -> Result<Meet, Problem> {
    let all_here = rank_info.of == 1 || rank_info.local.is_some_and(|local| local.of == rank_info.of);
    if all_here {
        // Ranks that one process started have that in common, where their launcher has no name for what it does.
        let job = rank_info.job.clone().unwrap_or_else(|| format!("parent-{}", here.parent));
        let launcher = match rank_info.launcher {
            Launcher::Given => "given",
            Launcher::OpenMpi => "ompi",
            Launcher::Pmi => "pmi",
            Launcher::Slurm => "slurm",
            Launcher::Kubernetes => "kubernetes",
        };
        return Ok(Meet::Socket(folder(here, env).join(format!("meet-{launcher}-{}.sock", plain(&job)))));
    }
    if rank_info.launcher == Launcher::Slurm
        && let (Some(job), Some(list)) = (&rank_info.job, env("SLURM_STEP_NODELIST"))
    {
        let Some(host) = first_host(&list) else {
            return Err(Problem {
                what: format!("SLURM_STEP_NODELIST='{list}' names no host"),
                help: "give the meeting point: --meet HOST:PORT, with the name of rank 0's host".into(),
            });
        };
        let span = u32::from(PORTS.end - PORTS.start);
        let port = PORTS.start + (fnv(job) % span) as u16;
        return Ok(Meet::Tcp { host, port });
    }
    let (what, help) = match rank_info.launcher {
        Launcher::Given => (
            "--rank and --of are given without a meeting point".to_string(),
            "add --meet HOST:PORT, the same for all ranks: rank 0's machine, and a free port of it",
        ),
        Launcher::Kubernetes => (
            "the pods of the Job have no meeting point".to_string(),
            "set IOBOUND_MEET=JOB-0.SERVICE:PORT in the containers' env, with a headless service (iobound fleet \
             script --kubernetes writes both)",
        ),
        Launcher::OpenMpi | Launcher::Pmi | Launcher::Slurm => (
            format!(
                "the {} ranks of {} are on several machines, and have no meeting point",
                rank_info.of, rank_info.launcher
            ),
            "add --meet HOST:PORT, the same for all ranks: rank 0's machine, and a free port of it",
        ),
    };
    Err(Problem { what, help: help.into() })
}

/// The folder that is the user's own.
fn folder(here: Here, env: &dyn Fn(&str) -> Option<String>) -> PathBuf {
    match env("XDG_RUNTIME_DIR").filter(|folder| folder.starts_with('/')) {
        Some(folder) => PathBuf::from(folder).join("iobound"),
        None => PathBuf::from(format!("/tmp/iobound-{}", here.uid)),
    }
}

/// A job's name as a part of a file's. What had to give way is told apart by a number.
fn plain(job: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if job.len() <= 32 && job.chars().all(fits) {
        return job.to_string();
    }
    let start: String = job.chars().filter(|c| fits(*c)).take(24).collect();
    format!("{start}-{:08x}", fnv(job))
}

/// FNV-1a of 32 bits: the same for all ranks, on every machine.
fn fnv(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The first host of a list as Slurm writes it: `node[01-04,07],other` begins with `node01`.
fn first_host(list: &str) -> Option<String> {
    let mut host = String::new();
    let mut rest = list.trim().chars();
    while let Some(c) = rest.next() {
        match c {
            ',' => break,
            '[' => {
                let inside: String = rest.by_ref().take_while(|c| *c != ']').collect();
                host.extend(inside.chars().take_while(|c| !matches!(c, ',' | '-')));
            }
            c => host.push(c),
        }
    }
    let sound = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (!host.is_empty() && host.chars().all(sound)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_host_of_a_list_is_that_of_slurms_own_words() {
        for (list, host) in [
            ("db1", Some("db1")),
            ("db1,db2", Some("db1")),
            ("node[01-04,07],other", Some("node01")),
            ("node[7]", Some("node7")),
            ("rack[1-2]node[3-4]", Some("rack1node3")),
            ("node[01-02].example", Some("node01.example")),
            ("", None),
            ("a b", None),
        ] {
            assert_eq!(first_host(list).as_deref(), host, "{list}");
        }
    }

    #[test]
    fn a_meeting_is_read_as_it_is_written() {
        for (text, host, port) in
            [("db1:7711", "db1", 7711), ("[fd00::1]:0", "fd00::1", 0), ("10.0.0.1:80", "10.0.0.1", 80)]
        {
            let meet = Meet::parse(text).unwrap();
            assert_eq!(meet, Meet::Tcp { host: host.into(), port });
            assert_eq!(meet.to_string(), text);
        }
        assert_eq!(Meet::parse("/run/a.sock"), Ok(Meet::Socket("/run/a.sock".into())));
        for wrong in ["db1", "db1:", "db1:70000", ":80", "fd00::1:80", "a b:80", "[fd00::1:80", "http://a:80"]
        {
            let refused = Meet::parse(wrong).unwrap_err();
            assert!(refused.help.contains("HOST:PORT"), "{wrong}");
        }
    }

    #[test]
    fn a_jobs_name_is_a_files_and_no_two_become_one() {
        assert_eq!(plain("1234.0"), "1234.0");
        let (one, other) = (plain("prterun-db1-4711@1"), plain("prterun-db1-4711/1"));
        assert!(one != other && !one.contains('@') && !other.contains('/'), "{one} {other}");
        assert!(plain(&"x".repeat(300)).len() < 40);
    }
}
