use iobound_catalog::{Catalog, CatalogError, Cloud, DiskType, Era, Source};
use serde_json::{Value, json};

use crate::document::Document;
use crate::limit::grouped;
use crate::page::{Page, Style};

/// What the catalogue has in all.
#[derive(Clone, Debug)]
pub struct Overview {
    azure: [usize; 2],
    aws: [usize; 2],
    gcp: usize,
    tiers: usize,
    provisioned: usize,
    regions: Vec<String>,
    sources: Vec<Source>,
}

impl Overview {
    /// Counts.
    ///
    /// # Errors
    /// A row of the user's own that can't be read.
    pub fn of(catalog: &Catalog) -> Result<Overview, CatalogError> {
        let sizes = catalog.vms()?;
        let count = |cloud: Cloud| {
            let of_cloud = || sizes.iter().filter(|vm| vm.cloud == cloud);
            [of_cloud().count(), of_cloud().filter(|vm| vm.uncached.known()).count()]
        };
        let tiers = catalog.tiers()?;
        let machines = catalog.gcp_limits()?;
        let mut keys: Vec<String> = sizes.iter().map(|vm| vm.basics_source.clone()).collect();
        keys.extend(sizes.iter().filter_map(|vm| vm.limits_source.clone()));
        keys.extend(tiers.iter().map(|tier| tier.source.clone()));
        keys.extend(catalog.rules().map(|rule| rule.source.clone()));
        keys.extend(machines.iter().map(|limit| limit.source.clone()));
        keys.extend(Era::list().map(|era| era.facts().source.clone()));
        keys.sort();
        keys.dedup();
        Ok(Overview {
            azure: count(Cloud::Azure),
            aws: count(Cloud::Aws),
            gcp: machines.len(),
            tiers: tiers.len(),
            provisioned: DiskType::ALL.iter().filter(|disk| !disk.has_tiers()).count(),
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
        let known = |[all, known]: [usize; 2]| {
            format!("{} sizes, the limits of {} known", grouped(all as u64), grouped(known as u64))
        };
        page.labelled("Azure", &format!("{}; {} disk tiers of all eras", known(self.azure), self.tiers));
        page.labelled("AWS", &known(self.aws));
        page.labelled("Google", &format!("{} machines, listed and not modelled", self.gcp));
        page.labelled("disks", &format!("in tiers, and {} types by size or provisioned", self.provisioned));
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
    pub fn json(&self) -> Document {
        let cloud = |[all, known]: [usize; 2]| json!({ "vm_sizes": all, "limits_known": known });
        let eras: Vec<Value> = Era::list()
            .map(|era| json!({ "name": era.name(), "what": era.facts().what, "source": era.facts().source }))
            .collect();
        let sources: Vec<Value> = self.sources.iter().map(super::entry::source_json).collect();
        Document::new("iobound.catalog/1")
            .with("kind", "overview")
            .with("azure", cloud(self.azure))
            .with("aws", cloud(self.aws))
            .with("gcp", json!({ "machines": self.gcp }))
            .with("disk_tiers", self.tiers)
            .with("eras", eras)
            .with("regions", self.regions.clone())
            .with("as_of", self.newest())
            .with("sources_without_date", self.undated())
            .with("sources", sources)
    }
}

/// When the figures of a source held, as far as it says.
pub(super) fn date_text(source: &Source) -> &str {
    source.as_of.as_deref().unwrap_or("date not stated")
}

/// `key [2024-08]: title`.
pub(super) fn source_text(source: &Source) -> String {
    format!("{} [{}]: {}", source.key, date_text(source), source.title)
}
