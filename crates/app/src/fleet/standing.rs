//! True if this process is alone or a rank, of how many, and where they meet: flags, variables, the launcher's environment.

use std::cell::Cell;
use std::io::BufRead;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use iobound_fleet::{
    Coordinator, CoordinatorTls, Here, Launcher, Meet, RankInfo, RankTls, Rules, Token, alone, meet,
    rank_info,
};
use iobound_machine::siblings::siblings;
use iobound_machine::{World, process};
use iobound_units::{Problem, Span, parse_count, parse_span};

use super::cluster::Cluster;
use super::coordinator::{self, OfRanks, gather};
use super::flags::RankFlags;
use super::rank::{RankWork, as_rank};
use super::why;
use crate::process::LiveStyle;
use crate::run::Outputs;
use crate::settings::{Origin, SettingValue, Settings};
use crate::{Env, Failure};

/// Role of this process.
pub(crate) enum Standing {
    /// The only one, as far as is known.
    Alone {
        /// Sources that can change the role.
        others: Others,
        /// File for its own result; `None`: it writes none.
        own_result: Option<SettingValue>,
    },
    /// One of several.
    Rank(Box<Team>),
}

impl Standing {
    /// Alone, with nothing to be said of it.
    pub(crate) const NONE: Standing = Standing::Alone { others: Others::None, own_result: None };
}

/// Others that do not know of this process either.
pub(crate) enum Others {
    /// The person says that it is alone, or nobody looks.
    None,
    /// Traces of them when it began.
    Seen(Problem),
    /// None yet, of this rank_info.
    Unseen(Option<RankInfo>),
}

impl Others {
    fn of(rank_info: Option<RankInfo>, env: &Env) -> Others {
        let own = siblings(&World::real(), std::process::id());
        match alone(rank_info.as_ref(), &|name| text_of(env, name), &own) {
            Some(seen) => Others::Seen(seen),
            None => Others::Unseen(rank_info),
        }
    }

    /// Their variables, read once more if there were none: the first process to begin sees the others only later.
    pub(crate) fn seen(self, env: &Env) -> Option<Problem> {
        match self {
            Others::None => None,
            Others::Seen(seen) => Some(seen),
            Others::Unseen(rank_info) => match Others::of(rank_info, env) {
                Others::Seen(seen) => Some(seen),
                Others::None | Others::Unseen(_) => None,
            },
        }
    }
}

/// The value of a variable that is text.
fn text_of(env: &Env, name: &str) -> Option<String> {
    env.variable(name)?.to_str().map(str::to_string)
}

/// A rank, and all that it needs to meet the others.
pub(crate) struct Team {
    pub(crate) rank_info: RankInfo,
    pub(crate) meet: Meet,
    pub(super) token: Option<Token>,
    coordinator_tls: Option<CoordinatorTls>,
    pub(super) rank_tls: Option<RankTls>,
    /// True if this process opens the coordinator.
    pub(crate) opens_coordinator: bool,
    pub(super) rules: Rules,
    pub(crate) own_result: Option<SettingValue>,
}

/// Of what nobody set, the launcher's environment decides.
const OF_A_RANK: [&str; 8] =
    ["meet", "token-file", "tls-ca", "tls-name", "tls-cert", "tls-key", "coordinator", "join-within"];

