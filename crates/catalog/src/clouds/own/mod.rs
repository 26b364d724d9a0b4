//! Machines and disks that no seller describes: their limits are measured (`iobound probe`). It is no cloud of the lists.

use crate::clouds::cloud_rules::{CloudRules, Tables, VmColumns};

pub(super) const RULES: CloudRules = CloudRules {
    name: "own",
    title: "your own storage",
    not_modelled: None,
    default_region: "",
    names_region: |_| false,
    one_zone: None,
    disk_examples: "a [[probed]] disk of the configuration file",
    os_disk_takes_a_slot: false,
    has_host_cache: false,
    bursts_in_every_era: true,
    derives_credits: false,
    sold_by_burst: None,
    fetches_snapshots: false,
    assumed_disk: None,
    storage_class: None,
    shows_figures: "iobound probe",
    remote_gate: "shared",
    remote_gates: None,
    vm_scope: "own",
    local_scope: "own",
    vm_columns: VmColumns {
        name: "own",
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
    vm_of_row: |row| {
        Err(row.error("a probed machine has no row: use --config with the file of `iobound probe --save`"))
    },
    more_figures: |_| Vec::new(),
    published: |_| None,
    series: |name| (name.to_string(), None),
    import: |_, _, _, _| Ok(()),
    scripts: |_| Vec::new(),
    linux_disks: |_| String::new(),
    windows_disks: |_| String::new(),
    local_disks: |_| String::new(),
};
