use clap::Args;
use iobound_explain::setup::{Certainty, Proposal, propose};
use iobound_explain::setup_findings;
use iobound_report::{Doctored, doctor_document, doctor_text};

use crate::arguments::{CommonArgs, ConfigurationArgs, MachineArgs};
use crate::doctor::{Seen, as_toml, look, metadata_of, overwrite_of, place_of, world_of};
use crate::output;
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::options::{ConfigurationOptions, Options, details};
use iobound_app::settings::{ConfigurationRequest, Settings, catalog_of, configuration_of};

const EXAMPLES: &str = "\
Examples:
  iobound doctor
  iobound doctor --save vm.toml          # every verb reads it: iobound predict --config vm.toml
  iobound doctor --save vm.toml --overwrite vm.toml
  iobound doctor --metadata off          # no request over the network
  iobound doctor --vm D8s_v3 --disk 4xP30          # as if this machine were another size

A VM cannot see everything about its disks. Give the rest with --disk:
data=4xpremiumv2@1TiB+20000iops+600MB/s.

doctor only reads. It issues no load and needs no credentials. It uses the network only for the
metadata service, if the firmware names a cloud or --metadata names the service. As root, it also
reads volume tables and the NVMe pages that only root can read.";

/// Check this machine's disk setup and its limits, without issuing load.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// File for the configuration; every verb reads it with --config
    #[arg(long, value_name = "FILE")]
    save: Option<String>,
    /// Existing file that --save may overwrite; must be the same file
    #[arg(long, value_name = "FILE")]
    overwrite: Vec<String>,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    configuration: ConfigurationArgs,
}

/// Looks at the machine, and says what it is.
pub(crate) fn run(args: &DoctorArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    let metadata = metadata_of(&args.machine, &mut settings)?;
    let save = settings.text("save", args.save.as_deref(), None);
    let overwrite = overwrite_of("--save", save.as_ref(), &args.overwrite, &mut settings)?;
    if let Some(seed) = &common.seed {
        return Err(
            Failure::input(format!("--seed {seed}: this verb uses no random numbers")).mend("leave it out")
        );
    }
    // Before anything is looked at, which may take a while.
    save.as_ref().map(|save| place_of(save, &overwrite)).transpose()?;
    let seen = look(&world_of(&args.machine), &metadata)?;
    let configured = configured(&seen, &args.configuration, &mut settings)?;
    let text = configured.asked.as_ref().map(|asked| {
        let notes: Vec<String> = seen.notes.iter().chain(&configured.notes).cloned().collect();
        as_toml(asked, &settings, &assumed(&seen, &notes))
    });
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    if let Some(save) = &save {
        let Some(text) = &text else {
            return Err(save
                .refuse("cannot determine the VM size and disks of this machine, so there is no configuration to write")
                .mend("say --vm and --disk"));
        };
        place_of(save, &overwrite)?.write(text)?;
    }
    let saved = save.map(|save| save.path());
    with_doctored(&seen, configured, saved.as_deref(), |doctored| {
        output::page(common, |style| doctor_text(doctored, style), || doctor_document(doctored))
    })
}

/// Checks the setup of a machine, and shows it.
pub(crate) fn with_doctored<R>(
    seen: &Seen,
    configured: Configured,
    saved: Option<&str>,
    show: impl FnOnce(&Doctored<'_>) -> R,
) -> R {
    let Configured { asked, names, mut notes } = configured;
    let catalog = iobound_catalog::Catalog::shipped();
    let catalog = asked.as_ref().map_or(&catalog, |asked| &asked.catalog);
    let resolved = asked.as_ref().map(|asked| &asked.resolved);
    let named = seen.setup.vm.as_deref().filter(|_| resolved.is_none());
    let vm =
        named.and_then(|vm| catalog.vm(vm, iobound_catalog::Era::current()).ok()).map(|found| found.entry);
    let findings = setup_findings(&seen.setup, resolved, catalog);
    notes.splice(0..0, seen.notes.iter().cloned());
    show(&Doctored {
        facts: &seen.facts,
        setup: &seen.setup,
        resolved,
        vm: vm.as_ref(),
        names: &names,
        findings: &findings,
        notes: &notes,
        saved,
    })
}

/// The configuration that a machine is, with what somebody said in its place.
pub(crate) struct Configured {
    /// `None`: what it is can't be told.
    pub(crate) asked: Option<ConfigurationRequest>,
    /// Devices, and the disks of the configuration that they are.
    pub(crate) names: Vec<(String, String)>,
    /// Facts that the configuration cannot express, and the reason if there is none.
    pub(crate) notes: Vec<String>,
}

/// Puts what was seen below what flags, environment and file say, and resolves it.
///
/// # Errors
/// What somebody said can't be built. What the machine says is no error, but a note.
pub(crate) fn configured(
    seen: &Seen,
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
            notes.extend(failure.mended().map(str::to_string));
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

/// Flags about a configuration that there is none of.
fn refuse_idle(args: &ConfigurationOptions) -> Result<(), Failure> {
    match details().into_iter().find(|name| args.get(name).is_some()) {
        None => Ok(()),
        Some(name) => Err(Failure::input(format!(
            "--{name} needs a configuration, and this machine's VM size and disks are unknown"
        ))
        .mend("add --vm and --disk, or leave it out")),
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
fn assumed(seen: &Seen, notes: &[String]) -> Vec<String> {
    let assumed = seen.setup.disks.iter().filter(|disk| disk.figures.0 == Certainty::Assumed);
    let mut lines: Vec<String> = Vec::new();
    for disk in assumed {
        let line = format!("Assumed of {}: {}", disk.device(), disk.figures.1);
        lines.push(line);
    }
    lines.extend(notes.iter().cloned());
    lines
}
