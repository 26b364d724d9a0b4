use strsim::osa_distance;

/// The known name that is closest to what was written, if any is close enough to be what was meant:
/// at most one letter of three differs.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written: String = written.chars().take(64).collect();
    let letters = written.chars().count();
    let most = (letters / 3).clamp(1, 4);
    known
        .into_iter()
        .filter(|name| name.chars().count().abs_diff(letters) <= most)
        .map(|name| (osa_distance(&written, name), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_name_that_was_meant() {
        let known = ["iodepth", "ioengine", "direct", "bs", "rw"];
        assert_eq!(nearest("iodpeth", known), Some("iodepth"));
        assert_eq!(nearest("io_engine", known), Some("ioengine"));
        assert_eq!(nearest("dircet", known), Some("direct"));
        assert_eq!(nearest("b", known), Some("bs"));
        assert_eq!(nearest("thermometer", known), None);
    }
}
