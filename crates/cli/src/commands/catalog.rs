use clap::{Args, Subcommand};
use iobound_app::catalog::{
    AuditRequest, CatalogOptions, DisksRequest, EntryRequest, ImportRequest, OverviewRequest,
    PreparedCatalog, PricesRequest, VmsRequest,
};
use iobound_app::settings::Settings;
use iobound_app::{Exit, Failure};
use iobound_report::import_text;

use crate::arguments::{CommonArgs, Shared, Typed};
use crate::output;
use iobound_app::import::import;

const EXAMPLES: &str = "\
Examples:
  iobound catalog                                            # an overview with dates
  iobound catalog vms --premium --min-iops 50000 --vcpus 8-32
  iobound catalog disks --type premium --era 2016
  iobound catalog prices --region westeurope --name D8
  iobound catalog show DS14 --era 2016                       # every figure, its source and its date
  iobound catalog show gp3 --json
  iobound catalog audit --cloud azure --only unknown         # figures that no source gives
  iobound catalog presets                                    # workloads of real systems

To import your own figures from the clouds' own tools:
  az vm list-skus --location westeurope --resource-type virtualMachines --all -o json > skus.json
  curl -G https://prices.azure.com/api/retail/prices -d \"currencyCode='USD'\" \\
    --data-urlencode \"\\$filter=armRegionName eq 'westeurope'\" > prices-1.json
  # Repeat curl for each NextPageLink of the answer: prices-2.json, ...
  aws ec2 describe-instance-types --region us-east-1 --output json > types.json
  iobound catalog import skus.json prices-*.json types.json --into mine.toml";

/// List VM sizes, disks and presets, with limits, prices and sources.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CatalogArgs {
    #[command(flatten)]
    catalog: Shared<CatalogOptions>,
    #[command(subcommand)]
    what: Option<CatalogVerb>,
}

#[derive(Debug, Subcommand)]
enum CatalogVerb {
    /// List VM sizes and their limits
    Vms(Typed<VmsRequest>),
    /// List disks and their limits
    Disks(Typed<DisksRequest>),
    /// List prices of VM sizes and disks
    Prices(Typed<PricesRequest>),
    /// List figures that are unknown, old or contradictory
    Audit(Typed<AuditRequest>),
    /// List workloads of real systems, for --preset
    Presets,
    /// Merge listings of az, the Azure Retail Prices API or aws into your own catalogue file
    Import(Typed<ImportRequest>),
    /// Show one VM size, disk, disk type or preset: every figure with its source and date
    Show(Typed<EntryRequest>),
}

/// Looks up, and shows.
pub(crate) fn run(args: &CatalogArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let options: &CatalogOptions = &args.catalog.0;
    if let Some(CatalogVerb::Import(request)) = &args.what {
        if common.show_config {
            let settings = Settings::load(&env, common.config.as_deref())?;
            return output::settings(&settings.used(), common);
        }
        let answer = import(request, options, &common.common(), &env)?;
        return output::page(common, |style| import_text(&answer, style), || answer.clone());
    }
    let prepared = PreparedCatalog::read(options, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    prepared.check()?;
    let answer = match &args.what {
        None => prepared.overview(&OverviewRequest::default()),
        Some(CatalogVerb::Vms(request)) => prepared.vms(request),
        Some(CatalogVerb::Disks(request)) => prepared.disks(request),
        Some(CatalogVerb::Prices(request)) => prepared.prices(request),
        Some(CatalogVerb::Audit(request)) => prepared.audit(request),
        Some(CatalogVerb::Presets) => prepared.presets(&OverviewRequest::default()),
        Some(CatalogVerb::Show(request)) => prepared.show(request),
        // Answered above: it has no catalogue but the file that it makes.
        Some(CatalogVerb::Import(_)) => unreachable!("imports are answered before a catalogue is read"),
    }?;
    match answer.document().filter(|_| common.json) {
        Some(document) => output::data(&document.text()),
        None => output::write(&answer.text(output::style(common))),
    }
}
