/// Features of a ring that the kernel granted; the result names missing ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Granted {
    /// Completions are prepared when the thread asks for them, not by interrupting it (Linux 6.1).
    pub deferred: bool,
    /// Buffers are registered, and not mapped for each I/O.
    pub buffers: bool,
    /// Files are registered, and not looked up for each I/O.
    pub files: bool,
}
