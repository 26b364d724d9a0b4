//! The request of `emulate`: what it is to be, then its service until the end.

use iobound_report::Setting;

use super::before::Before;
use super::how::EmulateOptions;
use super::opening::{model, serve};
use super::options::{BeforeOptions, EmulateFlags};
use crate::effect;
use crate::options::{ConfigurationOptions, options};
use crate::settings::{ConfigurationRequest, Settings, configuration_of, note_unused};
use crate::{Common, Env, Exit, Failure};

options! {
    /// Asks for the disks of a VM as block devices, in real time.
    pub struct EmulateRequest {
    }
    devices: EmulateFlags;
    configuration: ConfigurationOptions;
    before: BeforeOptions;
}

/// A request that has been read.
pub struct PreparedEmulator {
    how: EmulateOptions,
    configuration: ConfigurationRequest,
    before: Option<Before>,
    notes: Result<Vec<String>, Failure>,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
    unused: Vec<String>,
}

impl PreparedEmulator {
    /// Reads a request.
    ///
    /// # Errors
    /// Returns an error if an option cannot be read or the configuration cannot be built; it names the fix.
    pub fn read(request: &EmulateRequest, common: &Common, env: &Env) -> Result<PreparedEmulator, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let how = EmulateOptions::of(&request.devices, common.seed.as_deref(), &mut settings)?;
        let configuration = configuration_of(&request.configuration, &mut settings)?;
        let idle = effect::check_standing(&configuration, how.limiters, &settings);
        let before = Before::of(&request.before, &configuration, how.limiters, how.seed, &mut settings)?;
        let jobs = settings.file().filter(|file| file.workload().is_some());
        let jobs = jobs.map(|file| {
            let are = if before.is_some() { "what ran before" } else { "not run" };
            format!("the jobs of {} are {are}: only the clients issue I/O", file.path())
        });
        let notes = idle.map(|idle| idle.into_iter().chain(jobs).collect());
        let (settings, unused) = settings.finish();
        Ok(PreparedEmulator { how, configuration, before, notes, settings, unused })
    }

    /// Says which variables mean nothing to the request.
    pub fn note_unused(&mut self, env: &Env) {
        note_unused(std::mem::take(&mut self.unused), env);
    }

    /// Builds the model with its data in memory; nothing is served.
    ///
    /// # Errors
    /// Returns an error if an option has no effect, or the configuration or the memory limit is not possible for an
    /// emulator.
    pub fn check(mut self, env: &Env) -> Result<(), Failure> {
        self.note_unused(env);
        self.notes?;
        model(self.configuration, self.before, &self.how, env)
    }

    /// Serves the devices until the end. The process takes what is to be said: where they are, what happens, what came of it.
    ///
    /// # Errors
    /// Returns an error if an option has no effect or a device cannot be served.
    pub fn serve(mut self, env: &Env) -> Result<Exit, Failure> {
        self.note_unused(env);
        serve(self.configuration, self.before, &self.how, self.notes?, env)
    }
}
