use iobound_catalog::{Catalog, CatalogError, Cloud, DiskType, Era, Source};
use iobound_documents::{CatalogDocument, CatalogOverview, DiskTypePart, EraPart, SizesCount, Version};

use crate::limit::grouped;
use crate::page::{Page, Style};

/// Totals of the catalogue.
#[derive(Clone, Debug)]
pub struct Overview {
    clouds: Vec<(Cloud, Counted)>,
    tiers: usize,
    types: Vec<DiskTypePart>,
    regions: Vec<String>,
    sources: Vec<Source>,
}

/// VM sizes of a cloud, those whose limits are known, and tiers of disks.
type Counted = [usize; 3];

impl Overview {
    /// Counts.
    ///
    /// # Errors
    /// Returns an error if a row of the user's catalogue cannot be read.
    pub fn of(catalog: &Catalog) -> Result<Overview, CatalogError> {
        let sizes = catalog.vms()?;
        let tiers = catalog.tiers()?;
        let count = |cloud: Cloud| {
            let of_cloud = || sizes.iter().filter(|vm| vm.cloud == cloud);
            let known = of_cloud().filter(|vm| vm.uncached.known()).count();
            let of_tier = tiers.iter().filter(|tier| tier.disk.cloud() == cloud).count();
            [of_cloud().count(), known, of_tier]
        };
        let mut keys: Vec<String> = sizes.iter().map(|vm| vm.basics_source.clone()).collect();
        keys.extend(sizes.iter().filter_map(|vm| vm.limits_source.clone()));
        keys.extend(tiers.iter().map(|tier| tier.source.clone()));
        keys.extend(catalog.rules().map(|rule| rule.source.clone()));
        for cloud in Cloud::ALL {
            keys.extend((cloud.rules().machine_limits)("")?.into_iter().map(|limit| limit.source));
        }
        keys.extend(Era::list().map(|era| era.facts().source.clone()));
        keys.sort();
        keys.dedup();
        Ok(Overview {
            clouds: Cloud::ALL.into_iter().map(|cloud| (cloud, count(cloud))).collect(),
            tiers: tiers.len(),
            types: DiskType::ALL.iter().map(|disk| type_part(catalog, *disk)).collect::<Result<_, _>>()?,
            regions: catalog.regions(),
            sources: keys.iter().map(|key| Source::of(key)).collect(),
        })
    }

    /// The newest date of any figure.
    fn newest(&self) -> Option<&str> {
        self.sources.iter().filter_map(|source| source.as_of.as_deref()).max()
    }

    /// Sources that state no date.
    fn undated(&self) -> usize {
        self.sources.iter().filter(|source| source.as_of.is_none()).count()
    }

    /// The page.
    pub fn text(&self, style: Style) -> String {
        let mut page = Page::new(style);
        for (cloud, counted) in &self.clouds {
            let [all, known, tiers] = *counted;
            let tiers = if tiers > 0 { format!("; {tiers} disk tiers of all eras") } else { String::new() };
            let (all, known) = (grouped(all as u64), grouped(known as u64));
            let said = format!("{all} sizes, the limits of {known} known{tiers}");
            page.labelled(cloud.rules().title, &said);
        }
        let provisioned = self.types.iter().filter(|of| of.example.is_some()).count();
        page.labelled("disks", &format!("in tiers, and {provisioned} types by size or provisioned"));
        let eras: Vec<String> =
            Era::list().map(|era| format!("{}: {}", era.name(), era.facts().what)).collect();
        page.list("eras", &eras);
        page.labelled("prices", &format!("of {} regions: {}", self.regions.len(), self.regions.join(", ")));
        let newest = self.newest().unwrap_or("unknown");
        page.labelled(
            "sources",
            &format!(
                "{} of figures, the newest of {newest}; {} state no date",
                self.sources.len(),
                self.undated()
            ),
        );
        if page.is_wide() {
            let sources: Vec<String> = self.sources.iter().map(source_text).collect();
            page.list("", &sources);
        }
        page.gap();
        page.labelled("next", "iobound catalog vms --premium --min-iops 50000");
        page.labelled("", "iobound catalog disks");
        page.labelled("", "iobound catalog prices --region westeurope");
        page.labelled("", "iobound catalog vms --cloud gcp");
        page.labelled("", "iobound catalog show P30");
        page.labelled("", "iobound catalog presets");
        page.text()
    }

    /// The document.
    ///
    /// # Panics
    /// A cloud has no key in the document.
    pub fn document(&self) -> CatalogDocument {
        let eras = Era::list().map(|era| EraPart {
            name: era.name().to_string(),
            what: era.facts().what.to_string(),
            source: era.facts().source.to_string(),
        });
        let mut overview = CatalogOverview {
            schema: Version::default(),
            kind: "overview".to_string(),
            azure: SizesCount::default(),
            aws: SizesCount::default(),
            gcp: SizesCount::default(),
            disk_tiers: self.tiers as u64,
            disk_types: self.types.clone(),
            eras: eras.collect(),
            regions: self.regions.clone(),
            as_of: self.newest().map(str::to_string),
            sources_without_date: self.undated() as u64,
            sources: self.sources.iter().map(super::entry::source_part).collect(),
        };
        for (cloud, counted) in &self.clouds {
            match (cloud.name(), *counted) {
                ("azure", sizes) => overview.azure = sizes_count(sizes),
                ("aws", sizes) => overview.aws = sizes_count(sizes),
                ("gcp", sizes) => overview.gcp = sizes_count(sizes),
                (name, _) => panic!("CatalogOverview has no key of this kind for {name}"),
            }
        }
        CatalogDocument::Overview(Box::new(overview))
    }
}

fn type_part(catalog: &Catalog, disk: DiskType) -> Result<DiskTypePart, CatalogError> {
    Ok(DiskTypePart {
        name: disk.word().to_string(),
        title: disk.title().to_string(),
        cloud: disk.cloud().name().to_string(),
        example: catalog.example_of(disk)?,
    })
}

fn sizes_count([all, known, _]: [usize; 3]) -> SizesCount {
    SizesCount { vm_sizes: all as u64, limits_known: known as u64 }
}

/// Date of the figures of a source, as far as it states one.
pub(super) fn date_text(source: &Source) -> &str {
    source.as_of.as_deref().unwrap_or("date not stated")
}

/// `key [2024-08]: title`.
pub(super) fn source_text(source: &Source) -> String {
    format!("{} [{}]: {}", source.key, date_text(source), source.title)
}
