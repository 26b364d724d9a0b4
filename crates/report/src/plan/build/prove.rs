//! Proof of a build: the same load, by fio, by DiskSpd, by this program.

use iobound_plan::{Build, disk_specs};

use super::BuiltVolume;
use crate::plan::Planned;

/// A log is written from its start to its end, and costs no more so than at random offsets.
fn is_sequential(volume: &BuiltVolume<'_>) -> bool {
    volume.name == "log"
}

pub(super) fn fio(volume: &BuiltVolume<'_>) -> String {
    let (depth, threads) = volume.outstanding();
    let write = volume.write_percent();
    let access = if is_sequential(volume) { "" } else { "rand" };
    let rw = match write {
        0 => format!("{access}read"),
        100 => format!("{access}write"),
        write => format!("{access}rw --rwmixwrite={write}"),
    };
    format!(
        "fio --name={name} --filename=/{name}/io.dat --size={}G --rw={rw} --bs={} --ioengine=io_uring --direct=1 --iodepth={depth} --numjobs={threads} --group_reporting --time_based --ramp_time=30 --runtime=120\n",
        volume.file_gib(),
        volume.block_kib().to_lowercase(),
        name = volume.name,
    )
}

pub(super) fn diskspd(volume: &BuiltVolume<'_>) -> String {
    let (depth, threads) = volume.outstanding();
    format!(
        "diskspd.exe -b{} {} -w{} -o{depth} -t{threads} -W30 -d120 -Sh -L -c{}G X:\\{}.dat\n",
        volume.block_kib(),
        if is_sequential(volume) { "-si" } else { "-r" },
        volume.write_percent(),
        volume.file_gib(),
        volume.name,
    )
}

pub(super) fn iobound(volume: &BuiltVolume<'_>, vm: &str, planned: &Planned<'_>, build: &Build) -> String {
    let specs = disk_specs(planned.market, build);
    let run = format!(
        "iobound run /{}{} --block {} --read {read} --find-knee\n",
        volume.name,
        if is_sequential(volume) { " --sequential=shared" } else { "" },
        volume.block_word(),
        read = volume.need.shape.read.to_string().replace(' ', ""),
    );
    if specs.len() > 1 {
        // A job in flags runs on every volume.
        return run;
    }
    let hosts = planned.cluster().map_or(String::new(), |hosts| format!(" --hosts {hosts}"));
    let disks: Vec<String> = specs.iter().map(|spec| format!("--disk '{spec}'")).collect();
    format!(
        "iobound predict --vm {vm} {} --stripe {} --block {} --read {} --rate {}iops --arrivals poisson --depth 4096{hosts}\n{run}",
        disks.join(" "),
        planned.plan.each.interleave().to_string().replace(' ', ""),
        volume.block_word(),
        volume.need.shape.read.to_string().replace(' ', ""),
        volume.need.iops.get(),
    )
}
