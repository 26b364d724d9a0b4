//! This machine as a setup: what its firmware, its cloud, its kernel and its devices say, put together. Everything is only
//! read; the network is used for nothing but the metadata service that is named.

mod configured;
mod disks;
pub(crate) mod local;
mod powershell;
mod request;
mod save;
mod spec;
mod volumes;
mod windows;

use iobound_catalog::{Cloud, DeviceNaming};
use iobound_explain::setup::{Fact, Setup};
use iobound_machine::cloud::{Endpoint, Firmware, Instance, ask, ask_any, attached, firmware};
use iobound_machine::kernel::Kernel;
use iobound_machine::memory::memory;
use iobound_machine::pressure::{Resource, pressure};
use iobound_machine::{World, WorldSystem};

use crate::Failure;
use crate::options::MachineOptions;
use crate::settings::Settings;

pub(crate) use configured::{Configured, configured};
pub use iobound_formats::windows::COLLECT as WINDOWS_SCRIPT;
pub use request::{DoctorAnswer, DoctorRequest, PreparedDoctor, SaveOptions};
pub(crate) use save::{as_toml, overwrite_of, place_of};

/// Source of metadata.
#[derive(Clone, Debug)]
pub(crate) enum Metadata {
    /// The link-local address, where the firmware names a cloud.
    Auto,
    /// Nobody.
    Off,
    /// This endpoint.
    At(Endpoint),
}

/// Measurements of a machine.
#[derive(Debug)]
pub(crate) struct SeenMachine {
    pub setup: Setup,
    pub facts: Vec<Fact>,
    pub notes: Vec<String>,
}

/// Sources of facts about the machine, by flags, environment and file.
pub(crate) fn metadata_of(args: &MachineOptions, settings: &mut Settings) -> Result<Metadata, Failure> {
    let default = Some("the link-local address, where the firmware names a cloud");
    let given = settings.parse("metadata", args.metadata.as_deref(), default, |text| match text {
        "off" => Ok(Metadata::Off),
        "auto" => Ok(Metadata::Auto),
        url => Endpoint::parse(url).map(Metadata::At),
    })?;
    Ok(given.unwrap_or(Metadata::Auto))
}

/// The machine, or the tree of files that stands for it.
pub(crate) fn world_of(args: &MachineOptions) -> World {
    args.world.as_ref().map_or_else(World::real, World::at)
}

/// Looks at a machine.
///
/// # Errors
/// Returns an error if a metadata service that the user named does not answer.
pub(crate) fn look(world: &World, metadata: &Metadata) -> Result<SeenMachine, Failure> {
    match world.system() {
        WorldSystem::Linux => {}
        WorldSystem::Windows => return windows::look(world, metadata),
        WorldSystem::Other => {
            return Err(Failure::input("the disks and counters of this machine are not read here: that takes Linux or Windows")
                .help("record counters on the machine in question and name the file: iobound explain --vm NAME --disk SPEC --result FILE"));
        }
    }
    let firmware = firmware(world);
    let mut notes = Vec::new();
    let (instance, asked) = instance(world, metadata, firmware.as_ref())?;
    let provider = instance.as_ref().map(|of| of.provider).or(firmware.as_ref().map(|of| of.provider));
    let mut facts = cloud_facts(firmware.as_ref(), instance.as_ref(), &asked);
    facts.extend(machine_facts(world));
    let cloud_disks = instance.as_ref().map_or(&[][..], |instance| &instance.disks);
    let attached = provider.map_or_else(Vec::new, |provider| attached(world, provider, cloud_disks));
    let mut disks = disks::disks(world, provider, &attached, cloud_disks, instance.is_some(), &mut notes);
    if let Some(provider) = provider.filter(|of| of.rules().guest.naming == DeviceNaming::Lun) {
        let seen: Vec<_> = attached.iter().filter_map(|own| own.slot.clone()).collect();
        disks.extend(disks::unseen(provider, &seen, cloud_disks, &mut notes));
    }
    notes.extend(instance.iter().flat_map(|instance| instance.notes.clone()));
    let vm = facts.iter().find(|fact| fact.name == "vm").and_then(|fact| fact.value.clone());
    let rules = provider.map(Cloud::rules);
    let listed_only = rules.filter(|rules| rules.not_modelled.is_some());
    if let Some(rules) = listed_only {
        let whose = rules.title;
        notes.push(format!("{whose}'s machine types and disks are not in the model: limits are not shown"));
    }
    let setup = Setup {
        cloud: provider,
        // A machine that the model does not have is not looked up in the catalogue.
        vm: vm.filter(|_| listed_only.is_none()),
        volumes: volumes::volumes(world, &disks),
        disks,
        ..Setup::default()
    };
    Ok(SeenMachine { setup, facts, notes })
}

