use clap::{Args, Subcommand};
use iobound_app::catalog::{
    CatalogOptions, DisksRequest, EntryRequest, ImportRequest, OverviewRequest, PreparedCatalog,
    PricesRequest, VmsRequest,
};
use iobound_app::settings::Settings;
use iobound_app::{Exit, Failure};
use iobound_report::import_text;

use crate::arguments::{CommonArgs, Shared, Typed};
use crate::import::import;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound catalog                                            # what there is, and how old it is
  iobound catalog vms --premium --min-iops 50000 --vcpus 8-32
  iobound catalog disks --type premium --era 2016
  iobound catalog prices --region westeurope --name D8
  iobound catalog show DS14 --era 2016                       # every figure, its source and its date
  iobound catalog show gp3 --json
  iobound catalog presets                                    # workloads of real systems

Figures of your own, from what the clouds' own tools print:
  az vm list-skus --location westeurope --resource-type virtualMachines --all -o json > skus.json
  curl -G https://prices.azure.com/api/retail/prices -d \"currencyCode='USD'\" \\
    --data-urlencode \"\\$filter=armRegionName eq 'westeurope'\" > prices-1.json   (then each NextPageLink)
  aws ec2 describe-instance-types --region us-east-1 --output json > types.json
  ... and then: iobound catalog import skus.json prices-*.json types.json --into mine.toml";

/// What can be bought, what its limits are, and who says so.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CatalogArgs {
    #[command(flatten)]
    catalog: Shared<CatalogOptions>,
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// VM sizes and their limits
    Vms(Typed<VmsRequest>),
    /// Disks and their limits
    Disks(Typed<DisksRequest>),
    /// What VM sizes and disks cost
    Prices(Typed<PricesRequest>),
    /// Workloads of real systems, for --preset
    Presets,
    /// What az, the Azure Retail Prices API or aws printed, merged into a catalogue file of your own
    Import(Typed<ImportRequest>),
    /// One VM size, disk, disk type or preset: every figure with its source and date
    Show(Typed<EntryRequest>),
}

/// Looks up, and shows.
pub(crate) fn run(args: &CatalogArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let options: &CatalogOptions = &args.catalog.0;
    if let Some(What::Import(request)) = &args.what {
        if common.show_config {
            let settings = Settings::load(&env, common.config.as_deref())?;
            return output::settings(&settings.finish().0, &[], common);
        }
        let answer = import(request, options, &common.common(), &env)?;
        return output::page(common, |style| import_text(&answer, style), || answer.clone());
    }
    let prepared = PreparedCatalog::read(options, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, &[], common);
    }
    prepared.check()?;
    let answer = match &args.what {
        None => prepared.overview(&OverviewRequest::default()),
        Some(What::Vms(request)) => prepared.vms(request),
        Some(What::Disks(request)) => prepared.disks(request),
        Some(What::Prices(request)) => prepared.prices(request),
        Some(What::Presets) => prepared.presets(&OverviewRequest::default()),
        Some(What::Show(request)) => prepared.show(request),
        // Answered above: it has no catalogue but the file that it makes.
        Some(What::Import(_)) => unreachable!("imports are answered before a catalogue is read"),
    }?;
    match answer.document().filter(|_| common.json) {
        Some(document) => output::data(&document.text()),
        None => output::write(&answer.text(output::style(common))),
    }
}
