//! A fleet over ssh: the coordinator is in this process, and every host is a rank.

use std::path::PathBuf;

use iobound_documents::{FleetDocument, FleetHost, Version};
use iobound_fleet::{Coordinator, CoordinatorTls, Meet, RankPhase, Rules, Token};
use iobound_formats::hosts::Host;
use iobound_report::{Document, Style};
use iobound_workload::shell_line;

use super::ssh::{Direct, Ranks, Reach, ToCoordinator, far_end, note_copy};
use crate::fleet::coordinator::OfRanks;
use crate::load::RankCommand;
use crate::options::options;
use crate::scratch::{self, Scratch};
use crate::settings::{SettingValue, Settings};
use crate::{Common, Env, Exit, Failure, Finished, ShownAnswer};

options! {
    /// Meeting point of the ranks, if not through ssh.
    pub struct MeetFlags in "Connection between the ranks (default: through ssh)" {
        /// Address of this machine to which the ranks connect directly; port 0 takes any free port
        meet: Option<String> = Form::One, "HOST:PORT";
        /// File with the secret that the ranks share [default: a random secret]
        token_file: Option<String> = Form::One, "FILE";
        /// CA certificate (PEM) that verifies the coordinator
        tls_ca: Option<String> = Form::One, "FILE";
        /// Certificate of the coordinator (PEM)
        tls_cert: Option<String> = Form::One, "FILE";
        /// Private key of the coordinator (PEM)
        tls_key: Option<String> = Form::One, "FILE";
    }
}

/// The same, read.
pub(crate) struct MeetAsked {
    /// `None`: through ssh.
    direct: Option<AskedDirect>,
}

struct AskedDirect {
    meet: Meet,
    token: Token,
    tls: Option<CoordinatorTls>,
    ca: Option<String>,
}

/// PEM files are small; what is larger is another file.
const MOST_PEM: u64 = 1 << 20;

impl MeetAsked {
    /// Reads flags and environment.
    ///
    /// # Errors
    /// Returns an error if an address is not valid, a token or a certificate cannot be read, or an option has no effect
    /// through ssh.
    pub(crate) fn of(args: &MeetFlags, settings: &mut Settings) -> Result<MeetAsked, Failure> {
        let meet = settings.text("meet", args.meet.as_deref(), None);
        let token_file = settings.text("token-file", args.token_file.as_deref(), None);
        let token_text = settings.in_environment("token");
        let [ca, cert, key] =
            [("tls-ca", &args.tls_ca), ("tls-cert", &args.tls_cert), ("tls-key", &args.tls_key)]
                .map(|(name, flag)| settings.text(name, flag.as_deref(), None));
        let Some(given) = meet else {
            let idle = [&token_file, &ca, &cert, &key].into_iter().flatten().next();
            return match idle {
                Some(given) => Err(given
                    .refuse("it has no effect, because ssh already authenticates the ranks")
                    .help("leave it out, or let the ranks connect directly: --meet HOST:PORT")),
                None => Ok(MeetAsked { direct: None }),
            };
        };
        let meet = Meet::parse(&given.text).map_err(|error| given.refuse(&error.what).help(error.help))?;
        if let Meet::Socket(_) = meet {
            return Err(given
                .refuse("a socket path works only on one machine")
                .help("leave it out to meet through ssh, or write HOST:PORT"));
        }
        let token = match (token_file, token_text) {
            (Some(given), _) => given.parse(|_| Token::read(std::path::Path::new(&given.path())))?,
            (None, Some(given)) => given.parse(Token::new)?,
            (None, None) => Token::drawn().map_err(|error| {
                Failure::io(format!("cannot read random numbers from the system: {error}"))
            })?,
        };
        let (tls, ca) = tls_of(ca, cert, key)?;
        Ok(MeetAsked { direct: Some(AskedDirect { meet, token, tls, ca }) })
    }
}

impl MeetAsked {
    /// True if the ranks connect directly.
    pub(crate) fn is_direct(&self) -> bool {
        self.direct.is_some()
    }
}

