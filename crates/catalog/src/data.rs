//! The catalogue's own data files; `data/README.md` says what their columns mean and how to add a line.

pub(crate) const SOURCES: &str = include_str!("../data/sources.csv");
pub(crate) const ERAS: &str = include_str!("../data/eras.csv");
pub(crate) const RULES: &str = include_str!("../data/rules.csv");
pub(crate) const DISK_RULES: &str = include_str!("../data/disk_rules.csv");
pub(crate) const AZURE_VM_SIZES: &str = include_str!("../data/azure_vm_sizes.csv");
pub(crate) const AZURE_VM_ERAS: &str = include_str!("../data/azure_vm_eras.csv");
pub(crate) const AZURE_CROSSCHECK: &str = include_str!("../data/azure_crosscheck.csv");
pub(crate) const AZURE_DISKS: &str = include_str!("../data/azure_disks.csv");
pub(crate) const AZURE_VM_PRICES: &str = include_str!("../data/azure_vm_prices.csv");
pub(crate) const AZURE_DISK_PRICES: &str = include_str!("../data/azure_disk_prices.csv");
pub(crate) const AWS_INSTANCES: &str = include_str!("../data/aws_instances.csv");
pub(crate) const AWS_INSTANCE_PRICES: &str = include_str!("../data/aws_instance_prices.csv");
pub(crate) const AWS_VOLUME_PRICES: &str = include_str!("../data/aws_volume_prices.csv");
pub(crate) const GCP_MACHINE_LIMITS: &str = include_str!("../data/gcp_machine_limits.csv");
pub(crate) const REGIONS: &str = include_str!("../data/regions.csv");
pub(crate) const SERIES: &str = include_str!("../data/series.csv");
