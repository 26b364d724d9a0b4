//! What can't be bought together, and what each refusal says to do instead.

use iobound_catalog::{Accounts, Catalog, Configuration, parse_spec, resolve};
use iobound_units::Bytes;

fn of(vm: &str, disks: &[&str]) -> Configuration {
    let mut configuration = Configuration::of(vm);
    configuration.volumes = disks.iter().map(|disk| parse_spec(disk).unwrap()).collect();
    configuration
}

fn refused(configuration: &Configuration) -> String {
    match resolve(configuration, &Catalog::shipped()) {
        Ok(_) => panic!("{} with {:?} was taken", configuration.vm, configuration.volumes),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_the_way_out() {
    for (vm, disks, part) in [
        ("DS99", &["P30"][..], "Standard_DS"),
        ("DS14", &["P31"], "P30"),
        ("DS14", &["65xP30"], "its maximum is 64"),
        ("D16d_v5", &["P30"], "Standard_D16ds_v5"),
        ("DS14", &["P50:readonly"], "premium@4095GiB"),
        ("DS14", &["premiumv2@1TiB:readonly"], "no host cache"),
        ("DS14", &["temp:readonly"], "write temp"),
        ("DS14", &["ultra@1TiB"], "+5000iops"),
        ("DS14", &["gp3@100GiB"], "sold by aws"),
        ("m5.large", &["P30"], "gp3@500GiB"),
        ("m5.large", &["gp3@100GiB:readonly"], "no host cache"),
        ("m5.large", &["28xgp3@100GiB"], "its maximum is 27"),
        ("m5.large", &["temp"], "no temporary disk"),
        ("m5.large:nvme", &["gp3@100GiB"], "write --vm m5.large"),
        ("L8s_v3", &["P30:readonly"], "no host cache"),
        ("D160as_v7", &["P30:readonly"], "cached_iops and cached_mbps"),
        ("DC48s_v3", &["P30"], "uncached_iops"),
        ("E192ids_v6", &["P30"], "uncached_mbps is not known"),
        ("DS14", &["log=P30", "log=P20"], "another name"),
        ("DS14", &["P30@2019"], "2018-06"),
        ("DS14", &["premium@1.5GiB"], "2GiB"),
        ("DS14", &["premium@40TiB"], "P80"),
        ("DS14", &[], "--disk P30"),
        ("a2-highgpu-1g", &["P30"], "sold by azure"),
    ] {
        let message = refused(&of(vm, disks));
        assert!(message.contains(part), "{vm} {disks:?}: {message}");
    }
    let mut in_2016 = of("DS2", &["5xP30"]);
    in_2016.era = Some("2016".into());
    assert!(refused(&in_2016).contains("its maximum was 4 in era 2016"));
    for (change, part) in [
        (
            Box::new(|c: &mut Configuration| c.columns = Some(5)) as Box<dyn Fn(&mut Configuration)>,
            "take 1 to 4",
        ),
        (Box::new(|c: &mut Configuration| c.columns = Some(0)), "take 1 to 4"),
        (Box::new(|c: &mut Configuration| c.interleave = Bytes(1_000)), "512"),
        (Box::new(|c: &mut Configuration| c.interleave = Bytes::ZERO), "64KiB"),
        (Box::new(|c: &mut Configuration| c.partition_offset = Bytes(1)), "1MiB"),
        (Box::new(|c: &mut Configuration| c.partition_offset = Bytes(1 << 50)), "4 TiB"),
        (Box::new(|c: &mut Configuration| c.era = Some("1999".into())), "2016"),
        (Box::new(|c: &mut Configuration| c.accounts = Accounts::Shared), "--era 2016"),
        (
            Box::new(|c: &mut Configuration| {
                c.separate = true;
                c.columns = Some(2)
            }),
            "leave one",
        ),
    ] {
        let mut configuration = of("DS14", &["4xP30"]);
        change(&mut configuration);
        let message = refused(&configuration);
        assert!(message.contains(part), "{part}: {message}");
    }
    let mut small = of("DS14", &["P20"]);
    small.on_demand_burst = true;
    assert!(refused(&small).contains("P30 or larger"));
    let mut os = of("DS14", &["P20"]);
    os.os_disk = Some(parse_spec("2xP10").unwrap());
    assert!(refused(&os).contains("one operating-system disk"));
}

/// The lines of a catalogue file that a refusal suggests, with a figure in each gap.
fn suggested(message: &str, figure: &str) -> String {
    let lines = message.lines().map(str::trim).filter(|line| line.starts_with("[[") || line.contains(" = "));
    lines.map(|line| format!("{}\n", line.replace('…', figure))).collect()
}

#[test]
fn the_catalogue_file_that_a_refusal_suggests_mends_it() {
    for (vm, disks) in [
        ("m7gd.xlarge", &["nvme"][..]),
        ("m7gd.16xlarge", &["2xnvme"]),
        ("D160as_v7", &["P30:readonly"]),
        ("DC48s_v3", &["P30"]),
        ("E192ids_v6", &["P30"]),
    ] {
        let configuration = of(vm, disks);
        let message = refused(&configuration);
        let file = suggested(&message, "12345");
        assert!(file.starts_with("[[vm]]"), "{message}");
        let catalog = Catalog::shipped().with_user("mine.toml", &file);
        let catalog = catalog.unwrap_or_else(|error| panic!("{file}: {error}"));
        resolve(&configuration, &catalog).unwrap_or_else(|error| panic!("{vm}: {file}: {error}"));
    }
}
