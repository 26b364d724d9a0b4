use std::time::Duration;

use clap::{Args, Subcommand};
use iobound_fleet::Token;
use iobound_units::{Span, parse_span};

use crate::arguments::CommonArgs;
use crate::commands::run::split_words;
use crate::fleet::hosts::{AskedHosts, HostArgs};
use crate::fleet::over_ssh;
use crate::fleet::over_ssh::{MeetArgs, MeetAsked, SshRequest};
use crate::fleet::script::{AskedScript, ScriptArgs};
use crate::fleet::ssh::{Program as Copied, Reach, Ssh, there};
use crate::fleet::words::{self, Words};
use crate::output;
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound fleet --hosts segments.txt -- run /data1 /data2 --preset greenplum-scan
  iobound fleet --host db1 --host admin@db2:2222 --copy -- run /mnt/data --duration 60s
  iobound fleet --hosts inventory.ini --group db -- fio --name=a --directory=/data --rw=read
  iobound fleet --hosts segments.txt --dry-run -- run /mnt/data    # show the commands for each host
  iobound fleet script --slurm --hosts 16 -- run /scratch --block 1MiB
  iobound fleet script --mpi --hosts segments.txt -- run /data --read 70%
  iobound fleet script --kubernetes --hosts 8 --image REGISTRY/iobound --volume 100GiB -- run /data

fleet uses your own ssh; `ssh HOST` must work without a password. A hosts file has one host on each
line ([USER@]HOST[:PORT]), or is an Ansible inventory. Paths after -- are paths on the hosts. In
them, {rank} and {host} are replaced by the rank and the host name.";

/// Run one workload on many machines at the same time, and print one result.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    what: Option<FleetVerb>,
    /// File with one host on each line, or an Ansible inventory
    #[arg(long, value_name = "FILE")]
    hosts: Option<String>,
    #[command(flatten)]
    names: HostArgs,
    /// ssh program with its first arguments [default: ssh]
    #[arg(long, value_name = "COMMAND", allow_hyphen_values = true)]
    ssh: Option<String>,
    /// Number of hosts to connect to at once [default: 32]
    #[arg(long, value_name = "N")]
    at_once: Option<String>,
    /// Time that a host has to answer [default: 30s]
    #[arg(long, value_name = "TIME")]
    connect_timeout: Option<String>,
    /// Copy this program, or another build of it, to every host for this run
    #[arg(long, value_name = "PATH", num_args = 0..=1, default_missing_value = "")]
    copy: Option<String>,
    /// Path of the program on the hosts [default: iobound]
    #[arg(long, value_name = "PATH")]
    remote_program: Option<String>,
    #[command(flatten)]
    meet: MeetArgs,
    /// Show what would be started on each host, and stop
    #[arg(long)]
    dry_run: bool,
    /// Command for each host: run, diskspd or fio with its options
    #[arg(last = true, value_name = "WORDS")]
    words: Vec<String>,
}

#[derive(Debug, Subcommand)]
enum FleetVerb {
    /// Print a batch script, manifests or a command line for another launcher
    Script(Box<ScriptArgs>),
    /// Far end of ssh: `fleet --hosts` starts it on each host
    #[command(hide = true)]
    There {
        /// This program is a copy for this run, and removes itself
        #[arg(long)]
        copied: bool,
    },
}

/// Runs on all hosts, or prints what another launcher takes.
pub(crate) fn run(args: &FleetArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    match &args.what {
        Some(FleetVerb::There { copied }) => there(*copied),
        Some(FleetVerb::Script(script)) => print_script(script, common),
        None if !args.dry_run && !iobound_fleet::HAS_NETWORK => Err(crate::full::lacks("network for ranks")),
        None => over_the_hosts(args, common),
    }
}

/// The words behind `--`, or how the program ends where they ask for their help.
fn words_of(typed: &[String]) -> Result<Result<Words, Exit>, Failure> {
    Ok(match words::read(typed)? {
        words::FleetRequest::Words(words) => Ok(*words),
        words::FleetRequest::Help(exit) => Err(exit),
    })
}

fn print_script(args: &ScriptArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    let asked = AskedScript::of(args, &mut settings)?;
    let words = match words_of(&args.words)? {
        Ok(words) => words,
        Err(exit) => return Ok(exit),
    };
    let (won, unused) = settings.finish();
    if words.common(common).show_config {
        return output::settings(&won, &unused, common);
    }
    if common.json {
        return Err(Failure::input("--json: a script is not a JSON document")
            .mend("leave it out, or write it after -- for the run"));
    }
    let (job, launcher) = asked.job(words.typed)?;
    let token = Token::drawn()
        .map_err(|error| Failure::io(format!("cannot read random numbers from the system: {error}")))?;
    output::data(&job.script(&launcher, token.reveal()))
}

fn over_the_hosts(args: &FleetArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    let hosts = AskedHosts::of(args.hosts.as_deref(), &args.names, &mut settings);
    let ssh = settings.parse("ssh", args.ssh.as_deref(), Some("ssh"), parse_ssh)?;
    let at_once = settings.parse("at-once", args.at_once.as_deref(), Some("32"), parse_at_once)?;
    let patience =
        settings.parse("connect-timeout", args.connect_timeout.as_deref(), Some("30s"), parse_patience)?;
    let program = settings.text("remote-program", args.remote_program.as_deref(), Some("iobound"));
    let meet = MeetAsked::of(&args.meet, &mut settings)?;
    let words = match words_of(&args.words)? {
        Ok(words) => words,
        Err(exit) => return Ok(exit),
    };
    let common = &words.common(common);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    let hosts = hosts.read()?;
    if let (Some(given), Some(_)) = (&program, &args.copy) {
        return Err(given.refuse("--copy runs a copy on the hosts").mend("leave out --copy, or this"));
    }
    let copy = match args.copy.as_deref() {
        Some("") => Some(Copied::read(None)?),
        Some(path) => Some(Copied::read(Some(path))?),
        None => None,
    };
    let reach = Reach {
        ssh: ssh.unwrap_or_else(|| Ssh { words: vec!["ssh".into()] }),
        program: program.map_or("iobound".into(), |given| given.text),
        copy,
        at_once: at_once.unwrap_or(32),
        patience: patience.unwrap_or(Duration::from_secs(30)),
    };
    let asked = SshRequest { hosts, reach, meet, words };
    if args.dry_run {
        return output::page(common, |_| over_ssh::plan_text(&asked), || over_ssh::plan_document(&asked));
    }
    over_ssh::run(&asked, common)
}

fn parse_ssh(text: &str) -> Result<Ssh, String> {
    let words = split_words(text)?;
    if words.is_empty() { Err("no program is named".into()) } else { Ok(Ssh { words }) }
}

fn parse_at_once(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count @ 1..=1_000) => Ok(count),
        _ => Err(format!("`{text}` hosts at once: write 1 to 1000")),
    }
}

fn parse_patience(text: &str) -> Result<Duration, String> {
    let span = parse_span(text).map_err(|error| error.to_string())?;
    if span < Span::from_secs(1) {
        return Err(format!("{span} is too short for an answer: write 1s or more"));
    }
    Ok(Duration::from_nanos(span.ns()))
}