/// A certificate, its key, and what the ranks believe it by: all of them, or none.
fn tls_of(
    ca: Option<SettingValue>,
    cert: Option<SettingValue>,
    key: Option<SettingValue>,
) -> Result<(Option<CoordinatorTls>, Option<String>), Failure> {
    match (ca, cert, key) {
        (None, None, None) => Ok((None, None)),
        (Some(ca), Some(cert), Some(key)) => {
            let tls = CoordinatorTls {
                cert: cert.file(&Env::default(), MOST_PEM)?,
                key: key.file(&Env::default(), MOST_PEM)?,
            };
            Ok((Some(tls), Some(ca.file(&Env::default(), MOST_PEM)?)))
        }
        (ca, cert, key) => {
            let given = [&ca, &cert, &key].into_iter().flatten().next().expect("one is given");
            Err(given
                .refuse("TLS needs the CA certificate, the certificate and its key")
                .help("add --tls-ca, --tls-cert and --tls-key, or leave all of them out"))
        }
    }
}

/// The command of every host.
#[derive(Clone, Debug)]
pub struct RankWords {
    /// As it was typed, from the verb on.
    pub typed: Vec<String>,
    /// Its meaning.
    pub command: HostCommand,
    /// An option of ours among it that another tool's answer has no place for.
    pub refused: Option<&'static str>,
}

/// Meaning of the command of every host.
#[derive(Clone, Debug)]
pub enum HostCommand {
    /// A load that all hosts issue together: each is a rank.
    Load(RankCommand),
    /// A probe of each host's own disks.
    Probe(Box<crate::probe::ProbeRequest>),
}

/// All that is asked.
pub(crate) struct SshRequest<'a> {
    pub(crate) hosts: Vec<Host>,
    pub(crate) reach: Reach,
    pub(crate) meet: MeetAsked,
    pub(crate) words: &'a RankWords,
}

impl SshRequest<'_> {
    /// The line that reaches a host, as a shell would be given it.
    fn line(&self, host: &Host) -> String {
        let program = match &self.reach.copy {
            Some(_) => "${TMPDIR:-/tmp}/iobound-XXXXXXXX/iobound fleet there --copied".to_string(),
            None => far_end(&self.reach.program, false),
        };
        shell_line(self.reach.ssh.line(host, &program).iter().map(String::as_str))
    }

    fn meeting(&self) -> String {
        match &self.meet.direct {
            None => "through ssh".to_string(),
            Some(direct) => direct.meet.to_string(),
        }
    }
}

/// Commands that a fleet would start, one for each host.
pub struct FleetPlan {
    /// The plan as text.
    pub text: String,
    /// The plan as a document.
    pub document: FleetDocument,
}

impl ShownAnswer for FleetPlan {
    fn text(&self, _: Style) -> String {
        self.text.clone()
    }

    fn document(&self) -> Option<Document> {
        Some(self.document.clone().into())
    }
}

/// Planned start commands.
pub(crate) fn plan(asked: &SshRequest<'_>) -> FleetPlan {
    FleetPlan { text: plan_text(asked), document: plan_document(asked) }
}

fn plan_text(asked: &SshRequest<'_>) -> String {
    let mut text = format!(
        "connects to {} of {} ranks at a time; they meet {}\n",
        asked.reach.at_once.min(asked.hosts.len()),
        asked.hosts.len(),
        match &asked.meet.direct {
            None => "through ssh".to_string(),
            Some(direct) => format!("at {}", direct.meet),
        }
    );
    if let Some(copy) = &asked.reach.copy {
        text.push_str(&format!(
            "copies the program to each, {} bytes, and removes it after its start\n",
            copy.size()
        ));
    }
    let wide = asked.hosts.iter().map(|host| host.name.chars().count()).max().unwrap_or(0);
    for (rank, host) in asked.hosts.iter().enumerate() {
        text.push_str(&format!("rank {rank:<4} {:<wide$}  {}\n", host.name, asked.line(host)));
    }
    text.push_str(&format!(
        "each runs   iobound {}\n",
        shell_line(asked.words.typed.iter().map(String::as_str))
    ));
    text
}

