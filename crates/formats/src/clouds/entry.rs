//! The JSON as it stands: one structure with the keys of all three, so that a wrong type is told with its line.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use super::{AwsType, AzurePrice, AzureSize, Restriction};

/// An entry, or a list of them.
#[derive(Debug)]
pub(super) enum Document {
    /// An entry, or an object that has them in a list.
    One(Box<EntryKeys>),
    /// A list.
    Many(Vec<Document>),
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Document, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Document;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an entry of a listing or a list of them")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Document, A::Error> {
                let mut documents = Vec::new();
                while let Some(document) = list.next_element()? {
                    documents.push(document);
                }
                Ok(Document::Many(documents))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Document, A::Error> {
                let entry = EntryKeys::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Document::One(Box::new(entry)))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// The keys of an entry of any kind.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EntryKeys {
    pub(super) value: Option<Vec<Document>>,
    #[serde(rename = "Items")]
    pub(super) items: Option<Vec<Document>>,
    #[serde(rename = "InstanceTypes")]
    pub(super) instance_types: Option<Vec<Document>>,
    #[serde(rename = "NextPageLink")]
    pub(super) next_page: Option<String>,
    pub(super) next_link: Option<String>,
    #[serde(rename = "NextToken")]
    pub(super) next_token: Option<String>,

    pub(super) resource_type: Option<String>,
    name: Option<String>,
    family: Option<String>,
    locations: Option<Vec<String>>,
    location_info: Option<Vec<LocationInfo>>,
    capabilities: Option<Vec<Capability>>,
    restrictions: Option<Vec<Restricted>>,

    currency_code: Option<String>,
    pub(super) retail_price: Option<f64>,
    tier_minimum_units: Option<f64>,
    arm_region_name: Option<String>,
    effective_start_date: Option<String>,
    meter_name: Option<String>,
    product_name: Option<String>,
    sku_name: Option<String>,
    service_name: Option<String>,
    unit_of_measure: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    is_primary_meter_region: Option<bool>,
    arm_sku_name: Option<String>,

    #[serde(rename = "InstanceType")]
    pub(super) instance_type: Option<String>,
    #[serde(rename = "CurrentGeneration")]
    current_generation: Option<bool>,
    #[serde(rename = "BurstablePerformanceSupported")]
    burstable: Option<bool>,
    #[serde(rename = "SupportedInRegion")]
    in_region: Option<bool>,
    #[serde(rename = "Hypervisor")]
    hypervisor: Option<String>,
    #[serde(rename = "EbsInfo")]
    ebs: Option<EbsInfo>,
    #[serde(rename = "MemoryInfo")]
    memory: Option<MemoryInfo>,
    #[serde(rename = "VCpuInfo")]
    vcpu: Option<VCpuInfo>,
    #[serde(rename = "ProcessorInfo")]
    processor: Option<ProcessorInfo>,
    #[serde(rename = "InstanceStorageInfo")]
    storage: Option<StorageInfo>,
}

