//! iobound-drive
