//! Proof of a build: the need's I/Os at its rate, by fio, by DiskSpd, by this program. Data and log run together, as in the plan.

use iobound_catalog::Os;
use iobound_plan::{Build, disk_specs, workload_of};
use iobound_units::{Bytes, Span};
use iobound_workload::Workload;

use super::BuiltVolume;
use super::guest::letter;
use crate::plan::Planned;

/// Time before anything is counted, and while it is, in seconds.
const SECONDS: [u64; 2] = [30, 120];

/// A log is written from its start to its end, and costs no more so than at random offsets.
fn is_sequential(volume: &BuiltVolume<'_>) -> bool {
    volume.name == "log"
}

/// One run with a job for each volume.
pub(super) fn fio(volumes: &[BuiltVolume<'_>]) -> String {
    let jobs: Vec<String> =
        volumes.iter().enumerate().map(|(place, volume)| job(volume, place > 0)).collect();
    format!("fio {}\n", jobs.join(" "))
}

fn job(volume: &BuiltVolume<'_>, is_later: bool) -> String {
    let (depth, threads) = volume.outstanding();
    let write = volume.write_percent();
    let access = if is_sequential(volume) { "" } else { "rand" };
    let iops = volume.need.iops.get();
    let writes = iops.saturating_mul(u64::from(write)).div_ceil(100);
    let each = |iops: u64| iops.div_ceil(threads).max(1);
    let (rw, rate) = match write {
        0 => (format!("{access}read"), each(iops).to_string()),
        100 => (format!("{access}write"), each(iops).to_string()),
        write => {
            (format!("{access}rw --rwmixwrite={write}"), format!("{},{}", each(iops - writes), each(writes)))
        }
    };
    let [ramp, time] = SECONDS;
    format!(
        "--name={name} --filename=/{name}/io.dat --size={}G --rw={rw} --bs={} --ioengine=io_uring --direct=1 --iodepth={depth} --numjobs={threads} --rate_iops={rate} --rate_process=poisson{} --group_reporting --time_based --ramp_time={ramp} --runtime={time}",
        volume.file_gib(),
        volume.block_kib().to_lowercase(),
        if is_later { " --new_group" } else { "" },
        name = volume.name,
    )
}

/// A line for each volume: one run has one kind of I/O.
pub(super) fn diskspd(volumes: &[BuiltVolume<'_>]) -> String {
    let together = match volumes.len() {
        1 => "",
        _ => "# at the same time, each in a window of its own\n",
    };
    let lines: String = volumes.iter().map(line).collect();
    format!("{together}{lines}")
}

fn line(volume: &BuiltVolume<'_>) -> String {
    let (depth, threads) = volume.outstanding();
    let [warmup, time] = SECONDS;
    format!(
        "diskspd.exe -b{} {} -w{} -o{depth} -t{threads} -g{}i -W{warmup} -d{time} -Sh -L -c{}G {}:\\{}.dat\n",
        volume.block_kib(),
        if is_sequential(volume) { "-si" } else { "-r" },
        volume.write_percent(),
        volume.need.iops.get().div_ceil(threads),
        volume.file_gib(),
        letter(volume.name),
        volume.name,
    )
}

/// The need as a file of jobs: predicted for the build, and run on it.
pub(super) fn iobound(volumes: &[BuiltVolume<'_>], vm: &str, planned: &Planned<'_>, build: &Build) -> String {
    let jobs = workload(volumes, planned).to_toml();
    let (file, separator) = match planned.os {
        Os::Linux => (format!("cat > need.toml <<'END'\n{}\nEND\n", jobs.trim_end()), "/"),
        Os::Windows => (format!("@'\n{}\n'@ | Set-Content need.toml\n", jobs.trim_end()), "\\"),
    };
    let hosts = planned.cluster().map_or(String::new(), |hosts| format!(" --hosts {hosts}"));
    let specs = disk_specs(planned.market, build);
    let disks: Vec<String> = specs.iter().map(|spec| format!("--disk '{spec}'")).collect();
    let targets: Vec<String> = volumes
        .iter()
        .map(|volume| match planned.os {
            Os::Linux => format!("{name}={separator}{name}", name = volume.name),
            Os::Windows => format!("{}={}:{separator}", volume.name, letter(volume.name)),
        })
        .collect();
    format!(
        "{file}iobound predict --vm {vm} {} --stripe {} --workload need.toml{hosts}\niobound run {} --workload need.toml\n",
        disks.join(" "),
        planned.plan.each.interleave().to_string().replace(' ', ""),
        targets.join(" "),
    )
}

/// The jobs that the plan simulated, on files of the size that the other tools use.
fn workload(volumes: &[BuiltVolume<'_>], planned: &Planned<'_>) -> Workload {
    let mut workload = workload_of(&planned.plan.each, true);
    workload.jobs.retain(|job| volumes.iter().any(|volume| volume.name == job.name));
    for (job, volume) in workload.jobs.iter_mut().zip(volumes) {
        job.region.size = Some(Bytes::gib(volume.file_gib()));
    }
    let [warmup, time] = SECONDS.map(Span::from_secs);
    (workload.warmup, workload.duration) = (warmup, time);
    workload
}
