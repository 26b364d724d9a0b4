//! The configuration that a machine is: what was seen of it, below what flags, environment and file say.

use iobound_explain::setup::{Certainty, Proposal, propose};

use super::SeenMachine;
use crate::Failure;
use crate::options::{ConfigurationOptions, Options, details};
use crate::settings::{ConfigurationRequest, Settings, catalog_of, configuration_of};

/// The configuration of a machine; options and settings of the user replace the machine's facts.
pub(crate) struct Configured {
    /// `None`: what it is can't be told.
    pub asked: Option<ConfigurationRequest>,
    /// Devices, and the disks of the configuration that they are.
    pub names: Vec<(String, String)>,
    /// Facts that the configuration cannot express, and the reason if there is none.
    pub notes: Vec<String>,
}

/// Puts what was seen below what flags, environment and file say, and resolves it.
///
/// # Errors
/// Settings of the user that can't be built are errors. Facts of the machine that can't be built are notes.
pub(crate) fn configured(
    seen: &SeenMachine,
    args: &ConfigurationOptions,
    settings: &mut Settings,
) -> Result<Configured, Failure> {
    // Asked for twice, shown once: the configuration asks again.
    let catalog = catalog_of(args.catalog.as_deref(), &mut settings.aside())?;
    let proposal = propose(&seen.setup, &catalog);
    let own_disks = !settings.has("disk", args.disk.first().map(String::as_str));
    let own_os = !settings.has("os-disk", args.os_disk.as_deref());
    let said = ["vm", "disk", "os-disk"];
    let flags = [args.vm.as_deref(), args.disk.first().map(String::as_str), args.os_disk.as_deref()];
    let is_said = said.iter().zip(flags).any(|(name, flag)| settings.has(name, flag));
    let mut notes = if own_disks { proposal.notes.clone() } else { Vec::new() };
    if !is_said && !proposal.is_whole() {
        refuse_idle(args)?;
        return Ok(Configured { asked: None, names: Vec::new(), notes });
    }
    settings.found(values(&proposal, own_disks));
    let asked = match configuration_of(args, settings) {
        Ok(asked) => Some(asked),
        Err(failure) if is_said => return Err(failure),
        Err(failure) => {
            notes.push(format!("limits are not shown: {}", failure.what()));
            notes.extend(failure.help_text().map(str::to_string));
            None
        }
    };
    let volumes = proposal.volumes.iter().filter(|_| own_disks);
    let os = proposal.os_disk.iter().filter(|_| own_os);
    let names = os.chain(volumes).flat_map(|volume| {
        volume.disk_names().map(|(device, name)| (device.to_string(), name)).collect::<Vec<_>>()
    });
    let names = names.filter(|_| asked.is_some()).collect();
    if let Some(asked) = &asked {
        notes.extend(asked.notes.iter().chain(&asked.resolved.notes).cloned());
    }
    Ok(Configured { asked, names, notes })
}

/// Flags that describe a configuration, on a machine without one.
fn refuse_idle(args: &ConfigurationOptions) -> Result<(), Failure> {
    match details().into_iter().find(|name| args.get(name).is_some()) {
        None => Ok(()),
        Some(name) => Err(Failure::input(format!(
            "--{name} needs a configuration, and this machine's VM size and disks are unknown"
        ))
        .help("add --vm and --disk, or leave it out")),
    }
}

/// The measurements, as the keys of a configuration.
fn values(proposal: &Proposal, own_disks: bool) -> Vec<(String, String)> {
    let mut values = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        values.extend(value.map(|value| (name.to_string(), value)));
    };
    add("vm", proposal.vm.clone());
    // The name of the operating system's disk is its own.
    add("os-disk", proposal.os_disk.as_ref().map(|os| os.spec.trim_start_matches("os=").to_string()));
    if own_disks {
        for volume in &proposal.volumes {
            add("disk", Some(volume.spec.clone()));
        }
        let bytes = |bytes: iobound_units::Bytes| format!("{}B", bytes.get());
        add("stripe", proposal.interleave.map(bytes));
        add("columns", proposal.columns.map(|columns| columns.to_string()));
        add("partition-offset", proposal.partition_offset.map(bytes));
    }
    values
}

/// Notes on a detected configuration.
pub(super) fn assumed(seen: &SeenMachine, notes: &[String]) -> Vec<String> {
    let assumed = seen.setup.disks.iter().filter(|disk| disk.figures.0 == Certainty::Assumed);
    let mut lines: Vec<String> = Vec::new();
    for disk in assumed {
        let line = format!("Assumed of {}: {}", disk.device(), disk.figures.1);
        lines.push(line);
    }
    lines.extend(notes.iter().cloned());
    lines
}
