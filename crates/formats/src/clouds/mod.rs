//! Self-description of clouds, as their own tools print it: `az vm list-skus` (the Resource SKUs API), pages of the Azure
//! Retail Prices API and `aws ec2 describe-instance-types`. Read as records with the sellers' own names and units; what they
//! mean for a catalogue is the catalogue's to say.
//!
//! Sources: <https://learn.microsoft.com/rest/api/compute/resource-skus/list>,
//! <https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices>,
//! <https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html>.

mod entry;

use std::collections::BTreeMap;
use std::fmt;

use entry::{Document, EntryKeys};

/// Entries of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// VM sizes of Azure: one for each region that an entry is of.
    pub azure_sizes: Vec<AzureSize>,
    /// Prices of Azure.
    pub azure_prices: Vec<AzurePrice>,
    /// Instance types of AWS.
    pub aws_types: Vec<AwsType>,
    /// Entries that a reader of the caller's own found: the place, and the cells by their names.
    pub own: Vec<(String, BTreeMap<String, String>)>,
    /// Entries of other kinds, by what they are: `disks`, `availabilitySets`.
    pub others: BTreeMap<String, u64>,
    /// True if a page names a next one that is not here.
    pub more_pages: bool,
}

/// A VM size as `az vm list-skus` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AzureSize {
    /// `Standard_D8s_v5`.
    pub name: String,
    /// `standardDSv5Family`.
    pub family: Option<String>,
    /// Regions that list it, in lower case.
    pub regions: Vec<String>,
    /// Capabilities, by name; all values are texts there.
    pub capabilities: BTreeMap<String, String>,
    /// The availability zones of each region, where any are named.
    pub zones: BTreeMap<String, Vec<String>>,
    /// Restrictions.
    pub restrictions: Vec<Restriction>,
}

/// Region or zone that does not sell a size, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The regions.
    pub regions: Vec<String>,
    /// Only these zones of them; `None`: the whole of them.
    pub zones: Option<Vec<String>>,
    /// `NotAvailableForSubscription`, `QuotaId`.
    pub reason: String,
}

/// An item of the Azure Retail Prices API.
#[derive(Clone, Debug, PartialEq)]
pub struct AzurePrice {
    /// `USD`.
    pub currency: String,
    /// Cost of one unit.
    pub retail: f64,
    /// Units from which on it holds.
    pub from_units: f64,
    /// `westeurope`.
    pub region: String,
    /// `P30 LRS Disk`, `D14/DS14 Spot`.
    pub meter: String,
    /// `Premium SSD Managed Disks`, `Virtual Machines D Series Windows`.
    pub product: String,
    /// `P30 LRS`, `D14 Spot`.
    pub sku: String,
    /// `Virtual Machines`, `Storage`.
    pub service: String,
    /// `1 Hour`, `1/Month`.
    pub unit: String,
    /// `Consumption`, `Reservation`, `DevTestConsumption`.
    pub kind: String,
    /// `Standard_D14`; of disks no name of use.
    pub arm_sku: String,
    /// Since when, as printed.
    pub since: String,
    /// True if its region's meter is the primary one.
    pub is_primary: bool,
}

/// An instance type as `aws ec2 describe-instance-types` has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AwsType {
    /// `m5.large`.
    pub name: String,
    /// Virtual CPUs.
    pub vcpus: Option<u64>,
    /// Memory, in MiB.
    pub memory_mib: Option<u64>,
    /// `x86_64`, `arm64`, `i386`.
    pub architectures: Vec<String>,
    /// `nitro`, `xen`; none on metal.
    pub hypervisor: Option<String>,
    /// `default`, `supported`, `unsupported`.
    pub ebs_optimized: Option<String>,
    /// `required`, `supported`, `unsupported`.
    pub ebs_nvme: Option<String>,
    /// Mbit/s: what it keeps, and the most for 30 minutes.
    pub bandwidth_mbit: [Option<u64>; 2],
    /// IOPS of 16 KiB: what it keeps, and the most for 30 minutes.
    pub iops: [Option<u64>; 2],
    /// EBS volumes that can be attached, the root volume among them.
    pub attachments: Option<u64>,
    /// `shared`: network interfaces and local disks take places too; `dedicated`.
    pub attachment_limit: Option<String>,
    /// Local disks: how many, and GB of all of them.
    pub local: Option<(u64, u64)>,
    /// True if the vendor sells it as current.
    pub current: Option<bool>,
    /// True if its processors run on credits.
    pub burstable: Option<bool>,
    /// True if it is sold in the region that was asked, where that is said.
    pub in_region: Option<bool>,
}

