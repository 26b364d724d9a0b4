use iobound_formats::trace::{TimeUnit, TraceOutput};
use iobound_trace::{CutRange, MergeClock, Scale};
use iobound_units::{Ppm, parse_span};

use super::open::{OpenTrace, TraceMap, open_trace, recorded_times};
use crate::options::{PageOptions, options};
use crate::{Env, Failure};

options! {
    /// Options of reading a trace.
    pub struct ReadOptions in "Trace" {
        /// Unit of the file's times, if the format's own is wrong: s, ms, us, 100ns, ns
        time_unit: Option<String> = Form::One, "UNIT";
        /// New name for one device, or for all devices of a file. Devices with the same name are merged. Repeat for more
        map: Vec<String> = Form::Many, "FILE|DEVICE=NAME";
    }
}

options! {
    /// The files of a trace.
    pub struct FileOptions {
        /// Trace files; several are merged by time. `-` is standard input. A base name stands for blktrace's files of all processors: sda for sda.blktrace.0 and so on
        files: Vec<String> = Form::Words, "FILE";
    }
}

options! {
    /// Options of writing a trace.
    pub struct WriteOptions in "Output" {
        /// File to write; it must not exist. `-` is standard output
        out: Option<String> = Form::One, "FILE";
        /// Format to write: iobound, fio, msr, alibaba, tencent [default: iobound]
        to: Option<String> = Form::One, "FORMAT";
    }
}

options! {
    /// Asks for the figures of a trace.
    pub struct InfoRequest {
    }
    files: FileOptions;
    read: ReadOptions;
    page: PageOptions;
}

options! {
    /// Asks for the closest statistical workload of a trace.
    pub struct FitRequest {
    }
    files: FileOptions;
    read: ReadOptions;
}

options! {
    /// The part of a trace that is kept.
    pub struct RangeOptions {
        /// Start of the part to keep, as time after the first I/O
        from: Option<String> = Form::One, "TIME";
        /// End of the part to keep, as time after the first I/O
        until: Option<String> = Form::One, "TIME";
        /// Keep only this device; repeat for more
        device: Vec<String> = Form::Many, "NAME";
    }
}

options! {
    /// Asks for a part of a trace.
    pub struct CutRequest {
    }
    files: FileOptions;
    range: RangeOptions;
    read: ReadOptions;
    write: WriteOptions;
}

options! {
    /// Changes of a trace's times and places.
    pub struct FactorOptions {
        /// Factor on the speed: 2 halves all times [default: 1]
        speed: Option<String> = Form::One, "FACTOR";
        /// Factor on all offsets, which are rounded down to 4 KiB [default: 1]
        offsets: Option<String> = Form::One, "FACTOR";
    }
}

options! {
    /// Asks for a trace on another clock or on devices of another size.
    pub struct ScaleRequest {
    }
    files: FileOptions;
    factors: FactorOptions;
    read: ReadOptions;
    write: WriteOptions;
}

options! {
    /// The clock of merged traces.
    pub struct ClockOptions {
        /// Start every file at time zero, instead of at its recorded time
        from_zero: bool = Form::Switch, "", not with "same-clock";
        /// Keep recorded times that are more than a year apart. Without it or --from-zero, files that begin so far apart are refused: they may have different clocks
        same_clock: bool = Form::Switch;
    }
}

options! {
    /// Asks for several traces as one.
    pub struct MergeRequest {
    }
    files: FileOptions;
    clock: ClockOptions;
    read: ReadOptions;
    write: WriteOptions;
}

options! {
    /// Asks for a trace in another format.
    pub struct ConvertRequest {
    }
    files: FileOptions;
    read: ReadOptions;
    write: WriteOptions;
}

/// A change of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// The part that is kept.
    pub cut: Option<CutRange>,
    /// Its times and places.
    pub scale: Option<Scale>,
}

impl ReadOptions {
    /// Opens files as these options say.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn open(&self, env: &Env, files: &FileOptions) -> Result<OpenTrace, Failure> {
        self.open_on(env, files, None, &WriteOptions::default())
    }

    /// Opens files on a clock; `None`: on the recorded one. `write` is repeated in advice.
    fn open_on(
        &self,
        env: &Env,
        files: &FileOptions,
        clock: Option<MergeClock>,
        write: &WriteOptions,
    ) -> Result<OpenTrace, Failure> {
        let unit = unit_of(self.time_unit.as_deref())?;
        let maps = TraceMap::parse_all(&self.map)?;
        let clock = clock.unwrap_or_else(|| recorded_times(&files.files, &maps, unit, &write.words()));
        open_trace(env, &files.files, unit, &maps, clock)
    }
}

/// Reads `--time-unit`.
///
/// # Errors
/// Returns an error if the word is not a known unit.
pub(crate) fn unit_of(text: Option<&str>) -> Result<Option<TimeUnit>, Failure> {
    text.map(|text| TimeUnit::parse(text).map_err(|why| Failure::input(format!("--time-unit: {why}"))))
        .transpose()
}