/// Reads which rank this is.
///
/// # Errors
/// Returns an error if options contradict each other, the coordinator's address is unknown, or the token cannot be
/// read.
pub(crate) fn standing_of(args: &RankFlags, settings: &mut Settings) -> Result<Standing, Failure> {
    let is_alone = settings.switch("alone", args.alone.then_some("true"))?;
    let rank = settings.parse("rank", args.rank.as_deref(), None, parse_rank)?;
    let of = settings.parse("of", args.of.as_deref(), None, parse_size)?;
    let place = settings.text("meet", args.meet.as_deref(), None);
    let token_file = settings.text("token-file", args.token_file.as_deref(), None);
    let token_text = settings.in_environment("token");
    let ca = settings.text("tls-ca", args.tls_ca.as_deref(), None);
    let name = settings.text("tls-name", args.tls_name.as_deref(), None);
    let cert = settings.text("tls-cert", args.tls_cert.as_deref(), None);
    let key = settings.text("tls-key", args.tls_key.as_deref(), None);
    let opens = settings
        .parse("coordinator", args.coordinator.as_deref(), Some("rank0"), parse_coordinator)?
        .unwrap_or(true);
    let join = settings.parse("join-within", args.join_within.as_deref(), Some("2min"), parse_wait)?;
    let own_result = settings.text("own-result", args.own_result.as_deref(), None);
    if is_alone {
        for given in ["rank", "of", "meet"].into_iter().filter_map(|name| settings.given(name)) {
            if let Origin::Flag(_) = given.from {
                return Err(given.refuse("--alone runs without ranks").help("leave out one of them"));
            }
        }
        return Ok(Standing::Alone { others: Others::None, own_result });
    }
    let size = of.map(|of| of.to_string());
    let variables = settings.env().clone();
    let env = |name: &str| match (name, &size) {
        // An Indexed Job does not tell its size. A process that sets it in a variable may also set the flag.
        ("IOBOUND_OF", Some(size)) => Some(size.clone()),
        _ => text_of(&variables, name),
    };
    let rank_info = rank_info_of(rank, of, &env, settings)?;
    // One rank whose coordinator is elsewhere answers there, as several do.
    let Some(rank_info) = rank_info.clone().filter(|rank_info| rank_info.of > 1 || !opens) else {
        refuse_idle(settings, rank_info.is_some())?;
        return Ok(Standing::Alone { others: Others::of(rank_info, settings.env()), own_result });
    };
    let meet = match &place {
        Some(given) => {
            Meet::parse(&given.text).map_err(|error| given.refuse(&error.what).help(error.help))?
        }
        None => {
            let here = Here { uid: process::user(), parent: process::parent() };
            meet(&rank_info, here, &env).map_err(Failure::from)?
        }
    };
    let token = token_of(token_file.as_ref(), token_text.as_ref())?;
    if token.is_none() && matches!(meet, Meet::Tcp { .. }) {
        return Err(Failure::input(format!("ranks that meet at {meet} need a shared secret"))
            .help("write the output of `openssl rand -hex 16` to a file with mode 600 and name it with --token-file on every host, or set IOBOUND_TOKEN"));
    }
    let (coordinator_tls, rank_tls) = (coordinator_tls(cert, key)?, rank_tls(ca, name)?);
    if coordinator_tls.is_some() && rank_tls.is_none() {
        return Err(
            Failure::input("--tls-cert requires --tls-ca").help("add --tls-ca FILE with the CA certificate")
        );
    }
    let wait = join.map_or(Rules::default().join, |wait| Duration::from_nanos(wait.ns()));
    let rules = Rules { join: wait, ..Rules::default() };
    let opens_coordinator = opens && rank_info.rank == 0;
    if !opens_coordinator {
        // A message that is the same on all ranks is printed by the coordinator's rank only.
        variables.of_process().set_quiet();
    }
    Ok(Standing::Rank(Box::new(Team {
        rank_info,
        meet,
        token,
        coordinator_tls,
        rank_tls,
        opens_coordinator,
        rules,
        own_result,
    })))
}

fn rank_info_of(
    rank: Option<u32>,
    of: Option<u32>,
    env: &dyn Fn(&str) -> Option<String>,
    settings: &Settings,
) -> Result<Option<RankInfo>, Failure> {
    if let (Some(rank), Some(of)) = (rank, of) {
        return RankInfo::given(rank, of).map(Some).map_err(Failure::from);
    }
    if let Some(given) = settings.given("rank") {
        return Err(given
            .refuse("the number of ranks is not given")
            .help("add --of N, the same on every host"));
    }
    let found =
        rank_info(env).map_err(|error| Failure::from(error).help("add --alone to run without ranks"))?;
    match (of, settings.given("of")) {
        (Some(of), Some(given)) => match &found {
            Some(rank_info) if rank_info.of == of => Ok(found),
            Some(rank_info) => Err(given
                .refuse(format!("--of {of} differs from the launcher's {} ranks", rank_info.of))
                .help("leave it out: the launcher sets it")),
            None => Err(given
                .refuse("no --rank is given, and no launcher was detected")
                .help("add --rank R, from 0, different on every host")),
        },
        _ => Ok(found),
    }
}

