//! A probe of real disks: outputs are checked first, then the targets are opened and measured.

use iobound_probe::Ending;
use iobound_report::{probe_document, probe_text};

use super::PreparedProbe;
use super::real_disk::RealDisk;
use crate::outfile::{DocumentKind, OutFile, refuse_doubles};
use crate::{Env, Exit, Failure, calendar};

impl PreparedProbe {
    /// Probes the targets, gives the answer to the process, and writes the files that were asked for.
    ///
    /// # Errors
    /// Returns an error if a target or an output cannot be used, or a device fails.
    pub fn run(&self, env: &Env) -> Result<Exit, Failure> {
        let kind = DocumentKind::Settings { consented: false };
        let save = self.save.as_ref().map(|given| OutFile::given(given, kind, env)).transpose()?;
        let rows = self.contribute.as_ref().map(|given| OutFile::given(given, kind, env)).transpose()?;
        let page = self.page.out_file()?;
        let outputs: Vec<&OutFile> = [&save, &rows, &page].into_iter().flatten().collect();
        refuse_doubles(&outputs)?;
        let mut disk = RealDisk::open(self, outputs.iter().filter_map(|file| file.claim()).collect(), env)?;
        let process = env.of_process();
        process.load_begins();
        let answer = self.answer(&mut disk)?;
        let screen = answer.screen();
        let exit = process.answer(&|style| probe_text(&screen, style), &|| probe_document(&screen).into())?;
        self.page.write(|| probe_document(&screen))?;
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
}
