//! Disks that are there already.

use iobound_catalog::{CacheSetting, DiskType, VolumeRequest, What};

use crate::build::Volume;
use crate::market::Market;
use crate::offer::{Fit, Law, Provision};

impl Market {
    /// The disks of a `--disk`, as a volume of this market.
    ///
    /// # Errors
    /// Returns an error if a disk is not sold here or has no known price.
    pub fn kept(&self, request: &VolumeRequest) -> Result<Volume, String> {
        let count = u64::from(request.count);
        if request.redundancy != self.redundancy {
            let word = request.redundancy.name().to_ascii_lowercase();
            return Err(format!(
                "`{}` is {}: add --redundancy {word}",
                request.text,
                request.redundancy.name()
            ));
        }
        let fail =
            || format!("`{}`: the catalogue has no such disk with a price in this region", request.text);
        let (offer, fit) = match &request.what {
            What::Tier { name, .. } => {
                let wanted = format!("{name}{}", request.setting.suffix());
                self.tier(count, |tier, _, _| tier.eq_ignore_ascii_case(&wanted))
            }
            What::TierFor { disk, size, .. } => {
                let gib = size.get().div_ceil(1 << 30);
                // Tiers of a type stand by size: the first that holds it is what the size is sold as.
                let suffix = request.setting.suffix();
                let has_setting = |tier: &str| tier.find('+').map_or("", |at| &tier[at..]) == suffix;
                self.tier(count, |tier, of, largest| of == *disk && largest >= gib && has_setting(tier))
            }
            What::Sized { disk, size, iops, throughput, .. } => {
                let figures = [iops.map_or(0, |i| i.get()), throughput.map_or(0, |t| t.get())];
                match self.provision_of(*disk) {
                    Some((index, provision)) => {
                        let size = provision.bounds.size_or_default(*disk, &request.text, *size);
                        let gib = size.map_err(|error| error.to_string())?.get() >> 30;
                        let [ios, bytes] = figures;
                        provision.at_least(count, [gib, ios, bytes]).map(|fit| (index, fit))
                    }
                    None => None,
                }
            }
            What::Temp | What::Nvme => {
                return Err(format!("`{}` comes with the VM, and loses its data with it", request.text));
            }
        }
        .ok_or_else(fail)?;
        let cached = match request.cache {
            CacheSetting::None => false,
            CacheSetting::ReadOnly => true,
            CacheSetting::ReadWrite => {
                return Err(format!(
                    "`{}`: a host failure loses unwritten data of a ReadWrite cache, and its sustained rate is no higher: write readonly or none",
                    request.text
                ));
            }
        };
        Ok(Volume { offer, disk: self.offers[offer].disk, fit, cached })
    }

    fn tier(&self, count: u64, is: impl Fn(&str, DiskType, u64) -> bool) -> Option<(usize, Fit)> {
        let mut tiers: Vec<(u64, usize, Fit)> = Vec::new();
        for (index, offer) in self.offers.iter().enumerate() {
            let Law::Tier { name, gib, ios, bytes, price, .. } = &offer.law else { continue };
            if is(name, offer.disk, *gib) {
                let price = price.saturating_mul(count);
                tiers.push((*gib, index, Fit { count, gib: *gib, ios: *ios, bytes: *bytes, price }));
            }
        }
        tiers.into_iter().min_by_key(|(gib, index, _)| (*gib, *index)).map(|(_, index, fit)| (index, fit))
    }

    fn provision_of(&self, disk: DiskType) -> Option<(usize, &Provision)> {
        let index = self.offers.iter().position(|offer| offer.disk == disk)?;
        let Law::Provisioned(provision) = &self.offers[index].law else { return None };
        Some((index, provision))
    }
}
