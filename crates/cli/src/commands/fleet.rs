use clap::{Args, Subcommand};
use iobound_app::launch::{FleetRequest, PreparedFleet, PreparedScript, ScriptRequest, serve_rank};
use iobound_app::{Exit, Failure};

use crate::arguments::{CommonArgs, Typed};
use crate::output;
use crate::ranks::{self, FleetWords};

const EXAMPLES: &str = "\
Examples:
  iobound fleet --hosts segments.txt -- run /data1 /data2 --preset greenplum-scan
  iobound fleet --host db1 --host admin@db2:2222 --copy -- run /mnt/data --duration 60s
  iobound fleet --hosts inventory.ini --group db -- fio --name=a --directory=/data --rw=read
  iobound fleet --hosts segments.txt -- probe /dev/sdc --html disks.html
  iobound fleet --hosts segments.txt --dry-run -- run /mnt/data    # show the commands for each host
  iobound fleet script --slurm --hosts 16 -- run /scratch --block 1MiB
  iobound fleet script --mpi --hosts segments.txt -- run /data --read 70%
  iobound fleet script --kubernetes --hosts 8 --image REGISTRY/iobound --volume 100GiB -- run /data

fleet uses your own ssh; `ssh HOST` must work without a password. A hosts file has one host on each \
line ([USER@]HOST[:PORT]), or is an Ansible inventory. Paths after -- are paths on the hosts. In \
them, {rank} and {host} are replaced by the rank and the host name.";

/// Run one workload on many machines at the same time, and print one result.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct FleetArgs {
    #[command(subcommand)]
    what: Option<FleetVerb>,
    #[command(flatten)]
    request: Typed<FleetRequest>,
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

#[derive(Debug, Args)]
struct ScriptArgs {
    #[command(flatten)]
    request: Typed<ScriptRequest>,
}

/// Runs on all hosts, or prints what another launcher takes.
pub(crate) fn run(args: &FleetArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    match &args.what {
        Some(FleetVerb::There { copied }) => std::process::exit(serve_rank(*copied, &common.env())?.0),
        Some(FleetVerb::Script(script)) => print_script(&script.request, common),
        None => over_the_hosts(&args.request, common),
    }
}

fn print_script(request: &ScriptRequest, common: &CommonArgs) -> Result<Exit, Failure> {
    refuse_seed(common)?;
    let env = common.env();
    let prepared = PreparedScript::read(request, &common.common(), &env)?;
    let words = match ranks::read(&request.words)? {
        FleetWords::Words(words) => words,
        FleetWords::Help(exit) => return Ok(exit),
    };
    if words.common(common).show_config {
        return output::settings(&prepared.settings, common);
    }
    if common.json {
        return Err(Failure::input("--json: a script is not a JSON document")
            .help("leave it out, or write it after -- for the run"));
    }
    output::data(&prepared.text(words.for_launcher()?, &env)?)
}

/// Refuses a seed before the `--`: the command behind it draws the random numbers.
fn refuse_seed(common: &CommonArgs) -> Result<(), Failure> {
    match &common.seed {
        None => Ok(()),
        Some(seed) => Err(Failure::input(format!("--seed {seed} has no effect before --"))
            .help(format!("write it after --, as an option of the run: -- run ... --seed {seed}"))),
    }
}

fn over_the_hosts(request: &FleetRequest, common: &CommonArgs) -> Result<Exit, Failure> {
    refuse_seed(common)?;
    let prepared = PreparedFleet::read(request, &common.common(), &common.env())?;
    let words = match ranks::read(&request.words)? {
        FleetWords::Words(words) => words,
        FleetWords::Help(exit) => return Ok(exit),
    };
    // Either side of the `--` says how the answer looks.
    let common = &words.common(common);
    let env = common.env();
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    prepared
        .run(request, &words.for_ranks(common), &common.common(), &env)
        .map(|finished| output::finished(finished, common))
}
