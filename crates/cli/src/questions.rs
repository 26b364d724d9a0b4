//! What bare `iobound` says: what can be asked, each with a line that can be run.

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// The questions by verb, in the order in which people have them.
const QUESTIONS: [(&str, &str); 6] = [
    (
        "What will this VM with these disks deliver, and what bounds it?",
        "iobound predict --vm DS14 --disk 10xP30 --random --block 8KiB --read 70% --depth 64",
    ),
    (
        "What do I really get here? Without --dry-run, a file of its own is made and read.",
        "iobound run . --dry-run",
    ),
    (
        "How does my application feel there? The disks as block devices, until Ctrl-C.",
        "iobound emulate --vm DS14 --disk 10xP30 --nbd unix:iobound.sock",
    ),
    ("What happens when one thing changes? Without a file, the published experiments.", "iobound lab"),
    (
        "What should I buy, and why not something cheaper?",
        "iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB",
    ),
    (
        "Why do I get this and not more? Here: ten seconds of the machine's own counters, no load.",
        "iobound explain",
    ),
];

/// What is asked beside them: what there is.
const BESIDE: [(&str, &str); 2] = [
    ("what this machine is, what limits it, and what already looks wrong", "iobound doctor"),
    (
        "what can be bought, what its limits are, and who says so",
        "iobound catalog vms --premium --min-iops 50000",
    ),
];

/// How workloads are written.
const WORKLOADS: [(&str, &str); 5] = [
    ("in flags", "iobound predict --vm DS14 --disk 10xP30 --sequential=shared --threads 4 --depth 8"),
    (
        "in DiskSpd's words",
        "iobound predict --vm DS14 --disk 10xP30 --diskspd '-b4K -d60 -h -o8 -t4 -si -c50000M'",
    ),
    (
        "in fio's",
        "iobound predict --vm DS14 --disk 10xP30 --fio 'fio --name=a --rw=randread --bs=4k --size=10g --iodepth=32 --ioengine=libaio --direct=1'",
    ),
    ("in Iometer's", "iobound predict --vm DS14 --disk 10xP30 --iometer 4096,100,67,100,0,1,0,0"),
    ("of a real system", "iobound predict --vm DS14 --disk 10xP30 --preset sqlserver-oltp"),
];

/// Prints them. Flags without a verb ask nothing.
pub(crate) fn show(common: &CommonArgs) -> Result<Exit, Failure> {
    let CommonArgs { json, seed, config, show_config, wide: _, no_color: _, ascii: _, to: _ } = common;
    if *json || *show_config || seed.is_some() || config.is_some() {
        return Err(Failure::input("there is no verb")
            .mend("name one, such as iobound predict; iobound --help lists them"));
    }
    let mut text = String::from("iobound finds what bounds a cloud VM's disk I/O.\n");
    for (question, line) in QUESTIONS {
        text.push_str(&format!("\n{question}\n  {line}\n"));
    }
    text.push_str("\nBeside them,\n");
    for (what, line) in BESIDE {
        text.push_str(&format!("{what}:\n  {line}\n"));
    }
    text.push_str("\nA workload can be written\n");
    for (how, line) in WORKLOADS {
        text.push_str(&format!("{how}:\n  {line}\n"));
    }
    text.push_str("\n`iobound predict --help` has all flags and more examples.\n");
    output::write(&text)
}
