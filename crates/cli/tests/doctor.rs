//! `doctor`, and bare `explain`, on trees of files that stand for machines.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "it makes trees of files")]

mod common;
mod machines;

use common::{Ran, json, run};
use machines::{Disk, Machine, Service, azure_answer, azure_nvme, ds14, ec2, fresh, laptop};
use serde_json::Value;

fn doctor(machine: &Machine, words: &[&str]) -> Ran {
    let world = machine.shown();
    run(&[&["doctor", "--world", &world], words].concat())
}

/// The rules of the findings, in their order.
fn rules(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|one| one["rule"].as_str().unwrap()).collect()
}

const P30: (&str, u64, &str) = ("Premium_LRS", 1024, "None");
const SYSTEM: (&str, u64, &str) = ("Premium_LRS", 30, "ReadWrite");

fn ds14_service() -> Service {
    Service::azure(&azure_answer("Standard_DS14_v2", SYSTEM, &[P30; 4]))
}

#[test]
fn azures_scsi_disks_and_the_array_on_them_are_told_with_their_limits() {
    let (machine, service) = (ds14(), ds14_service());
    let document = json(&doctor(&machine, &["--metadata", &service.url, "--json"]));
    assert_eq!(document["schema"], "iobound.doctor/1");
    assert_eq!(document["vm"], "Standard_DS14_v2");
    for (name, value) in [("cloud", "azure"), ("region", "westeurope"), ("zone", "2"), ("vcpus", "16")] {
        let fact = &document["machine"][name];
        assert_eq!((&fact["value"], &fact["certainty"]), (&value.into(), &"known".into()), "{name}");
    }
    assert_eq!(document["machine"]["vm"]["source"], service.url);
    let disks = document["disks"].as_array().unwrap();
    let told: Vec<(&str, &str, Option<u64>, &str)> = disks
        .iter()
        .map(|disk| {
            let word = |key: &str| disk[key].as_str().unwrap_or("");
            (word("device"), word("used_for"), disk["lun"].as_u64(), word("disk"))
        })
        .collect();
    assert_eq!(
        told,
        [
            ("sda", "os", None, "P4"),
            ("sdb", "local", None, ""),
            ("sdc", "data", Some(0), "P30"),
            ("sdd", "data", Some(1), "P30"),
            ("sde", "data", Some(2), "P30"),
            ("sdf", "data", Some(3), "P30"),
        ]
    );
    // A P30 has 5,000 IOPS by its type and size, which a raised tier would change unseen.
    assert_eq!((disks[2]["iops"].as_u64(), &disks[2]["figures"]), (Some(5_000), &"assumed".into()));
    let volume = &document["volumes"][0];
    assert_eq!(
        (&volume["name"], &volume["layout"], &volume["columns"]),
        (&"md0".into(), &"striped".into(), &4.into())
    );
    assert_eq!(
        (&volume["interleave_bytes"], &volume["mounts"][0]["point"]),
        (&65_536.into(), &"/data".into())
    );
    // 4 × 5,000 IOPS; the size's uncached limit, of the catalogue: 51,200.
    let limit = |name: &str| {
        let limits = document["limits"].as_array().unwrap();
        limits.iter().find(|limit| limit["name"] == name).unwrap()["published"].as_u64().unwrap()
    };
    assert_eq!((limit("vm.uncached.iops"), limit("disk.throughput") > 800_000_000), (51_200, true));
}

