use std::fs::OpenOptions;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use iobound_documents::{TraceEditDocument, Version};
use iobound_formats::trace::{TraceOutput, TraceWriter};
use iobound_report::{Style, trace_edit_text, trace_read};
use iobound_trace::{Cut, Scaled, Source, TraceError};

use super::info::unread;
use super::open::{OpenTrace, STDIN};
use super::request::{Edit, WriteOptions};
use crate::{Env, Exit, Failure};

/// Compression of the project's own format: zstd's default.
const LEVEL: i32 = 3;

/// A trace that was written.
pub struct EditAnswer {
    document: TraceEditDocument,
    format: TraceOutput,
}

/// Writes a changed trace.
///
/// # Errors
/// Returns an error if the trace cannot be read or written, or the output file exists.
pub fn edit(trace: OpenTrace, change: &Edit, write: &WriteOptions, env: &Env) -> Result<EditAnswer, Failure> {
    let OpenTrace { mut source, files, reading, .. } = trace;
    let (file, format) = write.read()?;
    if let Some(range) = &change.cut {
        source = Box::new(Cut::new(source, range.clone()));
    }
    if let Some(scale) = change.scale {
        source = Box::new(Scaled::new(source, scale));
    }
    // The first I/Os are read before the output is created, so that an invalid trace leaves no file.
    let mut batch = Vec::new();
    source.read(&mut batch).map_err(|error| unread(&files, &error))?;
    if batch.is_empty() {
        return Err(Failure::input(format!("{}: no I/O is left to write", files.join(", ")))
            .help("keep a longer part, or check the names of the devices with `iobound trace info`"));
    }
    let failed = |error: std::io::Error| Failure::io(format!("cannot write {file}: {error}"));
    let out = out_of(file)?;
    // From here a signal ends the loop, and the file is finished first. Input from a pipe is excluded: a read of it may never return.
    if files.iter().all(|file| Path::new(file).is_file()) {
        env.of_process().load_begins();
    }
    let out: Box<dyn Finish> = match format {
        TraceOutput::Own => Box::new(zstd::stream::write::Encoder::new(out, LEVEL).map_err(failed)?),
        _ => Box::new(out),
    };
    let mut writer = TraceWriter::new(out, format).map_err(failed)?;
    // The reader of a pipe may have enough.
    let is_closed = |error: &std::io::Error| file == STDIN && error.kind() == ErrorKind::BrokenPipe;
    let (mut ios, mut interrupted, mut closed, mut broken) = (0, false, false, None);
    while !batch.is_empty() {
        match writer.write(&batch, source.devices()) {
            Err(error) if is_closed(&error) => {
                closed = true;
                break;
            }
            written => written.map_err(failed)?,
        }
        ios += batch.len() as u64;
        let (done, of) = reading.bytes();
        env.progress(done, of);
        if env.is_stopped() {
            interrupted = true;
            break;
        }
        batch.clear();
        // What precedes the break is written.
        if broken.is_none() {
            broken = source.read(&mut batch).err();
        }
    }
    env.progress_ends();
    let lost = writer.notes(source.devices());
    let ended = || {
        let (out, left_out) = writer.finish()?;
        out.finish().map(|()| left_out)
    };
    let left_out = match if closed { Ok(0) } else { ended() } {
        Err(error) if is_closed(&error) => 0,
        ended => ended.map_err(failed)?,
    };
    // A file without an I/O is no trace.
    if ios == left_out && !closed {
        if file != STDIN {
            std::fs::remove_file(file).map_err(failed)?;
        }
        let why = format!("{}: no I/O can be written as {}", files.join(", "), format.name());
        return Err(Failure::input(why).help("write --to iobound, which has all operations"));
    }
    if let Some(TraceError { what, help }) = broken {
        let place = if file == STDIN { "standard output" } else { file };
        let what = format!("{what}; {place} has the {} I/Os before", ios - left_out);
        return Err(unread(&files, &TraceError { what, help }));
    }
    let mut read = trace_read(&files, &source.facts());
    read.notes.extend(lost);
    let wanted = change.cut.iter().flat_map(|range| &range.devices);
    let missing = wanted.filter(|name| !source.devices().contains(name));
    read.notes.extend(missing.map(|name| {
        format!("--device {name} has no effect: no I/O of the part that was read is of this device")
    }));
    let document = TraceEditDocument {
        schema: Version::default(),
        read,
        file: file.to_string(),
        format: format.word().to_string(),
        ios: ios - left_out,
        left_out,
        interrupted,
    };
    Ok(EditAnswer { document, format })
}

/// A stream that has something to write at its end.
trait Finish: Write {
    fn finish(self: Box<Self>) -> std::io::Result<()>;
}

impl Finish for BufWriter<Box<dyn Write>> {
    fn finish(mut self: Box<Self>) -> std::io::Result<()> {
        self.flush()
    }
}

impl Finish for zstd::stream::write::Encoder<'static, BufWriter<Box<dyn Write>>> {
    fn finish(self: Box<Self>) -> std::io::Result<()> {
        zstd::stream::write::Encoder::finish(*self)?.flush()
    }
}

/// A new file, or standard output.
fn out_of(file: &str) -> Result<BufWriter<Box<dyn Write>>, Failure> {
    let out: Box<dyn Write> = if file == STDIN {
        Box::new(std::io::stdout())
    } else {
        let made = OpenOptions::new().write(true).create_new(true).open(file);
        Box::new(made.map_err(|error| {
            match error.kind() {
                ErrorKind::AlreadyExists => Failure::refused(format!("{file} exists already"))
                    .help("name a file that does not exist, or delete this one first"),
                _ => Failure::io(format!("cannot write {file}: {error}")),
            }
        })?)
    };
    Ok(BufWriter::with_capacity(1 << 18, out))
}

impl EditAnswer {
    /// The document.
    pub fn document(&self) -> &TraceEditDocument {
        &self.document
    }

    /// The screen.
    pub fn text(&self, style: Style) -> String {
        trace_edit_text(&self.document, self.format.name(), style)
    }

    /// True if the trace itself went to standard output.
    pub fn is_on_stdout(&self) -> bool {
        self.document.file == STDIN
    }

    /// The exit code.
    pub fn exit(&self) -> Exit {
        if self.document.interrupted { Exit::Interrupted } else { Exit::Done }
    }
}
