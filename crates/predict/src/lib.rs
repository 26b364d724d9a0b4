//! iobound-predict
