//! The request of `watch`, and its values.

use iobound_report::Setting;
use iobound_units::{Span, parse_span};

use super::RecordedRate;
use crate::doctor::{Configured, SeenMachine, configured, look, metadata_of, overwrite_of, world_of};
use crate::options::{ConfigurationOptions, MachineOptions, options};
use crate::settings::{SettingValue, Settings};
use crate::{Common, Env, Failure};

options! {
    /// Devices to watch, the duration, and the recording.
    pub struct RecordOptions {
        /// Time to watch [default: until Ctrl-C]
        duration: Option<String> = Form::One, "TIME";
        /// Length of an interval [default: 1s]
        interval: Option<String> = Form::One, "TIME";
        /// File for the application's workload; predict, plan and run read it with --workload
        record: Option<String> = Form::One, "FILE";
        /// File for every request of DEVICE, as a trace: predict, plan and run read it with --trace
        trace: Option<String> = Form::One, "FILE";
        /// Disk whose requests --trace records: sdc or /dev/sdc; repeat for more
        devices: Vec<String> = Form::MaybeWords, "DEVICE";
        /// Rate of the recorded workload, over all intervals: mean, p50, p95, p99, max [default: p95]
        record_rate: Option<String> = Form::One, "RATE";
        /// Let --record overwrite this existing file; give the same name to both
        overwrite: Vec<String> = Form::Many, "FILE";
        /// Disk of the configuration for a device, if the machine does not tell: sdc=data.0; repeat for more
        map: Vec<String> = Form::Many, "DEVICE=DISK";
    }
}

options! {
    /// Asks for this machine's disk activity, interval by interval, against the limits.
    pub struct WatchRequest {
    }
    own: RecordOptions;
    machine: MachineOptions;
    configuration: ConfigurationOptions;
}

/// A request that has been read, with the machine before it is watched.
pub struct PreparedWatch {
    pub(super) machine: MachineOptions,
    /// Until the request is stopped where it is not said.
    pub(super) duration: Option<Span>,
    pub(super) interval: Span,
    pub(super) record: Option<SettingValue>,
    /// File of a trace, and the devices that are recorded in it.
    pub(super) trace: Option<(String, Vec<String>)>,
    pub(super) overwrite: Vec<SettingValue>,
    pub(super) rate: RecordedRate,
    /// The device that is which disk.
    pub(super) maps: Vec<SettingValue>,
    pub(super) seen: SeenMachine,
    pub(super) configured: Configured,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The counters are of milliseconds, and processors count in ticks: less says nothing.
const LEAST: Span = Span::from_ms(100);

impl PreparedWatch {
    /// Reads a request, and looks at the machine.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be read or built, or the metadata service does not answer.
    pub fn read(request: &WatchRequest, common: &Common, env: &Env) -> Result<PreparedWatch, Failure> {
        let own = &request.own;
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let metadata = metadata_of(&request.machine, &mut settings)?;
        let duration =
            settings.parse("duration", own.duration.as_deref(), None, |text| positive(text, Span::ZERO))?;
        let interval =
            settings.parse("interval", own.interval.as_deref(), Some("1s"), |text| positive(text, LEAST))?;
        let record = settings.text("record", own.record.as_deref(), None);
        let rate = settings.parse("record-rate", own.record_rate.as_deref(), Some("p95"), |text| {
            RecordedRate::parse(text)
                .ok_or_else(|| format!("`{text}` is not known: write mean, p50, p95, p99 or max"))
        })?;
        if let (None, Some(given)) = (&record, settings.given("record-rate")) {
            return Err(given.refuse("nothing is recorded").help("add --record app.toml, or leave it out"));
        }
        let trace = match (&own.trace, own.devices.first()) {
            (None, Some(device)) => {
                return Err(Failure::input(format!(
                    "{device}: watch shows all devices, and only --trace records some"
                ))
                .help(format!("add --trace app.trace, or leave {device} out")));
            }
            (None, None) => None,
            (Some(path), _) => Some((path.clone(), own.devices.clone())),
        };
        let overwrite = overwrite_of("--record", record.as_ref(), &own.overwrite, &mut settings)?;
        common.refuse_seed()?;
        let maps = settings.texts("map", &own.map);
        let seen = look(&world_of(&request.machine), &metadata)?;
        let configured = configured(&seen, &request.configuration, &mut settings)?;
        let settings = settings.finish();
        Ok(PreparedWatch {
            machine: request.machine.clone(),
            duration,
            interval: interval.unwrap_or(Span::from_secs(1)),
            record,
            trace,
            overwrite,
            rate: rate.unwrap_or(RecordedRate::P95),
            maps,
            seen,
            configured,
            settings,
        })
    }
}

fn positive(text: &str, least: Span) -> Result<Span, String> {
    let span = parse_span(text).map_err(|error| error.to_string())?;
    if span.is_zero() || span < least {
        return Err(format!(
            "`{text}` is too short for counters in milliseconds: write 100ms or more, such as 1s"
        ));
    }
    Ok(span)
}
