//! `doctor`: a machine, its configuration, and what is wrong with its setup.

use iobound_catalog::{Catalog, Era, VmSize};
use iobound_explain::{Finding, setup_findings};
use iobound_machine::WorldSystem;
use iobound_report::{Doctored, Setting};

use super::configured::assumed;
use super::{
    Configured, Metadata, SeenMachine, as_toml, configured, look, metadata_of, overwrite_of, place_of,
    windows, world_of,
};
use crate::files;
use crate::options::{ConfigurationOptions, MachineOptions, options};
use crate::settings::{SettingValue, Settings};
use crate::{Common, Env, Failure};

options! {
    /// The file of the configuration.
    pub struct SaveOptions {
        /// File for the configuration; every verb reads it with --config
        save: Option<String> = Form::One, "FILE";
        /// Let --save overwrite this existing file; give the same name to both
        overwrite: Vec<String> = Form::Many, "FILE";
    }
}

options! {
    /// Asks what a machine is, and what of it holds I/O back, without issuing load.
    pub struct DoctorRequest {
        /// Setup of a Windows machine to check: the output of the --windows-script script
        setup: Option<String> = Form::One, "FILE";
    }
    own: SaveOptions;
    machine: MachineOptions;
    configuration: ConfigurationOptions;
}

/// A request that has been read, with the machine that was looked at.
pub struct PreparedDoctor {
    seen: SeenMachine,
    configured: Configured,
    /// The configuration as a file, where it is known.
    text: Option<String>,
    save: Option<SettingValue>,
    overwrite: Vec<SettingValue>,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The answer.
pub struct DoctorAnswer {
    seen: SeenMachine,
    configured: Configured,
    vm: Option<VmSize>,
    findings: Vec<Finding>,
    notes: Vec<String>,
    saved: Option<String>,
}

impl PreparedDoctor {
    /// Reads a request, and looks at the machine.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be read or built, a file cannot be written, or the metadata service
    /// does not answer.
    pub fn read(request: &DoctorRequest, common: &Common, env: &Env) -> Result<PreparedDoctor, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let metadata = metadata_of(&request.machine, &mut settings)?;
        let save = settings.text("save", request.own.save.as_deref(), None);
        let overwrite = overwrite_of("--save", save.as_ref(), &request.own.overwrite, &mut settings)?;
        common.refuse_seed()?;
        // Before anything is looked at, which may take a while.
        save.as_ref().map(|save| place_of(save, &overwrite, env)).transpose()?;
        let seen = match settings.text("setup", request.setup.as_deref(), None) {
            Some(setup) => read_windows(&setup, &request.machine, &settings, env)?,
            None => this_machine(request, &metadata)?,
        };
        let configured = configured(&seen, &request.configuration, &mut settings)?;
        let text = configured.asked.as_ref().map(|asked| {
            let notes: Vec<String> = seen.notes.iter().chain(&configured.notes).cloned().collect();
            as_toml(asked, &settings, &assumed(&seen, &notes))
        });
        let settings = settings.finish();
        Ok(PreparedDoctor { seen, configured, text, save, overwrite, settings })
    }

    /// Judges the setup, and writes the configuration where that was asked for.
    ///
    /// # Errors
    /// Returns an error if the configuration is unknown or a file cannot be written.
    pub fn answer(self, env: &Env) -> Result<DoctorAnswer, Failure> {
        let PreparedDoctor { seen, configured, text, save, overwrite, .. } = self;
        let shipped = Catalog::shipped();
        let catalog = configured.asked.as_ref().map_or(&shipped, |asked| &asked.catalog);
        let resolved = configured.asked.as_ref().map(|asked| &asked.resolved);
        let named = seen.setup.vm.as_deref().filter(|_| resolved.is_none());
        let vm = named.and_then(|vm| catalog.vm(vm, Era::current()).ok()).map(|found| found.entry);
        let findings = setup_findings(&seen.setup, resolved, catalog);
        let notes = seen.notes.iter().chain(&configured.notes).cloned().collect();
        if let Some(save) = &save {
            let Some(text) = &text else {
                return Err(save
                    .refuse("cannot determine the VM size and disks of this machine, so there is no configuration to write")
                    .help("say --vm and --disk"));
            };
            place_of(save, &overwrite, env)?.write(text)?;
        }
        let saved = save.map(|save| save.path());
        Ok(DoctorAnswer { seen, configured, vm, findings, notes, saved })
    }
}

/// The machine that the program runs on, or the tree of files that stands for it.
fn this_machine(request: &DoctorRequest, metadata: &Metadata) -> Result<SeenMachine, Failure> {
    let world = world_of(&request.machine);
    match world.system() {
        WorldSystem::Linux | WorldSystem::Windows => look(&world, metadata),
        WorldSystem::Other => {
            Err(Failure::input("this system's disks can't be looked at: doctor knows Linux and Windows")
                .help("add --setup FILE to check a Windows machine from here"))
        }
    }
}

/// The Windows machine that a file describes.
fn read_windows(
    setup: &SettingValue,
    machine: &MachineOptions,
    settings: &Settings,
    env: &Env,
) -> Result<SeenMachine, Failure> {
    if let Some(metadata) = settings.given("metadata") {
        return Err(metadata
            .refuse("the setup file has the answer of the metadata service")
            .help("leave out --metadata or --setup"));
    }
    if machine.world.is_some() {
        return Err(setup.refuse("--world is another machine").help("leave out --world or --setup"));
    }
    let path = setup.path();
    let text = files::read_foreign(env, &path, files::WRITTEN);
    text.and_then(|text| windows::read_setup(&text, None)).map_err(|why| {
        setup.refuse(format!("cannot read {path}: {why}")).help(
            "run the script that `iobound doctor --windows-script` prints, in PowerShell on that machine",
        )
    })
}

impl DoctorAnswer {
    /// The answer in the form that texts and documents are made of.
    pub fn doctored(&self) -> Doctored<'_> {
        Doctored {
            facts: &self.seen.facts,
            setup: &self.seen.setup,
            resolved: self.configured.asked.as_ref().map(|asked| &asked.resolved),
            vm: self.vm.as_ref(),
            names: &self.configured.names,
            findings: &self.findings,
            notes: &self.notes,
            saved: self.saved.as_deref(),
        }
    }
}
