use std::io;

use iobound_machine::open::{Facts, Seal, unstable_identity, user};

use super::handle::Handle;
use super::mark::Mark;
use super::recognised::is_recognised;

/// Owner of an existing file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It was made here, and holds what was written here: it may be written over.
    Ours(Box<Mark>),
    /// Anything else: writing to it takes consent. With the reason, if it carries a mark of this program.
    Foreign(Option<String>),
}

/// Decides on the open file. A mark alone proves nothing, since anybody can write one: the file, its directory and its
/// content have to agree with it.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(super) fn standing(handle: &Handle) -> io::Result<Standing> {
    let Some(mark) = Mark::read(handle) else { return Ok(Standing::Foreign(None)) };
    Ok(match doubt(handle, &mark)? {
        Some(why) => Standing::Foreign(Some(why)),
        None => Standing::Ours(Box::new(mark)),
    })
}

/// Contradiction to the mark.
fn doubt(handle: &Handle, mark: &Mark) -> io::Result<Option<String>> {
    let facts = Facts::of(handle.file())?;
    if facts.owner != user() {
        return Ok(Some(format!("it belongs to user {}, not to user {}", facts.owner, user())));
    }
    if facts.links != 1 {
        return Ok(Some(format!("it has {} names (hard links)", facts.links)));
    }
    if let Some(who) = handle.directory().others_can_write()? {
        return Ok(Some(format!("of its directory {}: {who}", handle.directory().path().display())));
    }
    if let Some(why) = unstable_identity(handle.file())? {
        return Ok(Some(why));
    }
    let whole = mark.size;
    let part = mark.resized_from.unwrap_or(whole);
    if !(whole.min(part)..=whole.max(part)).contains(&facts.size) {
        return Ok(Some(format!("its size was {whole} bytes after the last run")));
    }
    if mark.opened_by_others {
        return Ok(Some("another process opened it while a run wrote to it".to_string()));
    }
    let Some(seal) = mark.seal else {
        return Ok((!is_recognised(handle.file(), facts.size, mark)?).then(|| {
            "the run that wrote it was killed, and some of its content is not recognised".to_string()
        }));
    };
    let now = Seal::of(handle.file())?;
    Ok(if now.modified_ns != seal.modified_ns {
        Some("it was modified after the last run".to_string())
    } else if now.samples != seal.samples {
        Some("its content differs from what the last run wrote".to_string())
    } else {
        None
    })
}
