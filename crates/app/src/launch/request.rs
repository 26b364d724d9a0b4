//! `fleet`: one workload on many machines, over ssh; or what another launcher takes.

use std::time::Duration;

use iobound_fleet::Token;
use iobound_report::Setting;
use iobound_units::{Span, parse_span};

use super::hosts::AskedHosts;
use super::over_ssh::{self, HostCommand, MeetAsked, MeetFlags, RankWords, SshRequest};
use super::probe_hosts;
use super::script::{AskedScript, ScriptRequest};
use super::ssh::{CopiedProgram, Reach, Ssh};
use crate::load::split_words;
use crate::options::options;
use crate::settings::{SettingValue, Settings};
use crate::{Common, Env, Exit, Failure, Finished};

options! {
    /// Asks for one workload on many machines at the same time.
    pub struct FleetRequest {
        /// File with one host on each line, or an Ansible inventory
        hosts: Option<String> = Form::One, "FILE";
        /// A host [USER@]HOST[:PORT]; repeat for more
        host: Vec<String> = Form::Many, "HOST";
        /// Only the hosts of this group of the file
        group: Option<String> = Form::One, "NAME";
        /// ssh program with its first arguments [default: ssh]
        ssh: Option<String> = Form::Line, "COMMAND";
        /// Number of hosts to connect to at once [default: 32]
        at_once: Option<String> = Form::One, "N";
        /// Time that a host has to answer [default: 30s]
        connect_timeout: Option<String> = Form::One, "TIME";
        /// Copy this program, or another build of it, to every host for this run
        copy: Option<String> = Form::Maybe(""), "PATH";
        /// Path of the program on the hosts [default: iobound]
        remote_program: Option<String> = Form::One, "PATH";
        /// Show what would be started on each host, and stop
        dry_run: bool = Form::Switch;
        /// Command for each host: run, diskspd, fio or probe with its options
        words: Vec<String> = Form::Behind, "WORDS";
    }
    meet: MeetFlags;
}

/// A script for another launcher, whose request has been read.
pub struct PreparedScript {
    asked: AskedScript,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

impl PreparedScript {
    /// Reads a request.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(request: &ScriptRequest, common: &Common, env: &Env) -> Result<PreparedScript, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let asked = AskedScript::of(request, &mut settings)?;
        let settings = settings.finish();
        Ok(PreparedScript { asked, settings })
    }

    /// The script that runs the words on every host.
    ///
    /// # Errors
    /// Returns an error if the hosts cannot be read, or the launcher chooses the hosts itself.
    pub fn text(self, words: Vec<String>, env: &Env) -> Result<String, Failure> {
        let (job, launcher) = self.asked.job(words, env)?;
        let token = Token::drawn()
            .map_err(|error| Failure::io(format!("cannot read random numbers from the system: {error}")))?;
        Ok(job.script(&launcher, token.reveal()))
    }
}

/// A fleet over ssh, whose request has been read.
pub struct PreparedFleet {
    hosts: AskedHosts,
    ssh: Option<Ssh>,
    at_once: Option<usize>,
    patience: Option<Duration>,
    program: Option<SettingValue>,
    meet: MeetAsked,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

impl PreparedFleet {
    /// Reads a request, without the words behind `--`.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(request: &FleetRequest, common: &Common, env: &Env) -> Result<PreparedFleet, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let named = (request.host.as_slice(), request.group.as_deref());
        let hosts = AskedHosts::of(request.hosts.as_deref(), named, &mut settings);
        let ssh = settings.parse("ssh", request.ssh.as_deref(), Some("ssh"), parse_ssh)?;
        let at_once = settings.parse("at-once", request.at_once.as_deref(), Some("32"), parse_at_once)?;
        let patience = settings.parse(
            "connect-timeout",
            request.connect_timeout.as_deref(),
            Some("30s"),
            parse_patience,
        )?;
        let program = settings.text("remote-program", request.remote_program.as_deref(), Some("iobound"));
        let meet = MeetAsked::of(&request.meet, &mut settings)?;
        let settings = settings.finish();
        Ok(PreparedFleet { hosts, ssh, at_once, patience, program, meet, settings })
    }

    /// Runs the words on all hosts: the answer is for all of them, or says what would be started.
    ///
    /// # Errors
    /// Returns an error if the hosts cannot be read or reached, or nothing was measured.
    pub fn run(
        self,
        request: &FleetRequest,
        words: &RankWords,
        common: &Common,
        env: &Env,
    ) -> Result<Finished, Failure> {
        let hosts = self.hosts.read(env)?;
        if let (Some(given), Some(_)) = (&self.program, &request.copy) {
            return Err(given.refuse("--copy runs a copy on the hosts").help("leave out --copy, or this"));
        }
        let copy = match request.copy.as_deref() {
            Some("") => Some(CopiedProgram::read(None)?),
            Some(path) => Some(CopiedProgram::read(Some(path))?),
            None => None,
        };
        let reach = Reach {
            ssh: self.ssh.unwrap_or_else(|| Ssh { words: vec!["ssh".into()] }),
            program: self.program.map_or("iobound".into(), |given| given.text),
            copy,
            at_once: self.at_once.unwrap_or(32),
            patience: self.patience.unwrap_or(Duration::from_secs(30)),
            env: env.clone(),
        };
        let asked = SshRequest { hosts, reach, meet: self.meet, words };
        if request.dry_run {
            let plan = Box::new(over_ssh::plan(&asked));
            return Ok(Finished::with(plan, Exit::Done));
        }
        match &words.command {
            HostCommand::Probe(request) => probe_hosts::run(&asked, request, common, env),
            HostCommand::Load(_) if !iobound_fleet::HAS_NETWORK => {
                Err(Failure::not_built("network for ranks"))
            }
            HostCommand::Load(command) => over_ssh::run(&asked, command, common, env),
        }
    }
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
