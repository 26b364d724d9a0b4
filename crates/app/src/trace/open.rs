//! Trace files: opened, decompressed, recognised, and mapped to devices.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::rc::Rc;

use iobound_formats::trace::{
    BlktraceReader, HEAD, TimeUnit, TraceFormat, peeked, read_trace, recognise, utf8,
};
use iobound_trace::{MergeClock, Merged, Record, Source, TraceError, TraceFacts};
use iobound_workload::shell_word;

use crate::files::unreadable_words;
use crate::{Env, Failure};

/// The name of standard input.
pub const STDIN: &str = "-";

/// Progress of the reading of files.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    done: Rc<Cell<u64>>,
    of: u64,
}

impl Reading {
    /// Bytes read of the files, and bytes of all files; `None` if unknown.
    pub fn bytes(&self) -> (u64, Option<u64>) {
        (self.done.get(), Some(self.of).filter(|of| *of > 0))
    }
}

/// A trace of one file or several, in order of time.
pub struct OpenTrace {
    /// The records.
    pub source: Box<dyn Source>,
    /// The files as given.
    pub files: Vec<String>,
    /// Progress of its reading.
    pub reading: Reading,
    origins: Origins,
}

/// A device of a trace, and the name that a map gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOrigin {
    /// Name in the trace.
    pub device: String,
    /// The file as given, if the map names the file and not the device.
    pub file: Option<String>,
    /// Name of the records' device.
    pub to: String,
}

type Origins = Rc<RefCell<Vec<DeviceOrigin>>>;

impl OpenTrace {
    /// Records that come from elsewhere than from a file.
    pub(super) fn of_source(source: Box<dyn Source>, name: &str) -> OpenTrace {
        OpenTrace {
            source,
            files: vec![name.to_string()],
            reading: Reading::default(),
            origins: Origins::default(),
        }
    }

    /// The devices so far, in the order in which they appeared; empty without a map.
    pub fn origins(&self) -> Vec<DeviceOrigin> {
        self.origins.borrow().clone()
    }
}

/// `--map FROM=TO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceMap {
    /// A file as given, or a device of the trace.
    pub from: String,
    /// A device or a volume.
    pub to: String,
}

impl TraceMap {
    /// Reads maps.
    ///
    /// # Errors
    /// Returns an error if a map has no `=`, or a name is mapped twice.
    pub fn parse_all(texts: &[String]) -> Result<Vec<TraceMap>, Failure> {
        let mut maps: Vec<TraceMap> = Vec::new();
        for text in texts {
            let parts = text.rsplit_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty());
            let Some((from, to)) = parts else {
                return Err(Failure::input(format!("--map {text}: a map is FROM=TO")).help(
                    "write a file or a device of the trace, `=`, and the name that it gets: --map a.csv=data",
                ));
            };
            if maps.iter().any(|map| map.from == from) {
                return Err(
                    Failure::input(format!("--map {text}: {from} is mapped twice")).help("map it once")
                );
            }
            maps.push(TraceMap { from: from.into(), to: to.into() });
        }
        Ok(maps)
    }
}

/// The names that maps were applied to, while a trace is read.
type MapsInUse = Rc<RefCell<BTreeSet<String>>>;

/// Use of the maps so far.
#[derive(Clone, Default)]
struct MapRecord {
    in_use: MapsInUse,
    origins: Origins,
}

/// A source that says at its end which maps had no effect.
struct Mapped {
    inner: Box<dyn Source>,
    maps: Vec<TraceMap>,
    in_use: MapsInUse,
}

impl Source for Mapped {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        self.inner.read(batch)
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        let mut facts = self.inner.facts();
        let in_use = self.in_use.borrow();
        let idle = self.maps.iter().filter(|map| !in_use.contains(&map.from));
        facts.notes.extend(idle.map(|TraceMap { from, to }| {
            format!("--map {from}={to} has no effect: no device and no file of the trace has this name")
        }));
        facts
    }
}

