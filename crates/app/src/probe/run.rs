//! A probe of real disks: outputs are checked first, then the targets are opened and measured.

use iobound_probe::Ending;
use iobound_report::probe_document;

use super::PreparedProbe;
use super::real_disk::RealDisk;
use crate::outfile::{DocumentKind, OutFile, Unwritten, refuse_doubles};
use crate::{Env, Exit, Failure, Finished, calendar};

impl PreparedProbe {
    /// Probes the targets, and writes the files that were asked for.
    ///
    /// # Errors
    /// Returns an error if a target or an output cannot be used, or a device fails.
    pub fn run(&self, env: &Env) -> Result<Finished, Failure> {
        // --overwrite of a probe names targets, and never an output.
        let kind = DocumentKind::NewFile;
        let save = self.save.as_ref().map(|given| OutFile::given(given, kind, env)).transpose()?;
        let rows = self.contribute.as_ref().map(|given| OutFile::given(given, kind, env)).transpose()?;
        let page = self.page.out_file()?;
        let outputs: Vec<&OutFile> = [&save, &rows, &page].into_iter().flatten().collect();
        refuse_doubles(&outputs)?;
        let mut disk = RealDisk::open(self, outputs.iter().filter_map(|file| file.claim()).collect(), env)?;
        env.of_process().load_begins();
        let mut answer = self.answer(&mut disk)?;
        answer.device_writes = disk.device_writes();
        let screen = answer.screen();
        let mut unwritten = Unwritten::default();
        unwritten.take(self.page.write(|| probe_document(&screen)));
        if let Some(file) = rows {
            unwritten.take(file.write(&answer.contribution(&calendar::today().to_string())));
        }
        if let Some(file) = save {
            let saved = answer.configuration().and_then(|text| file.write(&text));
            let assumed = answer.assumptions();
            if unwritten.take(saved).is_some() && !assumed.is_empty() {
                env.note(&format!(
                    "the saved file assumes what the probe did not measure: {}",
                    assumed.join("; ")
                ));
            }
        }
        let ended = match &answer.answer.ending {
            Ending::Starved if answer.answer.has_nothing() => {
                Err(Failure::io("the probe measured nothing: other work kept the processors from it")
                    .help("keep other work off this machine, and probe again"))
            }
            Ending::Complete | Ending::Budget | Ending::Starved => Ok(Exit::Done),
            Ending::Stopped => Ok(Exit::Interrupted),
            Ending::Failed(why) => Err(Failure::io(why)),
        };
        Ok(Finished::beside(Some(Box::new(answer)), unwritten, ended))
    }
}
