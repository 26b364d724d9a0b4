//! File-system filter drivers, as `fltmc filters` prints them: name, instances, altitude, frame.

/// A file-system filter driver that is loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterDriver {
    /// `WdFilter`.
    pub name: String,
    /// Number of volumes that it is attached to.
    pub instances: u64,
    /// Its place in the stack: `328010`, `404910.5`.
    pub altitude: String,
}

/// Altitudes of the load order group FSFilter Anti-Virus
/// (<https://learn.microsoft.com/windows-hardware/drivers/ifs/load-order-groups-and-altitudes-for-minifilter-drivers>).
const ANTIVIRUS: std::ops::RangeInclusive<u64> = 320_000..=329_999;

impl FilterDriver {
    /// True if its altitude is one of those that Microsoft allocates to virus scanners.
    pub fn is_antivirus(&self) -> bool {
        let whole = self.altitude.split('.').next().unwrap_or_default();
        whole.parse().is_ok_and(|altitude: u64| ANTIVIRUS.contains(&altitude))
    }
}

/// The rows of the table; `None` where there is none, as without an elevated prompt. Titles are in the system's language,
/// the line of dashes below them is not.
pub(super) fn filters(lines: &[String]) -> Option<Vec<FilterDriver>> {
    let lines: Vec<&str> = lines.iter().flat_map(|line| line.lines()).collect();
    let dashes = lines.iter().position(|line| line.trim_start().starts_with("---"))?;
    Some(lines[dashes + 1..].iter().filter_map(|line| filter(line)).collect())
}

/// A row. A legacy filter has no altitude and is left out.
fn filter(line: &str) -> Option<FilterDriver> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_altitude = |text: &str| text.split('.').all(|part| part.parse::<u64>().is_ok());
    // A name can have spaces: the last three words are the figures.
    let [name @ .., instances, altitude, _frame] = words.as_slice() else { return None };
    let instances = instances.parse().ok()?;
    if name.is_empty() || !is_altitude(altitude) {
        return None;
    }
    Some(FilterDriver { name: name.join(" "), instances, altitude: (*altitude).to_string() })
}
