//! Ways to issue I/O to real files and devices.