/// Text that is no such listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListingError {
    /// Place: `line 3, column 14`, `entry 12`; empty if it is the whole text.
    pub place: String,
    /// The text, and the problem with it.
    pub what: String,
}

impl fmt::Display for ListingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.as_str() {
            "" => f.write_str(&self.what),
            place => write!(f, "{place}: {}", self.what),
        }
    }
}

impl std::error::Error for ListingError {}

/// Accepted input, for messages.
const EXPECTED: &str = "give the output of `az vm list-skus --output json`, the Azure Retail Prices API, `aws ec2 describe-instance-types`, or `gcloud compute machine-types list --format=json`";

/// Reads JSON of any of them; several documents may follow each other, as pages that were saved one after the other.
///
/// # Errors
/// Returns an error if the text is not JSON, an entry is unknown, or a figure has another type.
pub fn read(text: &str) -> Result<Listing, ListingError> {
    let mut listing = Listing::default();
    let mut documents = 0;
    let mut entries = 0;
    for document in serde_json::Deserializer::from_str(text).into_iter::<Document>() {
        let document = document.map_err(|error| not_read(&error))?;
        documents += 1;
        listing.take(document, &mut entries)?;
    }
    if documents == 0 {
        return Err(ListingError { place: String::new(), what: format!("the file is empty: {EXPECTED}") });
    }
    if entries == 0 {
        return Err(ListingError {
            place: String::new(),
            what: "the list is empty: query without the filter".into(),
        });
    }
    Ok(listing)
}

/// The error of a listing that is not JSON, or whose keys have another type.
pub fn not_read(error: &serde_json::Error) -> ListingError {
    // The message ends with the place, which is said in front here.
    let message = error.to_string();
    let what = message.rsplit_once(" at line ").map_or(message.as_str(), |(what, _)| what);
    let place = format!("line {}, column {}", error.line(), error.column());
    if error.is_data() {
        return ListingError { place, what: what.to_string() };
    }
    ListingError { place, what: format!("the file is not JSON: {what}; {EXPECTED}") }
}

impl Listing {
    fn take(&mut self, document: Document, entries: &mut u64) -> Result<(), ListingError> {
        match document {
            Document::Many(documents) => {
                documents.into_iter().try_for_each(|document| self.take(document, entries))
            }
            Document::One(entry) => self.take_entry(*entry, entries),
        }
    }

    fn take_entry(&mut self, mut entry: EntryKeys, entries: &mut u64) -> Result<(), ListingError> {
        let inner = [entry.value.take(), entry.items.take(), entry.instance_types.take()];
        if inner.iter().any(Option::is_some) {
            self.more_pages |= [&entry.next_page, &entry.next_link, &entry.next_token]
                .into_iter()
                .flatten()
                .any(|link| !link.is_empty());
            for document in inner.into_iter().flatten().flatten() {
                self.take(document, entries)?;
            }
            return Ok(());
        }
        *entries += 1;
        let at = |what: String| ListingError { place: format!("entry {entries}"), what };
        if let Some(kind) = entry.resource_type.clone() {
            if kind.eq_ignore_ascii_case("virtualMachines") {
                self.azure_sizes.push(entry.azure_size().map_err(at)?);
            } else {
                *self.others.entry(kind).or_default() += 1;
            }
        } else if entry.retail_price.is_some() {
            self.azure_prices.push(entry.azure_price().map_err(at)?);
        } else if entry.instance_type.is_some() {
            self.aws_types.push(entry.aws_type().map_err(at)?);
        } else {
            let what = "the file has neither `resourceType`, `retailPrice` nor `InstanceType`";
            return Err(at(format!("{what}: {EXPECTED}")));
        }
        Ok(())
    }
}
