//! Google Cloud. What is published of its machines is listed; nothing of it is in the model.

pub(crate) mod machines;

use crate::clouds::cloud_rules::{CloudRules, NotModelled, Tables, VmColumns};

const NO_MACHINES: &str =
    "Google Cloud's machines are listed, not modelled: their limits have not been measured";

pub(super) const RULES: CloudRules = CloudRules {
    name: "gcp",
    title: "Google",
    not_modelled: Some(NotModelled {
        machines: NO_MACHINES,
        disks: "Google Cloud's disks are listed, not modelled: give the machine's and the disk's limits as [[vm]] and [[disk]] of a file (--catalog), and name those",
        machine: machines::entry,
        is_disk: machines::is_disk,
    }),
    default_region: "us-central1",
    names_region: |_| false,
    one_zone: None,
    disk_examples: "a disk of another cloud",
    os_disk_takes_a_slot: true,
    has_host_cache: false,
    bursts_in_every_era: false,
    derives_credits: false,
    sold_by_burst: None,
    fetches_snapshots: false,
    assumed_disk: None,
    shows_figures: "gcloud compute disks describe",
    remote_gate: "vm.pd",
    vm_scope: "gcp-vm",
    local_scope: "gcp-vm",
    vm_columns: VmColumns {
        name: "machine_type",
        uncached: ["", ""],
        cached: ["", ""],
        needed: &[],
        sources: &[],
        imported: &[],
    },
    tables: Tables {
        vms: None,
        vm_eras: None,
        crosscheck: None,
        tiers: None,
        vm_prices: None,
        disk_prices: None,
    },
    full_names: |_| Vec::new(),
    vm_of_row: |row| Err(row.error(NO_MACHINES)),
    series: |name| (name.to_string(), None),
    import: |_, _, _, _| Ok(()),
    scripts: |_| Vec::new(),
    linux_disks: |_| String::new(),
    windows_disks: |_| String::new(),
    local_disks: |_| String::new(),
};
