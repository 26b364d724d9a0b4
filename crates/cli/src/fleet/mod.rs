//! One workload on several machines.

pub(crate) mod hosts;
pub(crate) mod over_ssh;
pub(crate) mod quote;
pub(crate) mod script;
pub(crate) mod ssh;
pub(crate) mod words;
