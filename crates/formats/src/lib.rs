//! iobound-formats
