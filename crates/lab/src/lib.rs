//! iobound-lab
