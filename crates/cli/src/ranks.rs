//! The words behind `--` of `fleet`: read here as they will be read on every host, so that a slip is told before anything
//! starts.

use clap::{CommandFactory, FromArgMatches};
use iobound_app::launch::{HostCommand, RankWords};
use iobound_app::load::RankCommand;
use iobound_app::{Exit, Failure};

use crate::arguments::{CommonArgs, Verb};
use crate::{Program, commands, output};

/// Command for every host.
#[derive(Debug)]
pub(crate) struct RankLine {
    /// As it was typed, from the verb on.
    pub(crate) typed: Vec<String>,
    command: HostCommand,
    /// Options of every verb among it.
    theirs: CommonArgs,
}

/// Words, or what they ask for instead.
pub(crate) enum FleetWords {
    Words(Box<RankLine>),
    /// Their help, which was printed.
    Help(Exit),
}

/// The verbs that can be ranks.
const RANKS: &str = "run, diskspd, fio or probe";

/// Reads the words.
///
/// # Errors
/// Returns an error if there are no words, or their verb cannot be a rank.
pub(crate) fn read(typed: &[String]) -> Result<FleetWords, Failure> {
    let help = "write the command for each host after --: -- run /mnt/data --duration 60s";
    let Some(verb) = typed.first() else {
        return Err(Failure::input("no command is given").help(help));
    };
    if !["run", "diskspd", "fio", "probe"].contains(&verb.as_str()) {
        return Err(Failure::input(format!("`{verb}` cannot run on several hosts; {RANKS} can")).help(help));
    }
    let all = std::iter::once("iobound").chain(typed.iter().map(String::as_str));
    let parsed = Program::command().try_get_matches_from(all);
    let program = match parsed.and_then(|matches| Program::from_arg_matches(&matches)) {
        Ok(program) => program,
        Err(usage) if !usage.use_stderr() => return Ok(FleetWords::Help(output::usage(&usage))),
        Err(usage) => {
            let text = usage.to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
            return Err(Failure::input(format!("`{}`: {first}", typed.join(" ")))
                .help(format!("`iobound {verb} --help` lists the options for after --")));
        }
    };
    refuse_alone(&program)?;
    let (command, help) = match program.verb {
        Some(Verb::Run(args)) => (HostCommand::Load(RankCommand::Run(Box::new(args.request.0))), None),
        Some(Verb::Diskspd(args)) => {
            let help = commands::diskspd::help(&args.request.words);
            (HostCommand::Load(RankCommand::Diskspd(args.request.0)), help)
        }
        Some(Verb::Fio(args)) => {
            let help = commands::fio::help(&args.request.words);
            (HostCommand::Load(RankCommand::Fio(args.request.0)), help)
        }
        Some(Verb::Probe(args)) => (HostCommand::Probe(Box::new(args.request.0)), None),
        _ => unreachable!("the verb is one of these"),
    };
    match help {
        Some(exit) => exit.map(FleetWords::Help),
        None => {
            let (typed, theirs) = (typed.to_vec(), program.common);
            Ok(FleetWords::Words(Box::new(RankLine { typed, command, theirs })))
        }
    }
}

/// Options that work only on one machine.
fn refuse_alone(program: &Program) -> Result<(), Failure> {
    let Some(Verb::Run(run)) = &program.verb else { return Ok(()) };
    if run.request.run.dry_run {
        return Err(Failure::input(
            "--dry-run after -- works only on one machine, because each host differs",
        )
        .help("write it before -- to show the commands for each host, or run it on one host"));
    }
    Ok(())
}

impl RankLine {
    /// Display of the answer, from options on either side of the `--`.
    pub(crate) fn common(&self, own: &CommonArgs) -> CommonArgs {
        let theirs = &self.theirs;
        CommonArgs {
            json: own.json || theirs.json,
            show_config: own.show_config || theirs.show_config,
            wide: own.wide || theirs.wide,
            no_color: own.no_color || theirs.no_color,
            ascii: own.ascii || theirs.ascii,
            ..own.clone()
        }
    }

    /// The words for another launcher, which starts ranks.
    ///
    /// # Errors
    /// They are of a verb that can be no rank.
    pub(crate) fn for_launcher(self) -> Result<Vec<String>, Failure> {
        match self.command {
            HostCommand::Load(_) => Ok(self.typed),
            HostCommand::Probe(_) => Err(Failure::input("`probe` cannot be started by another launcher")
                .help("probe over ssh: iobound fleet --hosts FILE -- probe /dev/sdc")),
        }
    }

    /// The same for the fleet.
    pub(crate) fn for_ranks(self, common: &CommonArgs) -> RankWords {
        RankWords { typed: self.typed, command: self.command, refused: common.refused_by_tools() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(String::from).collect()
    }

    #[test]
    fn words_are_read_as_a_rank_reads_them() {
        let Ok(FleetWords::Words(read)) = read(&words("run /mnt/{rank} --duration 3s --json")) else {
            panic!()
        };
        assert!(read.common(&CommonArgs::default()).json);
        assert_eq!(read.typed[1], "/mnt/{rank}");
        assert!(matches!(read_error("run /x --durration 3s"), Some(why) if why.contains("--durration")));
        assert!(matches!(read_error("plan --iops 3"), Some(why) if why.contains("`plan` cannot")));
        assert!(read_error("run /x --dry-run").is_some());
        assert!(read_error("").is_some());
    }

    fn read_error(line: &str) -> Option<String> {
        read(&words(line)).err().map(|failure| failure.what().to_string())
    }
}
