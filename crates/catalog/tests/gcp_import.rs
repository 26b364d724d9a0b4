//! Google Cloud's own lists.

use iobound_catalog::{Catalog, Import, ImportFile, merge, read_listing};

const MACHINES: &str = r#"[
  { "kind": "compute#machineType", "name": "n2-standard-8", "guestCpus": 8, "memoryMb": 32768,
    "maximumPersistentDisks": 128, "isSharedCpu": false, "architecture": "X86_64",
    "zone": "https://www.googleapis.com/compute/v1/projects/p/zones/us-central1-a" },
  { "kind": "compute#machineType", "name": "n2-standard-8", "guestCpus": 8, "memoryMb": 32768,
    "maximumPersistentDisks": 128, "isSharedCpu": false, "architecture": "X86_64", "zone": "us-central1-f" },
  { "kind": "compute#machineType", "name": "c9-standard-4-lssd", "guestCpus": 4, "memoryMb": 16384,
    "maximumPersistentDisks": 32, "isSharedCpu": false, "architecture": "ARM64", "zone": "us-central1-a",
    "bundledLocalSsds": { "defaultInterface": "NVME", "partitionCount": 2 } },
  { "kind": "compute#diskType", "name": "pd-ssd", "validDiskSize": "10GB-65536GB", "zone": "us-central1-a" },
  { "kind": "compute#diskType", "name": "hyperdisk-ml", "validDiskSize": "8GB-65536GB", "zone": "us-central1-a" }
]"#;

fn tried(text: &str) -> Result<Import, String> {
    let file = ImportFile {
        name: "types.json".into(),
        as_of: "2026-11-22".into(),
        region: None,
        listing: read_listing(text).map_err(|error| error.to_string())?,
    };
    merge("mine.toml", "", &[file], false).map_err(|error| error.to_string())
}

fn imported(text: &str) -> Import {
    tried(text).unwrap()
}

#[test]
fn machine_types_are_listed_with_their_regions_and_zones() {
    let import = imported(MACHINES);
    assert_eq!((import.sizes, import.added.as_slice()), (2, &["c9-standard-4-lssd".to_string()][..]));
    assert!(import.changed.is_empty(), "{:?}", import.changed);
    let catalog = Catalog::shipped().with_user("mine.toml", &import.text).unwrap();
    let of = |name: &str| catalog.vm(name, iobound_catalog::Era::current()).unwrap().entry;
    let known = of("n2-standard-8");
    assert_eq!(known.zones_in("us-central1").unwrap(), ["a", "f"]);
    // What the list does not have stays: the limits by type of disk.
    assert!(known.kinds.iter().any(|limits| limits.read.ios == Some(15_000)));
    let new = of("c9-standard-4-lssd");
    assert_eq!((new.vcpus, new.max_data_disks, new.nvme.count), (Some(4), Some(32), Some(2)));
    assert_eq!(new.basics_source, "gcloud compute machine-types list, types.json [2026-11-22]");
}

#[test]
fn disk_types_that_differ_from_the_catalogue_are_told() {
    let import = imported(MACHINES);
    let notes = import.notes.join("\n");
    assert!(
        notes.contains("hyperdisk-ml is sold with 8 to 65536 GiB") && !notes.contains("pd-ssd"),
        "{notes}"
    );
    let broken = MACHINES.replace("10GB-65536GB", "large");
    assert!(tried(&broken).unwrap_err().contains("entry 4: validDiskSize is `large`"));
    let broken = MACHINES.replacen("\"guestCpus\": 8", "\"guestCpus\": 8.5", 1);
    assert!(tried(&broken).unwrap_err().contains("entry 1: guestCpus is `8.5`"));
    let nameless = MACHINES.replace("\"name\": \"pd-ssd\"", "\"id\": 1");
    assert!(tried(&nameless).unwrap_err().contains("entry 4: `name` is missing"));
}

#[test]
fn tables_that_gcloud_prints_without_a_format_are_read() {
    let machines = "NAME              ZONE           CPUS  MEMORY_GB  DEPRECATED\n\
                    n2-standard-8     us-central1-a  8     32.00\n\
                    f1-micro          us-central1-f  1     0.60\n\
                    c9-standard-4     us-central1-b  4     16.00      DEPRECATED\n";
    let import = imported(machines);
    assert_eq!((import.sizes, import.added.as_slice()), (3, &["c9-standard-4".to_string()][..]));
    // 0.60 GB are 614 MiB of 614.4: what the shipped row has.
    assert!(import.changed.is_empty(), "{:?}", import.changed);
    let catalog = Catalog::shipped().with_user("mine.toml", &import.text).unwrap();
    let known = catalog.vm("n2-standard-8", iobound_catalog::Era::current()).unwrap().entry;
    // The table has no number of disks: it stays.
    assert_eq!(
        (known.max_data_disks, known.zones_in("us-central1").unwrap()),
        (Some(128), &["a".to_string()][..])
    );
    let disks = "NAME          ZONE           VALID_DISK_SIZES\n\
                 hyperdisk-ml  us-central1-a  8GB-65536GB\n\
                 pd-ssd                       10GB-65536GB\n";
    let notes = imported(disks).notes.join("\n");
    assert!(
        notes.contains("hyperdisk-ml is sold with 8 to 65536 GiB") && !notes.contains("pd-ssd"),
        "{notes}"
    );
    for (text, expected) in [
        ("NAME  ZONE  CPUS\na     b     many\n", "line 2: CPUS is `many`"),
        ("NAME  ZONE  VALID_DISK_SIZES\na     b     all\n", "line 2: VALID_DISK_SIZES is `all`"),
        ("NAME  ZONE  CPUS  MEMORY_GB\na     b     4     much\n", "MEMORY_GB is `much`"),
    ] {
        let message = tried(text).unwrap_err();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn pages_of_the_rest_api_are_read_with_their_next_pages() {
    let machine =
        |name: &str| format!(r#"{{"kind": "compute#machineType", "name": "{name}", "guestCpus": 4}}"#);
    let page = format!(
        r#"{{"kind": "compute#machineTypeList", "items": [{}], "nextPageToken": "x"}}"#,
        machine("c9-standard-4")
    );
    let listing = read_listing(&page).unwrap();
    assert_eq!((listing.own.len(), listing.more_pages), (1, true));
    let zones = format!(
        r#"{{"items": {{"zones/a": {{"machineTypes": [{}, {}]}}, "zones/b": {{"warning": {{"code": "NO_RESULTS"}}}}}}}}"#,
        machine("c9-standard-4"),
        machine("c9-standard-8")
    );
    assert_eq!(imported(&zones).sizes, 2);
    // An entry of another kind is counted, and one without any is refused.
    let other = format!(r#"[{}, {{"kind": "compute#region", "name": "r"}}]"#, machine("c9-standard-4"));
    assert_eq!(imported(&other).left_out.get("compute#region"), Some(&1));
    let message = tried(&format!(r#"[{}, {{"name": "x"}}]"#, machine("c9-standard-4"))).unwrap_err();
    assert!(message.starts_with("entry 2: the entry is neither"), "{message}");
}