#[derive(Debug, Deserialize)]
struct LocationInfo {
    location: Option<String>,
    zones: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Capability {
    name: String,
    value: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Restricted {
    #[serde(rename = "type")]
    kind: Option<String>,
    values: Option<Vec<String>>,
    restriction_info: Option<RestrictionInfo>,
    reason_code: Option<String>,
}

#[derive(Debug, Deserialize)]
struct RestrictionInfo {
    locations: Option<Vec<String>>,
    zones: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EbsInfo {
    ebs_optimized_support: Option<String>,
    ebs_optimized_info: Option<EbsOptimized>,
    nvme_support: Option<String>,
    maximum_ebs_attachments: Option<u64>,
    attachment_limit_type: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct EbsOptimized {
    baseline_bandwidth_in_mbps: Option<u64>,
    maximum_bandwidth_in_mbps: Option<u64>,
    baseline_iops: Option<u64>,
    maximum_iops: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct MemoryInfo {
    #[serde(rename = "SizeInMiB")]
    size: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct VCpuInfo {
    #[serde(rename = "DefaultVCpus")]
    vcpus: Option<u64>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ProcessorInfo {
    supported_architectures: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct StorageInfo {
    #[serde(rename = "TotalSizeInGB")]
    total: Option<u64>,
    #[serde(rename = "Disks")]
    disks: Option<Vec<StorageDisk>>,
}

#[derive(Debug, Deserialize)]
struct StorageDisk {
    #[serde(rename = "Count")]
    count: Option<u64>,
}

/// Names of regions as the command line writes them.
fn plain(region: &str) -> String {
    region.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase()
}

fn plain_all(regions: Vec<String>) -> Vec<String> {
    regions.iter().map(|region| plain(region)).filter(|region| !region.is_empty()).collect()
}

/// A text that has to be there.
fn needed(text: Option<String>, key: &str) -> Result<String, String> {
    match text.map(|text| text.trim().to_string()).filter(|text| !text.is_empty()) {
        Some(text) => Ok(text),
        None => Err(format!("`{key}` is missing")),
    }
}

impl EntryKeys {
    pub(super) fn azure_size(self) -> Result<AzureSize, String> {
        let name = needed(self.name, "name")?;
        let regions = plain_all(self.locations.unwrap_or_default());
        if regions.is_empty() {
            return Err(format!("{name}: `locations` names no region"));
        }
        let mut capabilities = BTreeMap::new();
        for Capability { name, value } in self.capabilities.unwrap_or_default() {
            capabilities.insert(name, value.unwrap_or_default());
        }
        let zones = self.location_info.unwrap_or_default().into_iter().filter_map(|info| {
            let mut zones = info.zones.filter(|zones| !zones.is_empty())?;
            zones.sort();
            Some((plain(&info.location?), zones))
        });
        let zones = zones.collect();
        let restriction = |restricted: Restricted| {
            let info = restricted.restriction_info;
            let (locations, in_zones) = info
                .map_or((None, None), |info| (info.locations, info.zones.filter(|zones| !zones.is_empty())));
            let by_zone = restricted.kind.is_some_and(|kind| kind.eq_ignore_ascii_case("Zone"));
            // `values` has the regions, whatever is restricted.
            let of = locations.or(restricted.values).unwrap_or_default();
            let of = if of.is_empty() { regions.clone() } else { plain_all(of) };
            Restriction {
                regions: of,
                zones: by_zone.then(|| in_zones.unwrap_or_default()),
                reason: restricted.reason_code.unwrap_or_else(|| "no reason given".into()),
            }
        };
        let restrictions = self.restrictions.unwrap_or_default().into_iter().map(restriction).collect();
        Ok(AzureSize { name, family: self.family, regions, capabilities, zones, restrictions })
    }

    pub(super) fn azure_price(self) -> Result<AzurePrice, String> {
        let retail = self.retail_price.unwrap_or_default();
        if retail < 0.0 || !retail.is_finite() {
            return Err(format!("`retailPrice` is {retail}: no price is negative"));
        }
        Ok(AzurePrice {
            currency: needed(self.currency_code, "currencyCode")?,
            retail,
            from_units: self.tier_minimum_units.unwrap_or_default(),
            region: plain(&self.arm_region_name.unwrap_or_default()),
            meter: self.meter_name.unwrap_or_default(),
            product: needed(self.product_name, "productName")?,
            sku: self.sku_name.unwrap_or_default(),
            service: needed(self.service_name, "serviceName")?,
            unit: needed(self.unit_of_measure, "unitOfMeasure")?,
            kind: needed(self.kind, "type")?,
            arm_sku: self.arm_sku_name.unwrap_or_default(),
            since: self.effective_start_date.unwrap_or_default(),
            is_primary: self.is_primary_meter_region.unwrap_or(true),
        })
    }

    pub(super) fn aws_type(self) -> Result<AwsType, String> {
        let name = needed(self.instance_type, "InstanceType")?;
        let ebs = self.ebs.unwrap_or_default();
        let optimized = ebs.ebs_optimized_info.unwrap_or_default();
        let local = self.storage.and_then(|storage| {
            let disks = storage.disks.unwrap_or_default();
            let count = disks.iter().try_fold(0u64, |sum, disk| sum.checked_add(disk.count?))?;
            Some((count, storage.total?))
        });
        Ok(AwsType {
            name,
            vcpus: self.vcpu.and_then(|vcpu| vcpu.vcpus),
            memory_mib: self.memory.and_then(|memory| memory.size),
            architectures: self.processor.and_then(|of| of.supported_architectures).unwrap_or_default(),
            hypervisor: self.hypervisor,
            ebs_optimized: ebs.ebs_optimized_support,
            ebs_nvme: ebs.nvme_support,
            bandwidth_mbit: [optimized.baseline_bandwidth_in_mbps, optimized.maximum_bandwidth_in_mbps],
            iops: [optimized.baseline_iops, optimized.maximum_iops],
            attachments: ebs.maximum_ebs_attachments,
            attachment_limit: ebs.attachment_limit_type,
            local,
            current: self.current_generation,
            burstable: self.burstable,
            in_region: self.in_region,
        })
    }
}
