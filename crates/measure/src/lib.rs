//! iobound-measure
