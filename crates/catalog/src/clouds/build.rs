//! A VM and its disks, to be made with a cloud's own tools, and what the scripts of all clouds have in common.

use crate::clouds::names::{DiskType, Redundancy};
use crate::price_row::Os;

/// A VM with volumes.
#[derive(Clone, Copy, Debug)]
pub struct BuildPlan<'a> {
    /// The VM size, with its disk interface where it has two: `Standard_E16bds_v5:NVMe`.
    pub vm: &'a str,
    /// Region of the build.
    pub region: &'a str,
    /// True if the region has availability zones.
    pub has_zones: bool,
    /// The zones of the region where the size can be had; `None` is unknown.
    pub zones: Option<&'a [String]>,
    /// The operating system.
    pub os: Os,
    /// Number of datacentres that hold the disks.
    pub redundancy: Redundancy,
    /// The volumes.
    pub volumes: &'a [VolumeDisks<'a>],
    /// Number of local disks that are ordered with the VM.
    pub ordered_local: u64,
}

/// The equal disks of a volume.
#[derive(Clone, Copy, Debug)]
pub struct VolumeDisks<'a> {
    /// The volume's name.
    pub name: &'static str,
    /// The kind of disk.
    pub disk: DiskType,
    /// Their number.
    pub count: u64,
    /// The first of them among all disks of the VM.
    pub first: u64,
    /// GiB of each.
    pub gib: u64,
    /// Provisioned IOPS of each, where they are chosen.
    pub ios: Option<u64>,
    /// Provisioned throughput of each in the kind's megabytes a second, where it is chosen.
    pub megabytes: Option<u64>,
    /// Their performance setting: `performance-plus`, the tier that is set, or nothing.
    pub setting: &'a str,
    /// True if they have a read cache.
    pub cached: bool,
}

impl VolumeDisks<'_> {
    /// The last of them among all disks of the VM.
    pub fn last(&self) -> u64 {
        self.first + self.count - 1
    }
}

/// Local disks of a VM.
#[derive(Clone, Copy, Debug)]
pub struct LocalDisks {
    /// True if they are NVMe disks beside the temporary disk.
    pub is_nvme: bool,
    /// Their number.
    pub count: u64,
    /// Number of the VM's local disks before the first of them, which other volumes use.
    pub before: u64,
}

impl LocalDisks {
    /// A shell filter that picks their names from a list of all local disks.
    pub(crate) fn filter(self) -> String {
        let skip = if self.before > 0 { format!("tail -n +{} | ", self.before + 1) } else { String::new() };
        format!("{skip}head -n {}", self.count)
    }

    /// The physical disks of a Windows guest with such names, as `$d`.
    pub(crate) fn windows(self, is_one: &str) -> String {
        format!(
            "$d = Get-PhysicalDisk -CanPool $true | Where-Object {{ $_.FriendlyName {is_one} }} | Sort-Object {{ [int]$_.DeviceId }} | Select-Object -Skip {} -First {}\n",
            self.before, self.count
        )
    }
}

/// Commands to copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The tool that they are for: `az`, `terraform`, `mdadm`.
    pub name: &'static str,
    /// The commands.
    pub text: String,
}

/// A line of a shell script that ends it with a message where a variable is not set: scripts do not wait for typing.
pub(crate) fn required(variable: &str, what: &str) -> String {
    format!(": \"${{{variable}:?set {variable} to {what}}}\"\n")
}

/// A resource of Terraform, its arguments aligned.
pub(crate) fn resource(kind: &str, name: &str, lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(key, _)| key.len()).max().unwrap_or(0);
    let lines: String = lines.iter().map(|(key, value)| format!("  {key:<width$} = {value}\n")).collect();
    format!("resource \"{kind}\" \"{name}\" {{\n{lines}}}\n")
}