impl WriteOptions {
    /// These options as words of a command line, with a name of a file where none is given.
    pub(crate) fn words(&self) -> Vec<String> {
        let out = self.out.clone().unwrap_or_else(|| "both.trace".into());
        let to = self.to.iter().flat_map(|to| ["--to".into(), to.clone()]);
        ["--out".into(), out].into_iter().chain(to).collect()
    }

    /// The file and the format.
    ///
    /// # Errors
    /// Returns an error if no file is given or the format is unknown.
    pub(super) fn read(&self) -> Result<(&str, TraceOutput), Failure> {
        let Some(file) = self.out.as_deref() else {
            return Err(Failure::input("no file to write is given").help("add --out FILE"));
        };
        let word = self.to.as_deref().unwrap_or("iobound");
        let format = TraceOutput::ALL.into_iter().find(|format| format.word() == word);
        let known = || TraceOutput::ALL.map(TraceOutput::word).join(", ");
        let format = format.ok_or_else(|| {
            Failure::input(format!("--to {word}: the format is unknown"))
                .help(format!("write one of {}", known()))
        })?;
        Ok((file, format))
    }
}

impl CutRequest {
    /// The change that is asked for.
    ///
    /// # Errors
    /// Returns an error if a time cannot be read or nothing is to be cut.
    pub fn edit(&self) -> Result<Edit, Failure> {
        let range = &self.range;
        let time = |name: &str, text: Option<&str>| {
            text.map(|text| parse_span(text).map_err(|error| Failure::input(format!("--{name}: {error}"))))
                .transpose()
        };
        let (from, to) = (time("from", range.from.as_deref())?, time("until", range.until.as_deref())?);
        if from.is_none() && to.is_none() && range.device.is_empty() {
            return Err(Failure::input("no part to keep is given")
                .help("add --from TIME, --until TIME or --device NAME; `trace convert` copies all of it"));
        }
        let from = from.unwrap_or_default();
        if to.is_some_and(|to| to <= from) {
            let (from, to) =
                (range.from.as_deref().unwrap_or("0s"), range.until.as_deref().unwrap_or_default());
            return Err(Failure::input(format!("--until {to}: it is not after --from {from}"))
                .help("give a later --until; both count from the first I/O"));
        }
        Ok(Edit { cut: Some(CutRange { from, to, devices: range.device.clone() }), ..Edit::default() })
    }
}

/// A factor from 0.000001 to 4,000, in millionths.
///
/// # Errors
/// Returns an error if the text is not such a factor; it says what to write.
pub(crate) fn factor_of(name: &str, text: &str) -> Result<Ppm, Failure> {
    let bad = || {
        Failure::input(format!(
            "--{name} {text}: not a factor from 0.000001 to 4,000, written with at most six decimals"
        ))
        .help(format!("write --{name} 2, or --{name} 0.5"))
    };
    let digits = text.strip_suffix('x').unwrap_or(text);
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 4 || rest.len() > 6 || !all_digits(whole) || !all_digits(rest) {
        return Err(bad());
    }
    let whole: u32 = whole.parse().map_err(|_| bad())?;
    let rest: u32 = format!("{rest:0<6}").parse().map_err(|_| bad())?;
    if whole > 4_000 || (whole == 4_000 && rest > 0) || (whole == 0 && rest == 0) {
        return Err(bad());
    }
    Ok(Ppm(whole * 1_000_000 + rest))
}

impl ScaleRequest {
    /// The change that is asked for.
    ///
    /// # Errors
    /// Returns an error if a factor is not valid or missing.
    pub fn edit(&self) -> Result<Edit, Failure> {
        let FactorOptions { speed, offsets } = &self.factors;
        if speed.is_none() && offsets.is_none() {
            return Err(Failure::input("no factor is given").help("add --speed 2 or --offsets 0.5"));
        }
        let factor =
            |name, text: &Option<String>| text.as_deref().map_or(Ok(Ppm::ONE), |text| factor_of(name, text));
        let scale = Scale { speed: factor("speed", speed)?, offsets: factor("offsets", offsets)? };
        Ok(Edit { scale: Some(scale), ..Edit::default() })
    }
}

impl MergeRequest {
    /// Opens the files on the clock that is asked for.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read, or both clocks are asked for; it names the value and the fix.
    pub fn open(&self, env: &Env) -> Result<OpenTrace, Failure> {
        let clock = match (self.clock.from_zero, self.clock.same_clock) {
            (true, true) => {
                return Err(Failure::input("--from-zero and --same-clock exclude each other")
                    .help("leave one of the two out"));
            }
            (true, false) => Some(MergeClock::FromZero),
            (false, true) => Some(MergeClock::Same),
            (false, false) => None,
        };
        self.read.open_on(env, &self.files, clock, &self.write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_is_above_zero() {
        assert_eq!(factor_of("speed", "2").unwrap(), Ppm(2_000_000));
        assert_eq!(factor_of("speed", "0.5x").unwrap(), Ppm(500_000));
        assert_eq!(factor_of("speed", "4000").unwrap(), Ppm(4_000_000_000));
        for text in ["0", "0.0", "", "x", "-1", "1e3", "4000.1", "1.0000001", ".5"] {
            assert!(factor_of("speed", text).is_err(), "{text}");
        }
    }
}
