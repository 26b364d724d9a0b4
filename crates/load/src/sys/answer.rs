/// A target's answer to a read that must not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only a platform with such reads answers"))]
pub(crate) enum AtOnce {
    /// It was carried out.
    Taken,
    /// It would have waited this time.
    NotNow,
    /// The target takes none that must not wait.
    Never,
    /// It failed for another reason.
    Unknown,
}