/// A stream of bytes that counts the bytes it returns.
struct Counted<R> {
    inner: R,
    done: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.done.set(self.done.get() + got as u64);
        Ok(got)
    }
}

/// A source whose devices have other names. Devices of one name are one device.
struct Renamed {
    inner: Box<dyn Source>,
    maps: Vec<TraceMap>,
    record: MapRecord,
    /// The map of the file, whose devices all get its name.
    file: Option<TraceMap>,
    names: Vec<String>,
    device: Vec<u16>,
}

impl Source for Renamed {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        self.inner.read(batch)?;
        for device in &self.inner.devices()[self.device.len()..] {
            let own = self.maps.iter().find(|map| map.from == *device);
            if let (Some(map), None) = (own, &self.file) {
                self.record.in_use.borrow_mut().insert(map.from.clone());
            }
            let to = self.file.as_ref().or(own).map_or(device, |map| &map.to);
            let origin = DeviceOrigin {
                device: device.clone(),
                file: self.file.as_ref().map(|map| map.from.clone()),
                to: to.clone(),
            };
            let at = self.names.iter().position(|known| known == to).unwrap_or_else(|| {
                self.names.push(to.clone());
                self.names.len() - 1
            });
            self.device.push(at as u16);
            let mut origins = self.record.origins.borrow_mut();
            if !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        for record in &mut batch[before..] {
            record.device = self.device[usize::from(record.device)];
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        &self.names
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}

/// Opens the files of a trace as one source.
///
/// # Errors
/// Returns an error if the file cannot be read or is not a trace. The caller checks maps of names that are no file
/// here.
pub fn open_trace(
    env: &Env,
    files: &[String],
    unit: Option<TimeUnit>,
    maps: &[TraceMap],
    clock: MergeClock,
) -> Result<OpenTrace, Failure> {
    let mut reading = Reading::default();
    let mut sources: Vec<(String, Box<dyn Source>)> = Vec::new();
    let mut processors: Vec<Box<dyn Read>> = Vec::new();
    let mut recordings: Vec<&str> = Vec::new();
    let record = MapRecord::default();
    for file in files {
        let paths = paths_of(env, file);
        let is_recording = paths.len() > 1;
        for path in paths {
            let failed = |error: TraceError| {
                let failure = Failure::input(format!("{path}: {}", error.what));
                if error.help.is_empty() { failure } else { failure.help(error.help) }
            };
            let input = open(env, &path, &mut reading)?;
            let input = decompressed(input).and_then(utf8).map_err(|error| failed(error.into()))?;
            let (head, input) = peeked(input, HEAD).map_err(|error| failed(error.into()))?;
            // A processor without events has an empty file beside those of the others.
            if is_recording && head.is_empty() {
                continue;
            }
            let format = recognise(&head).map_err(failed)?;
            let mapped = maps.iter().find(|map| map.from == *file).cloned();
            if mapped.is_some() {
                record.in_use.borrow_mut().insert(file.clone());
            }
            if format == TraceFormat::Blktrace && mapped.is_none() {
                if unit.is_some() {
                    return Err(failed(
                        TraceError::new("--time-unit: blktrace's times are nanoseconds").help("leave it out"),
                    ));
                }
                processors.push(input);
                recordings.push(file);
                continue;
            }
            let inner = read_trace(format, input, unit).map_err(failed)?;
            sources.push((file.clone(), renamed(inner, mapped, maps, &record)));
        }
    }
    if !processors.is_empty() {
        let inner: Box<dyn Source> = Box::new(BlktraceReader::new(processors));
        recordings.dedup();
        sources.push((recordings.join(" "), renamed(inner, None, maps, &record)));
    }
    let mut source = match sources.len() {
        0 => {
            return Err(Failure::input(format!(
                "{}: all files of the recording are empty",
                files.join(", ")
            ))
            .help("record again, with I/O on the device"));
        }
        1 if clock != MergeClock::FromZero => sources.remove(0).1,
        _ => Box::new(Merged::new(sources, clock)),
    };
    if !maps.is_empty() {
        source = Box::new(Mapped { inner: source, maps: maps.to_vec(), in_use: record.in_use });
    }
    Ok(OpenTrace { source, files: files.to_vec(), reading, origins: record.origins })
}

/// The times of several files as recorded, with the command that joins files of different clocks. `out` is the end of the
/// command: the file to write, and its format.
pub(crate) fn recorded_times(
    files: &[String],
    maps: &[TraceMap],
    unit: Option<TimeUnit>,
    out: &[String],
) -> MergeClock {
    let mut words = ["iobound", "trace", "merge"].map(String::from).to_vec();
    words.extend_from_slice(files);
    words.extend(unit.into_iter().flat_map(|unit| ["--time-unit".into(), unit.name().into()]));
    words.extend(maps.iter().flat_map(|TraceMap { from, to }| ["--map".into(), format!("{from}={to}")]));
    words.push("--from-zero".into());
    words.extend_from_slice(out);
    let command: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    MergeClock::Recorded {
        advice: format!(
            "if the clocks differ, let each file begin at zero: `{}`; if all have one clock, write --same-clock instead of --from-zero",
            command.join(" ")
        ),
    }
}

/// A trace that could not be opened again, for those who read records.
#[cfg(feature = "load")]
pub(crate) fn not_opened(failure: &Failure) -> TraceError {
    let error = TraceError::new(failure.what());
    match failure.help_text() {
        Some(help) => error.help(help),
        None => error,
    }
}

fn renamed(
    inner: Box<dyn Source>,
    file: Option<TraceMap>,
    maps: &[TraceMap],
    record: &MapRecord,
) -> Box<dyn Source> {
    if file.is_none() && maps.is_empty() {
        return inner;
    }
    let (maps, record) = (maps.to_vec(), record.clone());
    Box::new(Renamed { inner, maps, record, file, names: Vec::new(), device: Vec::new() })
}

/// The file, or the files of all processors that blktrace wrote under this name: `sda` is `sda.blktrace.0`, `.1` and so on.
fn paths_of(env: &Env, file: &str) -> Vec<String> {
    let of = |processor: usize| format!("{file}.blktrace.{processor}");
    if file == STDIN || env.text(file).is_some() || Path::new(file).exists() || !Path::new(&of(0)).exists() {
        return vec![file.to_string()];
    }
    (0..).map(of).take_while(|path| Path::new(path).exists()).collect()
}

fn open(env: &Env, path: &str, reading: &mut Reading) -> Result<Box<dyn Read>, Failure> {
    let done = Rc::clone(&reading.done);
    if let Some(text) = env.text(path) {
        reading.of += text.len() as u64;
        return Ok(Box::new(Counted { inner: Cursor::new(text.as_bytes().to_vec()), done }));
    }
    if path == STDIN {
        return Ok(Box::new(Counted { inner: std::io::stdin(), done }));
    }
    let file = File::open(path).map_err(|error| Failure::unreadable(path, &unreadable_words(&error)))?;
    let about = file.metadata().map_err(|error| Failure::unreadable(path, &unreadable_words(&error)))?;
    if about.is_dir() {
        return Err(Failure::unreadable(path, "it is a directory"));
    }
    reading.of += about.len();
    Ok(Box::new(Counted { inner: file, done }))
}

/// The bytes of a stream without gzip's or zstd's compression. Files that were compressed in parts and joined are whole.
fn decompressed(input: Box<dyn Read>) -> std::io::Result<Box<dyn Read>> {
    let (head, input) = peeked(input, 4)?;
    Ok(match head.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(input)),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(zstd::stream::read::Decoder::new(input)?),
        _ => input,
    })
}