/// The cloud whose metadata lists disks by LUN: the one that Windows machines are read for.
fn cloud_of_luns() -> Cloud {
    let has_luns = |cloud: &Cloud| cloud.rules().guest.naming == DeviceNaming::Lun;
    Cloud::ALL.into_iter().find(has_luns).expect("a cloud attaches disks by LUN")
}

/// Answer of the metadata service with its name, or the reason for its absence.
fn instance(
    world: &World,
    metadata: &Metadata,
    firmware: Option<&Firmware>,
) -> Result<(Option<Instance>, Result<String, String>), Failure> {
    match (metadata, firmware) {
        (Metadata::Off, _) => Ok((None, Err("the metadata service is not asked (--metadata off)".into()))),
        // A tree of files is another machine: this one's service knows nothing of it.
        (Metadata::Auto, _) if world.is_tree() => Ok((
            None,
            Err("with a tree of files, the metadata service is asked only with --metadata URL".into()),
        )),
        (Metadata::Auto, None) => {
            Ok((None, Err("the firmware names no cloud: no metadata service is asked".into())))
        }
        (Metadata::Auto, Some(firmware)) => {
            let endpoint = Endpoint::link_local();
            Ok(match ask(&endpoint, firmware.provider) {
                Ok(instance) => (Some(instance), Ok(endpoint.to_string())),
                Err(why) => (None, Err(format!("the metadata service {endpoint}: {why}"))),
            })
        }
        (Metadata::At(endpoint), firmware) => {
            let answer = match firmware {
                Some(firmware) => ask(endpoint, firmware.provider),
                None => ask_any(endpoint),
            };
            match answer {
                Ok(instance) => Ok((Some(instance), Ok(endpoint.to_string()))),
                Err(why) => Err(Failure::input(format!("--metadata {endpoint}: {why}"))
                    .help("name the metadata service of this machine's cloud, or write --metadata off")),
            }
        }
    }
}

fn cloud_facts(
    firmware: Option<&Firmware>,
    instance: Option<&Instance>,
    asked: &Result<String, String>,
) -> Vec<Fact> {
    let by = asked.as_ref().map_or_else(Clone::clone, Clone::clone);
    let cloud = match (firmware, instance) {
        (Some(firmware), _) => Fact::known("cloud", firmware.provider.name(), &firmware.source),
        (None, Some(instance)) => Fact::known("cloud", instance.provider.name(), &by),
        (None, None) => Fact::unknown("cloud", "the firmware (/sys/class/dmi/id) names no cloud"),
    };
    let told = |name: &'static str, value: Option<&String>| match (value, asked) {
        (Some(value), _) => Fact::known(name, value, &by),
        (None, Ok(endpoint)) => Fact::unknown(name, format!("{endpoint} does not report it")),
        (None, Err(why)) => Fact::unknown(name, why),
    };
    let vm = match (instance.and_then(|of| of.size.as_ref()), firmware.and_then(|of| of.size.as_ref())) {
        (None, Some(size)) => Fact::known("vm", size, "/sys/class/dmi/id/product_name"),
        (size, _) => told("vm", size),
    };
    let place = |of: fn(&Instance) -> Option<&String>| instance.and_then(of);
    vec![
        cloud,
        vm,
        told("region", place(|of| of.region.as_ref())),
        told("zone", place(|of| of.zone.as_ref())),
    ]
}

fn machine_facts(world: &World) -> Vec<Fact> {
    let of = |name: &'static str, value: Option<String>, source: &str| match value {
        Some(value) => Fact::known(name, value, source),
        None => Fact::unknown(name, format!("{source} does not report it")),
    };
    let (cpus, nodes) = iobound_machine::cpu::count(world);
    let kernel = Kernel::of(world).release;
    vec![
        of("vcpus", cpus.map(|cpus| cpus.to_string()), "/proc/stat"),
        of("numa_nodes", nodes.map(|nodes| nodes.to_string()), "/sys/devices/system/node"),
        of("memory_bytes", memory(world).total_bytes.map(|bytes| bytes.to_string()), "/proc/meminfo"),
        of("kernel", kernel, "/proc/sys/kernel/osrelease"),
        of(
            "io_pressure",
            pressure(world, Resource::Io).map(|found| format!("{:.4}", found.some.of_ten_seconds)),
            "/proc/pressure/io",
        ),
    ]
}
