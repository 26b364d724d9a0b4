use clap::Args;
use iobound_app::probe::{PreparedProbe, ProbeRequest};
use iobound_app::{Exit, Failure};
use iobound_probe::Ending;
use iobound_report::{probe_document, probe_text};

use crate::arguments::{CommonArgs, Typed};
use crate::outfile::{DocumentKind, OutFile, refuse_doubles};
use crate::page::WritePage;
use crate::probe::RealDisk;
use crate::{calendar, interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound probe /dev/nvme1n1                                # reads only: nothing is written
  iobound probe /mnt/data/file --save probed.toml           # a configuration for every verb
  iobound predict --config probed.toml --block 8KiB --depth 32
  iobound probe /dev/sdc --html probe.html --json           # with the evidence of each limit
  iobound probe /dev/sdc /dev/sdd --budget 10min            # and what the two share
  iobound probe /dev/sdc --overwrite /dev/sdc               # writes as well: the data on it is lost
  iobound probe /dev/sdc --contribute rows.csv              # anonymous rows of measured.csv, to review";

/// Measure the limits of an unknown disk: IOPS, throughput, how both are enforced, bursts, cache, latency, and which
/// offers of the catalogue match. Reads only, unless --overwrite names the targets.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    request: Typed<ProbeRequest>,
}

/// Probes the targets, and writes what was asked for.
pub(crate) fn run(args: &ProbeArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let mut prepared = PreparedProbe::read(&args.request, &common.common(), &env)?;
    prepared.note_unused(&env);
    if common.show_config {
        return output::settings(&prepared.settings, &[], common);
    }
    let kind = DocumentKind::Settings { consented: false };
    let save = prepared.save.as_ref().map(|given| OutFile::given(given, kind)).transpose()?;
    let rows = prepared.contribute.as_ref().map(|given| OutFile::given(given, kind)).transpose()?;
    let page = prepared.page.out_file()?;
    let outputs: Vec<&OutFile> = [&save, &rows, &page].into_iter().flatten().collect();
    refuse_doubles(&outputs)?;
    let mut disk = RealDisk::open(&prepared, outputs.iter().filter_map(|file| file.claim()).collect())?;
    interrupt::load_begins();
    let answer = prepared.answer(&mut disk)?;
    let screen = answer.screen();
    let exit = output::page(common, |style| probe_text(&screen, style), || probe_document(&screen))?;
    prepared.page.write(|| probe_document(&screen))?;
    if let Some(file) = rows {
        file.write(&answer.contribution(&calendar::today().to_string()))?;
    }
    if let Some(file) = save {
        file.write(&answer.configuration()?)?;
    }
    match &answer.answer.ending {
        Ending::Complete | Ending::Budget => Ok(exit),
        Ending::Stopped => Ok(Exit::Interrupted),
        Ending::Failed(why) => Err(Failure::io(why)),
    }
}
