//! fio 3: its command line and its job files.

use crate::{Foreign, FormatError};

/// What a job file can ask of the machine it is read on. This crate reads neither files nor the environment.
pub trait Context {
    /// The text of a job file or an included file; `None` where there is none of that name.
    fn file(&self, name: &str) -> Option<String>;
    /// The value of an environment variable, for `${NAME}`.
    fn variable(&self, name: &str) -> Option<String>;
    /// What `$pagesize` is, in bytes.
    fn page_bytes(&self) -> u64 {
        4096
    }
    /// What `$mb_memory` is, in MiB; `None` where it is not known.
    fn memory_mib(&self) -> Option<u64> {
        None
    }
    /// What `$ncpus` is; `None` where it is not known.
    fn cpus(&self) -> Option<u32> {
        None
    }
}

/// No files, no environment, no machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContext;

impl Context for NoContext {
    fn file(&self, _name: &str) -> Option<String> {
        None
    }
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
}

/// Reads an fio command line; the job files that it names are asked of `context`.
pub fn parse_line(text: &str, _context: &dyn Context) -> Result<Foreign, FormatError> {
    {
        let mut trouble = crate::error::Trouble::new(crate::Tool::Fio);
        let source = trouble.source(None, text);
        trouble.add(crate::error::At { source, at: 0, len: 1 }, "it can't be read yet", "");
        trouble.or(None)
    }
}

/// Reads a job file.
pub fn parse_job_file(text: &str, _name: &str, _context: &dyn Context) -> Result<Foreign, FormatError> {
    {
        let mut trouble = crate::error::Trouble::new(crate::Tool::Fio);
        let source = trouble.source(None, text);
        trouble.add(crate::error::At { source, at: 0, len: 1 }, "it can't be read yet", "");
        trouble.or(None)
    }
}
