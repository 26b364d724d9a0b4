//! iobound-report