#[test]
fn the_screen_fits_a_hundred_columns_and_says_what_is_assumed() {
    let (machine, service) = (ds14(), ds14_service());
    let ran = doctor(&machine, &["--metadata", &service.url]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    for part in [
        "Standard_DS14_v2",
        "azure westeurope, zone 2",
        "md raid0",
        "4 columns of 64 KiB",
        "raised performance tier",
    ] {
        assert!(ran.out.contains(part), "{part}: {}", ran.out);
    }
}

/// The values of the configuration's options, by name, as a verb reads them.
fn configuration_options(words: &[&str]) -> Vec<(String, Value)> {
    let document = json(&run(&[&["predict", "--show-config", "--json"], words].concat()));
    let settings = document["settings"].as_array().unwrap();
    let of_others = ["config", "json", "seed"];
    settings
        .iter()
        .map(|one| (one["name"].as_str().unwrap().to_string(), one["value"].clone()))
        .filter(|(name, _)| !of_others.contains(&name.as_str()))
        .collect()
}

#[test]
fn a_saved_configuration_keeps_every_option() {
    let machine = laptop();
    let own = fresh("doctor-own-catalog.toml");
    std::fs::write(&own, "[[vm]]\nname = \"Standard_D8s_v3\"\nuncached_iops = 13000\n").unwrap();
    let own = own.to_str().unwrap();
    let file = fresh("doctor-every-option.toml");
    let file = file.to_str().unwrap();
    let cases: [&[&str]; 6] = [
        &[
            "--vm",
            "D8s_v3",
            "--disk",
            "data=2xP30:readonly",
            "--disk",
            "log=P20",
            "--os-disk",
            "P10:readwrite",
        ],
        &[
            "--vm",
            "D8s_v3",
            "--disk",
            "4xP20",
            "--stripe",
            "128KiB",
            "--columns",
            "2",
            "--partition-offset",
            "1MiB",
        ],
        &[
            "--vm",
            "D8s_v3",
            "--disk",
            "P30",
            "--media",
            "read=2.6ms,write=2ms",
            "--at",
            "20min",
            "--published",
        ],
        &[
            "--vm",
            "D8s_v3",
            "--disk",
            "2xP30:readonly",
            "--separate",
            "--cache-state",
            "cold",
            "--catalog",
            own,
        ],
        &["--vm", "DS2", "--disk", "2xS30", "--era", "2016", "--accounts", "shared"],
        &["--vm", "D8s_v3", "--disk", "P40", "--on-demand-burst", "--at", "0"],
    ];
    for words in cases {
        let saved =
            doctor(&machine, &[words, &["--metadata", "off", "--save", file, "--overwrite", file]].concat());
        assert_eq!(saved.code, 0, "{words:?}: {saved:?}");
        let text = std::fs::read_to_string(file).unwrap();
        assert_eq!(configuration_options(&["--config", file]), configuration_options(words), "{text}");
    }
}

#[test]
fn what_is_saved_is_read_by_every_verb_and_never_written_over_unasked() {
    let (machine, service) = (ds14(), ds14_service());
    machine.file("/sys/devices/block/md0/md/chunk_size", "131072");
    let path = fresh("doctor-saved.toml");
    let file = path.to_str().unwrap();
    let saved = doctor(&machine, &["--metadata", &service.url, "--save", file]);
    assert_eq!(saved.code, 0, "{saved:?}");
    let predicted =
        json(&run(&["predict", "--config", file, "--random", "--block", "8KiB", "--depth", "256", "--json"]));
    let configuration = &predicted["configuration"];
    assert_eq!(configuration["vm"], "Standard_DS14_v2");
    assert_eq!(configuration["disks"][0], "md0=4xP30");
    assert_eq!(configuration["stripe_bytes"], 131_072);
    // Four P30 of 5,000 IOPS × 1.02.
    let iops = predicted["ceiling"]["iops"].as_f64().unwrap();
    assert!((iops / 20_400.0 - 1.0).abs() < 0.01, "{iops}");
    let before = std::fs::read_to_string(&path).unwrap();
    assert!(before.contains("# Assumed of sdc: "), "{before}");
    // A job that names no target would run on it too.
    assert!(before.contains("# os-disk = \"Premium_LRS@30GiB:readwrite\""), "{before}");
    let again = doctor(&machine, &["--metadata", &service.url, "--save", file]);
    assert!(again.code == 3 && again.err.contains(&format!("--overwrite {file}")), "{again:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), before);
    let twice = doctor(&machine, &["--metadata", &service.url, "--save", file, "--overwrite", file]);
    assert_eq!(twice.code, 0, "{twice:?}");
    let other = doctor(&machine, &["--metadata", "off", "--overwrite", file]);
    assert!(other.code == 2 && other.err.contains("--save"), "{other:?}");
}

#[test]
fn azures_nvme_read_ahead_is_named_first() {
    // Azure/AKS#5743: Standard_D8as_v7, 65,536 KiB from the size that the NVMe accelerator states.
    for size in ["Standard_D8as_v7", "Standard_D8s_v6"] {
        let machine = azure_nvme();
        let data = [("PremiumV2_LRS", 1024, "None")];
        let service = Service::azure(&azure_answer(size, ("Premium_LRS", 128, "ReadOnly"), &data));
        let document = json(&doctor(&machine, &["--metadata", &service.url, "--json"]));
        assert_eq!(document["vm"], size);
        let first = &document["findings"][0];
        assert_eq!((&first["rule"], &first["confidence"]), (&"read-ahead".into(), &"strong".into()));
        assert!(first["claim"].as_str().unwrap().contains("65,536 KiB"), "{first}");
        assert!(first["evidence"].to_string().contains("optimal I/O size, 32,768 KiB"), "{first}");
        let disk = &document["disks"][1];
        assert_eq!((&disk["lun"], &disk["used_for"]), (&0.into(), &"data".into()));
        // Nothing in the VM says what a Premium SSD v2 was raised to.
        assert_eq!((&disk["figures"], disk["iops"].as_u64()), (&"assumed".into(), Some(3_000)));
        assert!(rules(&document).contains(&"provisioned-default"), "{:?}", rules(&document));
    }
}

#[test]
fn an_instance_is_known_by_its_firmware_and_its_volumes_by_their_serial_numbers() {
    let machine = ec2([0, 0, 0, 4_000_000]);
    for metadata in [Service::ec2("m5.large").url, "off".to_string()] {
        let document = json(&doctor(&machine, &["--metadata", &metadata, "--json"]));
        assert_eq!(document["vm"], "m5.large");
        let region = if metadata == "off" { Value::Null } else { "eu-central-1".into() };
        assert_eq!(document["machine"]["region"]["value"], region);
        let disk = &document["disks"][1];
        assert_eq!(disk["name"], "vol-00000000000000bbb");
        assert_eq!((&disk["type"], &disk["figures"]), (&"gp3".into(), &"assumed".into()));
        assert_eq!(disk["exceeded"]["vm_throughput_us"], 4_000_000);
        // Its baseline is 81.25 MB/s, its maximum 593.75.
        assert!(rules(&document).contains(&"burst-spent-vm"), "{:?}", rules(&document));
    }
}

#[test]
fn a_machine_of_no_cloud_shows_its_disks_and_may_stand_for_another() {
    let machine = laptop();
    let ran = doctor(&machine, &[]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("not a known cloud VM") && ran.out.contains("SAMSUNG"), "{}", ran.out);
    assert!(!ran.out.contains("loop0"), "{}", ran.out);
    let words = ["--vm", "D8s_v3", "--disk", "4xP30:readonly", "--json"];
    let document = json(&doctor(&machine, &words));
    // 4 × 200 MB/s through 128 cached, or 192 without cache.
    let found = rules(&document);
    assert!(found.contains(&"vm-cached-throughput") && found.contains(&"unreachable"), "{found:?}");
    let nothing = doctor(&machine, &["--save", fresh("doctor-nothing.toml").to_str().unwrap()]);
    assert!(nothing.code == 2 && nothing.err.contains("--vm and --disk"), "{nothing:?}");
}

#[test]
fn what_somebody_says_goes_before_what_the_machine_says() {
    let (machine, service) = (
        azure_nvme(),
        Service::azure(&azure_answer(
            "Standard_D8as_v7",
            ("Premium_LRS", 128, "None"),
            &[("PremiumV2_LRS", 1024, "None")],
        )),
    );
    let words = ["--metadata", &service.url, "--disk", "data=premiumv2@1TiB+16000iops+400MB/s", "--json"];
    let document = json(&doctor(&machine, &words));
    let limits = document["limits"].as_array().unwrap();
    assert!(limits.iter().any(|limit| limit["name"] == "disk.iops"), "{limits:?}");
    assert!(!rules(&document).contains(&"provisioned-default"), "{:?}", rules(&document));
    let shown = json(&doctor(&machine, &["--metadata", &service.url, "--show-config", "--json"]));
    let settings = shown["settings"].as_array().unwrap();
    let vm = settings.iter().find(|setting| setting["name"] == "vm").unwrap();
    assert_eq!((&vm["value"], &vm["from"]), (&"Standard_D8as_v7".into(), &"machine".into()));
}

#[test]
fn linear_volumes_odd_partitions_and_missing_barriers_look_wrong() {
    let service = ds14_service();
    let first = |change: fn(&Machine)| {
        let machine = ds14();
        change(&machine);
        let document = json(&doctor(&machine, &["--metadata", &service.url, "--json"]));
        rules(&document)[0].to_string()
    };
    fn linear(machine: &Machine) {
        machine.file("/sys/devices/block/md0/md/level", "linear");
    }
    fn odd(machine: &Machine) {
        // Sector 63, where old tools began.
        machine.partition("sda", "sda1", "8:1", 63);
    }
    fn barrier(machine: &Machine) {
        machine.mounts(&["8:1 / ext4 rw", "9:0 /data ext4 rw,nobarrier"]);
    }
    assert_eq!(first(linear), "linear-volume");
    assert_eq!(first(odd), "stripe-misaligned");
    assert_eq!(first(barrier), "file-system");
}

#[test]
fn a_metadata_service_that_does_not_answer_as_one_is_refused_by_its_name() {
    let machine = ds14();
    let odd = Service::start(&[], None);
    let ran = doctor(&machine, &["--metadata", &odd.url]);
    assert!(ran.code == 2 && ran.err.contains("404") && ran.err.contains(&odd.url), "{ran:?}");
    let html = Service::start(&[("/metadata/instance?api-version=2021-11-01&format=json", "<html>")], None);
    let ran = doctor(&machine, &["--metadata", &html.url]);
    assert!(ran.code == 2 && ran.err.contains("not JSON"), "{ran:?}");
    for url in ["https://169.254.169.254", "169.254.169.254", "http://a/b"] {
        let ran = doctor(&machine, &["--metadata", url]);
        assert!(ran.code == 2 && ran.err.contains("write http://169.254.169.254"), "{ran:?}");
    }
}

/// Bare `explain` with the machine before and after: what was counted in between, in ten seconds.
fn explain(before: &Machine, after: &Machine, words: &[&str]) -> Value {
    let (before, after) = (before.shown(), after.shown());
    let watched = ["explain", "--world", &before, "--world-after", &after, "--json"];
    json(&run(&[&watched, words].concat()))
}

#[test]
fn an_idle_machine_has_nothing_to_explain() {
    let machine = laptop();
    machine.counters(&[("259:0", "nvme0n1", [0; 7])]);
    let document = explain(&machine, &machine, &[]);
    assert_eq!(
        (&document["watched"]["idle"], document["findings"].as_array().unwrap().len()),
        (&true.into(), 0)
    );
    let world = machine.shown();
    let ran = run(&["explain", "--world", &world, "--world-after", &world]);
    assert!(ran.code == 0 && ran.out.contains("there was almost no I/O"), "{ran:?}");
}

#[test]
fn this_machine_is_judged_by_the_limits_that_are_given() {
    let (before, after) = (laptop(), laptop());
    before.counters(&[("259:0", "nvme0n1", [0; 7])]);
    // 5,080 reads a second of 8 KiB, 16 outstanding: a P30 lets 5,100 through.
    after.counters(&[("259:0", "nvme0n1", [50_800, 50_800 * 8_192, 160_000, 0, 0, 0, 160_000])]);
    for map in [&["--map", "nvme0n1=data"][..], &[]] {
        let limits = [&["--vm", "D16s_v5", "--disk", "P30", "--duration", "10s"][..], map].concat();
        let document = explain(&before, &after, &limits);
        assert_eq!(document["findings"][0]["rule"], "disk-iops", "{document}");
        assert_eq!(document["watched"]["disks"][0]["disk"], "data");
    }
}

#[test]
fn a_full_processor_is_named_where_no_limits_are_known() {
    let (before, after) = (laptop(), laptop());
    for machine in [&before, &after] {
        machine.file("/sys/devices/block/nvme0n1/queue/read_ahead_kb", "4096");
    }
    before.counters(&[("259:0", "nvme0n1", [0; 7])]);
    // 9,457 reads a second of 5.6 KiB: nothing is read ahead.
    after.counters(&[("259:0", "nvme0n1", [94_570, 94_570 * 5_734, 90_000, 0, 0, 0, 90_000])]);
    before.cpu(2, 0);
    after.file("/proc/stat", "cpu0 1000 0 0 1000 0 0 0 0 0 0\ncpu1 0 0 0 2000 0 0 0 0 0 0");
    let document = explain(&before, &after, &["--metadata", "off"]);
    assert_eq!(rules(&document)[0], "client-cpu", "{document}");
    assert!(!rules(&document).contains(&"read-ahead"), "{document}");
}

#[test]
fn four_disks_at_their_limit_are_named_with_what_would_move_it() {
    let (before, after, service) = (ds14(), ds14(), ds14_service());
    let members = [("8:32", "sdc"), ("8:48", "sdd"), ("8:64", "sde"), ("8:80", "sdf")];
    let rows = |counts: [u64; 7]| members.map(|(number, name)| (number, name, counts));
    before.counters(&rows([0; 7]));
    // 5,080 reads a second of 8 KiB on each, 16 outstanding: 3.15 ms; 5,100 are let through.
    after.counters(&rows([50_800, 50_800 * 8_192, 160_000, 0, 0, 0, 160_000]));
    let document = explain(&before, &after, &["--metadata", &service.url]);
    let first = &document["findings"][0];
    assert_eq!((&first["rule"], &first["confidence"]), (&"disk-iops".into(), &"strong".into()));
    assert!(!first["predicted_after"].is_null(), "{first}");
    let disk = &document["watched"]["disks"][0];
    assert_eq!((&disk["disk"], disk["iops"].as_f64()), (&"md0.0".into(), Some(5_080.0)));
}

#[test]
fn what_a_volume_counted_of_its_exceeded_limits_is_the_truth() {
    let (before, after) = (ec2([100, 0, 0, 0]), ec2([1_200_100, 0, 0, 0]));
    let rows = |counts: [u64; 7]| [("259:2", "nvme1n1", counts)];
    before.counters(&rows([0; 7]));
    after.counters(&rows([20_000, 20_000 * 4_096, 10_000, 0, 0, 0, 10_000]));
    let document = explain(&before, &after, &["--metadata", "off"]);
    let first = &document["findings"][0];
    assert_eq!((&first["rule"], &first["confidence"]), (&"disk-iops".into(), &"strong".into()));
    let said = format!("{} {}", first["claim"], first["evidence"]);
    assert!(said.contains("exceeded for 1.2 s of the 10.0 s watched"), "{said}");
}

#[test]
fn read_ahead_goes_first_where_large_reads_are_what_is_seen() {
    let (before, after) = (azure_nvme(), azure_nvme());
    let data = [("PremiumV2_LRS", 1024, "None")];
    let service = Service::azure(&azure_answer("Standard_D8as_v7", ("Premium_LRS", 128, "None"), &data));
    let rows = |counts: [u64; 7]| [("259:2", "nvme0n2", counts)];
    before.counters(&rows([0; 7]));
    // 122 MB/s in reads of 512 KiB: the disk's 125 MB/s are full.
    after.counters(&rows([2_330, 2_330 * 524_288, 90_000, 0, 0, 0, 90_000]));
    let document = explain(&before, &after, &["--metadata", &service.url]);
    assert_eq!(rules(&document)[0], "read-ahead", "{:?}", rules(&document));
    // With a few small reads it is only something that stands there.
    after.counters(&rows([25_000, 25_000 * 4_096, 30_000, 0, 0, 0, 30_000]));
    let document = explain(&before, &after, &["--metadata", &service.url]);
    assert_ne!(rules(&document)[0], "read-ahead", "{:?}", rules(&document));
}

#[test]
fn options_of_watching_are_refused_where_nothing_is_watched() {
    let ran = run(&["explain", "--vm", "DS14", "--disk", "P30", "--observed", "iops=5", "--duration", "5s"]);
    assert!(ran.code == 2 && ran.err.contains("--duration"), "{ran:?}");
    let ran = run(&["explain", "--duration", "1ms", "--metadata", "off"]);
    assert!(ran.code == 2 && ran.err.contains("1s or more"), "{ran:?}");
}
/// A machine whose devices and firmware say nothing of a cloud, as in a container.
#[test]
fn what_only_the_metadata_knows_is_a_configuration_all_the_same() {
    let machine = Machine::new(4);
    let answer = azure_answer("Standard_D8s_v3", SYSTEM, &[("Premium_LRS", 1024, "ReadOnly"), P30]);
    let service = Service::azure(&answer);
    let document = json(&doctor(&machine, &["--metadata", &service.url, "--json"]));
    assert_eq!(document["machine"]["cloud"]["source"], service.url);
    let disks = document["disks"].as_array().unwrap();
    let told: Vec<(bool, Option<u64>, &str)> = disks
        .iter()
        .map(|disk| (disk["device"].is_null(), disk["lun"].as_u64(), disk["configured_as"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [(true, None, "os"), (true, Some(0), "lun0"), (true, Some(1), "lun1")]);
    let path = fresh("doctor-metadata.toml");
    let file = path.to_str().unwrap();
    assert_eq!(doctor(&machine, &["--metadata", &service.url, "--save", file]).code, 0);
    let predicted = json(&run(&["predict", "--config", file, "--random", "--block", "8KiB", "--json"]));
    let configuration = &predicted["configuration"];
    assert_eq!(configuration["disks"].to_string(), r#"["lun0=P30:readonly","lun1=P30"]"#);
}

#[test]
fn a_vm_whose_disks_are_not_known_has_its_own_limits() {
    let machine = Machine::new(2);
    let service = Service::ec2("m5.large");
    let document = json(&doctor(&machine, &["--metadata", &service.url, "--json"]));
    assert_eq!(document["vm"], "m5.large");
    let first = &document["limits"][0];
    assert_eq!((&first["name"], &first["published"]), (&"vm.ebs.iops".into(), &3_600.into()));
    assert!(first["enforced"].is_null());
}

#[test]
fn lvm_is_told_by_its_table_and_without_one_by_what_its_queue_states() {
    let service = ds14_service();
    let layout = |table: Option<&str>, hints: (&str, &str)| {
        let machine = ds14();
        machine.unbuild("md0");
        let values = [
            ("dm/name", "vg-data"),
            ("dm/uuid", "LVM-abc"),
            ("queue/minimum_io_size", hints.0),
            ("queue/optimal_io_size", hints.1),
        ];
        machine.disk(&Disk { name: "dm-0", number: "252:0", gib: 4096, values: &values });
        machine.build_on("dm-0", &["sdc", "sdd", "sde", "sdf"]);
        machine.mounts(&["8:1 / ext4 rw", "252:0 /data xfs rw"]);
        if let Some(table) = table {
            machine.file("/dev/mapper/vg-data.table", table);
        }
        let document = json(&doctor(&machine, &["--metadata", &service.url, "--json"]));
        let volume = document["volumes"].as_array().unwrap().iter().find(|one| one["name"] == "vg-data");
        let first = rules(&document).first().map(|rule| rule.to_string());
        (volume.unwrap()["layout"].as_str().unwrap().to_string(), first.unwrap_or_default())
    };
    let linear = "0 100 linear 8:32 2048\n100 100 linear 8:48 2048\n";
    assert_eq!(layout(Some(linear), ("4096", "0")), ("linear".to_string(), "linear-volume".to_string()));
    let two = "0 100 striped 2 128 8:32 0 8:48 0\n100 100 striped 2 128 8:64 0 8:80 0\n";
    assert_eq!(layout(Some(two), ("65536", "131072")), ("striped".to_string(), "fewer-columns".to_string()));
    assert_eq!(layout(None, ("65536", "262144")), ("striped".to_string(), String::new()));
    assert_eq!(layout(None, ("4096", "0")), ("unknown".to_string(), String::new()));
}

#[test]
fn googles_disks_have_the_figures_of_their_type_and_size() {
    let machine = Machine::new(4);
    machine.firmware(&[("product_name", "Google Compute Engine")]);
    machine.disk(&Disk { name: "sdb", number: "8:16", gib: 500, values: &[] });
    machine.file("/dev/sdb", "");
    machine.file("/dev/disk/by-id/x", "");
    std::os::unix::fs::symlink("../../sdb", machine.path().join("dev/disk/by-id/google-data")).unwrap();
    let root = "/computeMetadata/v1/instance";
    let service = Service::start(
        &[
            (&format!("{root}/machine-type"), "projects/1/machineTypes/n2-standard-8"),
            (&format!("{root}/zone"), "projects/1/zones/us-central1-a"),
            (
                &format!("{root}/disks/?recursive=true"),
                r#"[{"deviceName": "data", "index": 1, "interface": "SCSI", "type": "PERSISTENT-SSD"}]"#,
            ),
        ],
        Some("Metadata-Flavor: Google"),
    );
    let document = json(&doctor(&machine, &["--metadata", &service.url, "--json"]));
    assert_eq!(document["machine"]["vm"]["value"], "n2-standard-8");
    assert_eq!(document["machine"]["region"]["value"], "us-central1");
    let disk = &document["disks"][0];
    assert_eq!(
        (&disk["name"], &disk["used_for"], &disk["figures"]),
        (&"data".into(), &"data".into(), &"assumed".into())
    );
    // 6,000 + 30 x 500 IOPS of the disk, 15,000 of the machine.
    let limits = document["limits"].to_string();
    assert!(limits.contains("21000") && limits.contains("15000"), "{limits}");
}

#[test]
fn help_has_examples_and_hides_what_is_for_tests() {
    for verb in ["doctor", "explain"] {
        let help = run(&[verb, "--help"]);
        assert!(help.code == 0 && help.out.contains("--metadata"), "{}", help.out);
        assert!(help.out.lines().filter(|line| line.starts_with(&format!("  iobound {verb}"))).count() >= 5);
        assert!(!help.out.contains("--world"), "{}", help.out);
    }
}