/// Options that have no effect without ranks: refused if the user typed them without a launcher, else noted.
fn refuse_idle(settings: &Settings, has_rank_info: bool) -> Result<(), Failure> {
    for given in OF_A_RANK.into_iter().filter_map(|name| settings.given(name)) {
        match given.from {
            Origin::Flag(_) if !has_rank_info => {
                return Err(given.refuse("it has no effect: this run has no ranks").help(
                    "add --rank R --of N, start it with mpirun, srun or an Indexed Job, or leave it out",
                ));
            }
            Origin::Flag(_) => {
                settings.env().note(&format!("{} has no effect: there is only one rank", given.place()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn parse_rank(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is not a rank: write 0, 1, ..."))
}

fn parse_size(text: &str) -> Result<u32, String> {
    let count = parse_count(text).map_err(|error| error.to_string())?;
    u32::try_from(count)
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| format!("`{text}` is not a number of ranks: write 1, 2, ..."))
}

fn parse_coordinator(text: &str) -> Result<bool, String> {
    match text {
        "rank0" => Ok(true),
        "elsewhere" => Ok(false),
        other => Err(format!("`{other}` is not known: write rank0 or elsewhere")),
    }
}

fn parse_wait(text: &str) -> Result<Span, String> {
    let span = parse_span(text).map_err(|error| error.to_string())?;
    if span.is_zero() {
        Err("the time is too short for ranks to join: write 10s or more".into())
    } else {
        Ok(span)
    }
}

fn token_of(file: Option<&SettingValue>, text: Option<&SettingValue>) -> Result<Option<Token>, Failure> {
    match (file, text) {
        (Some(given), _) if given.text == "-" => {
            let mut line = String::new();
            std::io::stdin()
                .lock()
                .read_line(&mut line)
                .map_err(|error| given.refuse(format!("cannot read standard input: {error}")))?;
            given.parse(|_| Token::new(&line)).map(Some)
        }
        (Some(given), _) => given.parse(|_| Token::read(Path::new(&given.path()))).map(Some),
        (None, Some(given)) => given.parse(Token::new).map(Some),
        (None, None) => Ok(None),
    }
}

/// PEM files are small; what is larger is another file.
const MOST_PEM: u64 = 1 << 20;

fn coordinator_tls(
    cert: Option<SettingValue>,
    key: Option<SettingValue>,
) -> Result<Option<CoordinatorTls>, Failure> {
    match (cert, key) {
        (Some(cert), Some(key)) => Ok(Some(CoordinatorTls {
            cert: cert.file(&Env::default(), MOST_PEM)?,
            key: key.file(&Env::default(), MOST_PEM)?,
        })),
        (None, None) => Ok(None),
        (Some(given), None) => Err(given.refuse("--tls-cert requires --tls-key").help("add --tls-key FILE")),
        (None, Some(given)) => Err(given.refuse("--tls-key requires --tls-cert").help("add --tls-cert FILE")),
    }
}

fn rank_tls(ca: Option<SettingValue>, name: Option<SettingValue>) -> Result<Option<RankTls>, Failure> {
    match (ca, name) {
        (Some(ca), name) => {
            Ok(Some(RankTls { ca: ca.file(&Env::default(), MOST_PEM)?, name: name.map(|given| given.text) }))
        }
        (None, Some(given)) => Err(given.refuse("TLS requires --tls-ca").help("add --tls-ca FILE")),
        (None, None) => Ok(None),
    }
}

impl Team {
    /// Opens the coordinator of this rank.
    ///
    /// # Errors
    /// Returns an error if the address is in use or not available.
    pub(crate) fn open(&self, patience: Duration) -> Result<Coordinator, Failure> {
        let rules = Rules { stuck: patience, ..self.rules };
        Coordinator::open(
            &self.meet,
            self.rank_info.of,
            self.token.clone(),
            self.coordinator_tls.clone(),
            rules,
        )
        .map_err(Failure::from)
    }

    /// Opens the coordinator, does this rank's part beside it, and puts together what all ranks handed in.
    ///
    /// # Errors
    /// Returns an error if the coordinator cannot be opened, this rank cannot join it, or nothing was measured.
    pub(crate) fn with_coordinator(
        &self,
        work: &RankWork<'_>,
        outputs: &mut Outputs,
        style: LiveStyle,
    ) -> Result<Cluster, Failure> {
        let coordinator = self.open(coordinator::patience(work.how))?;
        let meet = coordinator.address();
        // A rank that cannot join the coordinator in its own process has not died: nothing else will tell the
        // coordinator.
        let unjoined: Mutex<Option<String>> = Mutex::new(None);
        let by_this_rank = Cell::new(false);
        let hopeless = |_: &Coordinator| {
            let why = unjoined.lock().unwrap_or_else(PoisonError::into_inner).clone();
            by_this_rank.set(by_this_rank.get() || why.is_some());
            why
        };
        let at = OfRanks { coordinator, launcher: self.launcher(), hopeless: &hopeless };
        let (cluster, own) = std::thread::scope(|scope| {
            let own = scope.spawn(|| {
                let end = as_rank(self, &meet, work, style);
                if let (false, Some(failure)) = (end.joined, &end.failure) {
                    *unjoined.lock().unwrap_or_else(PoisonError::into_inner) = Some(why::sentence(failure));
                }
                end
            });
            let cluster = gather(at, work.workloads, work.how, outputs, style);
            (cluster, own.join().expect("a rank's part does not panic"))
        });
        match (own.failure.filter(|_| !own.joined), cluster) {
            // Another rank may have ended all of them before this one came: then its reason is the one.
            (Some(_), Err(failure)) if !by_this_rank.get() => Err(failure),
            (Some(unjoined), _) => Err(unjoined),
            (None, cluster) => cluster,
        }
    }

    /// Launcher that started the ranks, as documents have it.
    pub(crate) fn launcher(&self) -> &'static str {
        match self.rank_info.launcher {
            Launcher::Given => "given",
            Launcher::OpenMpi => "open_mpi",
            Launcher::Pmi => "pmi",
            Launcher::Slurm => "slurm",
            Launcher::Kubernetes => "kubernetes",
        }
    }
}
