//! iobound-catalog