/// The same as a document.
fn plan_document(asked: &SshRequest<'_>) -> FleetDocument {
    let hosts = asked.hosts.iter().zip(0..).map(|(host, rank)| FleetHost {
        rank,
        host: host.name.clone(),
        command: asked.line(host),
    });
    FleetDocument {
        schema: Version::default(),
        kind: "dry-run".to_string(),
        meet: asked.meeting(),
        hosts: hosts.collect(),
        words: asked.words.typed.clone(),
    }
}

/// A coordinator that is open, and how ranks come to it.
struct OpenedCoordinator {
    coordinator: Coordinator,
    to_coordinator: ToCoordinator,
    /// The folder of its socket.
    folder: Option<Scratch>,
}

fn open(asked: &SshRequest<'_>, rules: Rules, env: &Env) -> Result<OpenedCoordinator, Failure> {
    let of = asked.hosts.len() as u32;
    match &asked.meet.direct {
        None => {
            scratch::repair(env).iter().for_each(|note| env.note(note));
            let folder = scratch::folder(scratch::COORDINATOR, env)?;
            let socket: PathBuf = folder.path().join("coordinator");
            let coordinator = Coordinator::open(&Meet::Socket(socket.clone()), of, None, None, rules)
                .map_err(Failure::from)?;
            Ok(OpenedCoordinator {
                coordinator,
                to_coordinator: ToCoordinator::Through(socket),
                folder: Some(folder),
            })
        }
        Some(direct) => {
            let token = Some(direct.token.clone());
            let coordinator = Coordinator::open(&direct.meet, of, token, direct.tls.clone(), rules)
                .map_err(Failure::from)?;
            let to = Direct {
                meet: coordinator.address().to_string(),
                token: direct.token.reveal().to_string(),
                ca: direct.ca.clone(),
            };
            Ok(OpenedCoordinator { coordinator, to_coordinator: ToCoordinator::Direct(to), folder: None })
        }
    }
}

/// Reaches all hosts.
pub(super) fn reach(asked: &SshRequest<'_>, env: &Env) -> Result<Ranks, Failure> {
    if let Some(copy) = &asked.reach.copy {
        note_copy(copy, asked.hosts.len(), env);
    }
    let ranks = asked.reach.all(&asked.hosts)?;
    ranks.same_machines().iter().for_each(|note| env.note(note));
    Ok(ranks)
}

/// Runs on all hosts, and answers for them together.
///
/// # Errors
/// Returns an error if a host cannot be reached, the coordinator cannot be opened, or nothing was measured.
pub(crate) fn run(
    asked: &SshRequest<'_>,
    command: &RankCommand,
    common: &Common,
    env: &Env,
) -> Result<Finished, Failure> {
    let rules = Rules { stuck: command.patience(common, env)?, ..Rules::default() };
    let ranks = reach(asked, env)?;
    let OpenedCoordinator { coordinator, to_coordinator, folder } = open(asked, rules, env)?;
    ranks.start(&asked.words.typed, &to_coordinator)?;
    let hopeless = |coordinator: &Coordinator| never_came(&ranks, coordinator);
    let at = OfRanks { coordinator, launcher: "ssh", hopeless: &hopeless };
    let finished = command.drive(at, common, asked.words.refused, env);
    let left = ranks.end();
    left.iter().for_each(|left| env.note(left));
    drop(folder);
    let mut finished = finished?;
    if finished.exit == Exit::Done && !left.is_empty() {
        finished.exit = Exit::Io;
    }
    Ok(finished)
}

/// Reason why a rank will never come to the coordinator: its process has ended before it did.
fn never_came(ranks: &Ranks, coordinator: &Coordinator) -> Option<String> {
    let ended = ranks.ended();
    if ended.is_empty() {
        return None;
    }
    let state = coordinator.state();
    let is_awaited =
        |rank: u32| state.ranks.iter().any(|state| state.rank == rank && state.phase == RankPhase::Awaited);
    ended.into_iter().find(|(rank, _)| is_awaited(*rank)).map(|(_, why)| format!("{why}, before it joined"))
}
