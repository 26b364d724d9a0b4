//! The files that a person names, read as text: what can't be one is told by what it is.

use std::fs::File;
use std::io::{ErrorKind, Read};

use crate::Env;

/// The most that is read of a file that a person writes: no configuration, job file or catalogue is near it.
pub const WRITTEN: u64 = 16 << 20;
/// The most that is read of a file that a tool writes: a result with all its intervals.
pub const RESULT: u64 = 256 << 20;

/// The text of a file of at most `most` bytes, without a byte order mark.
///
/// # Errors
/// Returns an error if it is not such a file: a sentence without the file's name.
pub fn read(env: &Env, path: &str, most: u64) -> Result<String, String> {
    let bytes = bytes_of(env, path, most)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err("the file is UTF-16: save it as UTF-8".to_string());
    }
    text_of(bytes)
}

/// The same of a file that another system's tools write, which may be UTF-16 with a byte order mark.
///
/// # Errors
/// Returns an error if it is not such a file: a sentence without the file's name.
pub fn read_foreign(env: &Env, path: &str, most: u64) -> Result<String, String> {
    let bytes = bytes_of(env, path, most)?;
    let units = |of: fn([u8; 2]) -> u16| {
        let pairs = bytes[2..].chunks_exact(2);
        let whole = pairs.remainder().is_empty();
        let text = String::from_utf16(&pairs.map(|pair| of([pair[0], pair[1]])).collect::<Vec<u16>>()).ok();
        text.filter(|_| whole).ok_or("the file starts as UTF-16 and is damaged: save it as UTF-8".to_string())
    };
    match bytes.as_slice() {
        [0xff, 0xfe, ..] => text_of(units(u16::from_le_bytes)?.into_bytes()),
        [0xfe, 0xff, ..] => text_of(units(u16::from_be_bytes)?.into_bytes()),
        _ => text_of(bytes),
    }
}

/// The bytes of a file.
fn bytes_of(env: &Env, path: &str, most: u64) -> Result<Vec<u8>, String> {
    if let Some(text) = env.text(path) {
        return Ok(text.as_bytes().to_vec());
    }
    let mut bytes = Vec::new();
    // One more than is taken: a pipe has no length to ask for.
    File::open(path)
        .and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable_words(&error))?;
    if bytes.len() as u64 > most {
        return Err(format!("the file is larger than {} MiB: name the right file", most >> 20));
    }
    Ok(bytes)
}

/// The reason why a file cannot be read, in one wording for all verbs.
pub(crate) fn unreadable_words(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_string(),
        ErrorKind::IsADirectory => "it is a directory: name a file".to_string(),
        _ => error.to_string(),
    }
}

/// Bytes as text.
fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count() + 1;
        format!("the file is not text: line {line} has bytes that are not UTF-8; save it as UTF-8")
    })?;
    if text.contains('\0') {
        return Err("the file is not text: it contains zero bytes".to_string());
    }
    Ok(match text.strip_prefix('\u{feff}') {
        Some(text) => text.to_string(),
        None => text,
    })
}
