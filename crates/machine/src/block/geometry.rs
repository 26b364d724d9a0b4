use std::fs::File;
use std::io;

use crate::sys;
pub use crate::sys::device::Geometry;

impl Geometry {
    /// Asks an open block device.
    ///
    /// # Errors
    ///
    /// Returns `ENOTTY` if it is not a block device.
    pub fn of(device: &File) -> io::Result<Geometry> {
        sys::geometry(device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_geometry() {
        let file = tempfile::tempfile().unwrap();
        let error = Geometry::of(&file).unwrap_err();
        assert!(error.to_string().contains("ioctl"), "{error}");
    }
}
