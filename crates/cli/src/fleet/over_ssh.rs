//! A fleet over ssh: the desk is in this process, and every host is a rank.

use std::path::PathBuf;

use clap::Args;
use iobound_documents::{FleetDocument, FleetHost, Version};
use iobound_fleet::{Desk, DeskTls, Meet, RankPhase, Rules, Token};
use iobound_formats::hosts::Host;
use iobound_workload::shell_line;

use super::desk::{OfRanks, drive, patience_of};
use super::ssh::{Direct, Ranks, Reach, ToDesk, far_end, note_copy};
use super::words::Words;
use crate::arguments::CommonArgs;
use crate::output;
use crate::scratch::{self, Scratch};
use iobound_app::Exit;
use iobound_app::settings::{Given, Settings};
use iobound_app::{Env, Failure};

/// Meeting point of the ranks, if not through ssh.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Where the ranks meet (default: through ssh)")]
pub(crate) struct MeetArgs {
    /// Address of this machine to which the ranks connect directly; port 0 takes any free port
    #[arg(long, value_name = "HOST:PORT")]
    meet: Option<String>,
    /// File with the secret that the ranks share [default: a random secret]
    #[arg(long, value_name = "FILE")]
    token_file: Option<String>,
    /// CA certificate (PEM) that verifies the coordinator
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<String>,
    /// Certificate of the coordinator (PEM)
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<String>,
    /// Private key of the coordinator (PEM)
    #[arg(long, value_name = "FILE")]
    tls_key: Option<String>,
}

/// The same, read.
pub(crate) struct MeetAsked {
    /// `None`: through ssh.
    direct: Option<AskedDirect>,
}

struct AskedDirect {
    meet: Meet,
    token: Token,
    tls: Option<DeskTls>,
    ca: Option<String>,
}

/// PEM files are small; what is larger is another file.
const MOST_PEM: u64 = 1 << 20;

impl MeetAsked {
    /// Reads flags and environment.
    ///
    /// # Errors
    /// An address that is none, a secret or a certificate that can't be read, what has no use through ssh.
    pub(crate) fn of(args: &MeetArgs, settings: &mut Settings) -> Result<MeetAsked, Failure> {
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
                    .mend("leave it out, or let the ranks connect directly: --meet HOST:PORT")),
                None => Ok(MeetAsked { direct: None }),
            };
        };
        let meet = Meet::parse(&given.text).map_err(|error| given.refuse(&error.what).mend(error.mend))?;
        if let Meet::Socket(_) = meet {
            return Err(given
                .refuse("a socket path works only on one machine")
                .mend("leave it out to meet through ssh, or write HOST:PORT"));
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

/// A certificate, its key, and what the ranks believe it by: all of them, or none.
fn tls_of(
    ca: Option<Given>,
    cert: Option<Given>,
    key: Option<Given>,
) -> Result<(Option<DeskTls>, Option<String>), Failure> {
    match (ca, cert, key) {
        (None, None, None) => Ok((None, None)),
        (Some(ca), Some(cert), Some(key)) => {
            let tls = DeskTls {
                cert: cert.file(&Env::default(), MOST_PEM)?,
                key: key.file(&Env::default(), MOST_PEM)?,
            };
            Ok((Some(tls), Some(ca.file(&Env::default(), MOST_PEM)?)))
        }
        (ca, cert, key) => {
            let given = [&ca, &cert, &key].into_iter().flatten().next().expect("one is given");
            Err(given
                .refuse("TLS needs the CA certificate, the certificate and its key")
                .mend("add --tls-ca, --tls-cert and --tls-key, or leave all of them out"))
        }
    }
}

/// All that is asked.
pub(crate) struct SshRequest {
    pub(crate) hosts: Vec<Host>,
    pub(crate) reach: Reach,
    pub(crate) meet: MeetAsked,
    pub(crate) words: Words,
}

impl SshRequest {
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

/// Planned start commands.
pub(crate) fn plan_text(asked: &SshRequest) -> String {
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
pub(crate) fn plan_document(asked: &SshRequest) -> FleetDocument {
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

/// A desk that is open, and how ranks come to it.
struct Opened {
    desk: Desk,
    to_desk: ToDesk,
    /// The folder of its socket.
    folder: Option<Scratch>,
}

fn open(asked: &SshRequest, rules: Rules) -> Result<Opened, Failure> {
    let of = asked.hosts.len() as u32;
    let failed = |error: iobound_fleet::OpenError| match error.mend {
        Some(mend) => Failure::input(error.what).mend(mend),
        None => Failure::input(error.what),
    };
    match &asked.meet.direct {
        None => {
            scratch::mend().iter().for_each(|note| output::note(note));
            let folder = scratch::folder(scratch::DESK)?;
            let socket: PathBuf = folder.path().join("desk");
            let desk = Desk::open(&Meet::Socket(socket.clone()), of, None, None, rules).map_err(failed)?;
            Ok(Opened { desk, to_desk: ToDesk::Through(socket), folder: Some(folder) })
        }
        Some(direct) => {
            let token = Some(direct.token.clone());
            let desk = Desk::open(&direct.meet, of, token, direct.tls.clone(), rules).map_err(failed)?;
            let to = Direct {
                meet: desk.address().to_string(),
                token: direct.token.reveal().to_string(),
                ca: direct.ca.clone(),
            };
            Ok(Opened { desk, to_desk: ToDesk::Direct(to), folder: None })
        }
    }
}

/// Reaches all hosts.
fn reach(asked: &SshRequest) -> Result<Ranks, Failure> {
    if let Some(copy) = &asked.reach.copy {
        note_copy(copy, asked.hosts.len());
    }
    let ranks = asked.reach.all(&asked.hosts)?;
    ranks.same_machines().iter().for_each(|note| output::note(note));
    Ok(ranks)
}

/// Runs on all hosts, and answers for them together.
///
/// # Errors
/// A host that can't be reached, a desk that can't be opened, nothing that was measured.
pub(crate) fn run(asked: &SshRequest, common: &CommonArgs) -> Result<Exit, Failure> {
    let verb = asked.words.program.verb.as_ref().expect("the words are a verb's");
    let rules = Rules { stuck: patience_of(verb, common)?, ..Rules::default() };
    let ranks = reach(asked)?;
    let Opened { desk, to_desk, folder } = open(asked, rules)?;
    ranks.start(&asked.words.typed, &to_desk)?;
    let hopeless = |desk: &Desk| never_came(&ranks, desk);
    let answered = drive(OfRanks { desk, launcher: "ssh", hopeless: &hopeless }, verb, common);
    let left = ranks.end();
    left.iter().for_each(|left| output::note(left));
    drop(folder);
    match answered {
        Ok(Exit::Done) if !left.is_empty() => Ok(Exit::Io),
        answered => answered,
    }
}

/// Why a rank will never come to the desk: its process has ended before it did.
fn never_came(ranks: &Ranks, desk: &Desk) -> Option<String> {
    let ended = ranks.ended();
    if ended.is_empty() {
        return None;
    }
    let state = desk.state();
    let is_awaited =
        |rank: u32| state.ranks.iter().any(|state| state.rank == rank && state.phase == RankPhase::Awaited);
    ended.into_iter().find(|(rank, _)| is_awaited(*rank)).map(|(_, why)| format!("{why}, before it joined"))
}
