//! Options about what may be bought.

use super::options;

options! {
    /// Conditions on candidates and prices.
    pub struct TermsOptions in "Terms" {
        /// Region, one for each cloud [default: westeurope, us-east-1, us-central1]
        region: Option<String> = Form::One, "REGION,...",
            on "Terms" PageField::offers("Regions", "regions", "one for each cloud");
        /// Clouds: azure, aws, gcp [default: azure, or the region's]
        cloud: Option<String> = Form::One, "CLOUD,...",
            on "Terms" PageField::text("short", "Clouds", "azure", "azure,aws");
        /// Operating system whose licence the price includes [default: linux]
        os: Option<String> = Form::One, "linux|windows",
            on "Terms" PageField::choice("Licence", &[("", "Linux"), ("windows", "Windows")], "in the price");
        /// Processor architecture [default: x64]
        arch: Option<String> = Form::One, "x64|arm64|any",
            on "Terms" PageField::choice("Processors", &[("", "x64"), ("arm64", "Arm"), ("any", "any")], "of the VM");
        /// Include sizes that have a later generation
        include_old: Option<String> = TOGGLE, "true|false";
        /// Include sizes whose processors run on credits
        include_burstable: Option<String> = TOGGLE, "true|false";
        /// Include GPU, HPC and confidential sizes
        include_special: Option<String> = TOGGLE, "true|false";
        /// Count on disk and VM bursts, which last minutes
        burst: bool = Form::Switch;
        /// Range of usable vCPUs: 8, 8-16, 8-, -16
        vcpus: Option<String> = Form::One, "MIN-MAX",
            on "Terms" PageField::text("short", "vCPUs", "8-16", "range");
        /// Range of memory: 64GiB-, 64GiB-128GiB
        memory: Option<String> = Form::One, "MIN-MAX",
            on "Terms" PageField::text("short", "Memory", "64GiB-", "range");
        /// Highest price in US dollars a month
        max_price: Option<String> = Form::One, "USD",
            on "Terms" PageField::text("short", "At most", "", "USD a month");
        /// Disk types to consider: {disk types}; premium+performance-plus: only disks with that setting
        disk_types: Option<String> = Form::One, "TYPE,...";
        /// VM size to keep: find the disks for it
        keep_vm: Option<String> = Form::One, "NAME";
        /// Data disks to keep: find the VM for them
        keep_disks: Option<String> = Form::One, "SPEC";
        /// Redundancy of the disks: lrs (one datacentre) or zrs (three zones; not for every type) [default: lrs]
        redundancy: Option<String> = Form::One, "lrs|zrs";
        /// Value of having one disk less, in US dollars a month; it affects the choice, not the prices [default: 1]
        per_disk: Option<String> = Form::One, "USD";
        /// Order of candidates: price, or size (fewest vCPUs, least memory) [default: price, or size if no price is known]
        rank: Option<String> = Form::One, "price|size";
        /// Do not use a host cache
        no_host_cache: Option<String> = TOGGLE, "true|false";
    }
}
