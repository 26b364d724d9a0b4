//! Custom machine types: `n2-custom-8-32768` has 8 vCPUs and 32,768 MiB of memory, and the limits of its series by vCPUs.

use crate::error::CatalogError;
use crate::table::{Csv, Row, csv};

/// Numbers of vCPUs and memory that each series can be ordered with.
const TABLE: Csv = csv!("gcp_custom_machines.csv");

/// The machine types that a table lists; a custom one takes as many disks as the standard one of its series.
pub(super) const MACHINES: Csv = csv!("gcp_machines.csv");

/// Memory is ordered in steps of this many MiB.
const STEP_MIB: u64 = 256;

/// The end of a name whose memory exceeds what its vCPUs come with.
const EXTENDED: &str = "-ext";

/// The row of a custom machine type; `None`: the name is that of none.
///
/// # Errors
/// A series that has none, or a number of vCPUs or an amount of memory that can't be ordered.
pub(super) fn row(name: &str) -> Result<Option<Row>, CatalogError> {
    let lower = name.to_ascii_lowercase();
    let (plain, is_extended) = match lower.strip_suffix(EXTENDED) {
        Some(plain) => (plain, true),
        None => (lower.as_str(), false),
    };
    let Some((series, size)) = split(plain) else { return Ok(None) };
    let refuse = |why: String, help: String| CatalogError::refused(format!("--vm {name}"), why, help);
    let Some((vcpus, memory)) = size
        .split_once('-')
        .and_then(|(vcpus, memory)| Some((vcpus.parse::<u64>().ok()?, memory.parse::<u64>().ok()?)))
    else {
        return Err(refuse(
            "a custom machine type has a number of vCPUs and of MiB of memory".into(),
            format!("write {series}-custom-8-32768"),
        ));
    };
    let of_series = TABLE.table().rows_named(series);
    let Some(of) = of_series.first() else {
        let all: Vec<String> = TABLE.table().rows().filter_map(|row| row.owned("series")).collect();
        return Err(refuse(
            format!("the catalogue knows no custom machine types of {series}"),
            format!("use a series that has them: {}", all.join(", ")),
        ));
    };
    let allowed = steps(&of.required("vcpus")?).ok_or_else(|| of.error("`vcpus` is no list of steps"))?;
    if !allowed.contains(&vcpus) {
        let fewer = allowed.iter().filter(|have| **have < vcpus).max();
        let more = allowed.iter().filter(|have| **have > vcpus).min();
        let near: Vec<String> = fewer.into_iter().chain(more).map(u64::to_string).collect();
        return Err(refuse(
            format!("{series} can't have {vcpus} vCPUs"),
            format!("use {}", near.join(" or ")),
        ));
    }
    let figure = |column: &str| -> Result<u64, CatalogError> {
        of.count(column)?.ok_or_else(|| of.error(format!("`{column}` is missing")))
    };
    let least = (vcpus * figure("mib_per_vcpu_min")?).next_multiple_of(STEP_MIB);
    let usual = vcpus * figure("mib_per_vcpu_max")? / STEP_MIB * STEP_MIB;
    let most = match of.count("mib_extended_max")?.filter(|_| is_extended) {
        Some(most) => most,
        None if is_extended => {
            return Err(refuse(format!("{series} has no extended memory"), format!("write {plain}")));
        }
        None => usual,
    };
    if !(least..=most).contains(&memory) || !memory.is_multiple_of(STEP_MIB) {
        let extended = match is_extended || of.count("mib_extended_max")?.is_none() {
            true => "",
            false => "; extended memory ends in -ext",
        };
        return Err(refuse(
            format!("{vcpus} vCPUs of {series} can't have {memory} MiB of memory"),
            format!("use {least} to {most} MiB in steps of {STEP_MIB}{extended}"),
        ));
    }
    let mut made =
        standard(series, vcpus)?.ok_or_else(|| of.error("no machine type of the series is listed"))?;
    let mut own = Row::new("gcp_custom_machines.csv", 0);
    own.push("machine_type".into(), lower.clone());
    own.push("vcpus".into(), vcpus.to_string());
    own.push("memory_mib".into(), memory.to_string());
    own.push("source".into(), of.required("source")?);
    made.overlay(&own);
    Ok(Some(made))
}

/// The series and the rest of a custom machine type's name.
fn split(name: &str) -> Option<(&str, &str)> {
    match name.strip_prefix("custom-") {
        // The older name of N1's.
        Some(size) => Some(("n1", size)),
        None => name.split_once("-custom-"),
    }
}

/// The largest standard machine of a series with no more vCPUs, else the smallest.
fn standard(series: &str, vcpus: u64) -> Result<Option<Row>, CatalogError> {
    let prefix = format!("{series}-standard-");
    let mut found: Option<(u64, Row)> = None;
    for row in MACHINES.table().rows_where(|line| line.starts_with(&prefix)) {
        let Some(has) = row.count("vcpus")? else { continue };
        let is_nearer = |other: u64| match (has <= vcpus, other <= vcpus) {
            (true, true) => has > other,
            (false, false) => has < other,
            (fits, _) => fits,
        };
        if found.as_ref().is_none_or(|(other, _)| is_nearer(*other)) {
            found = Some((has, row));
        }
    }
    Ok(found.map(|(_, row)| row))
}

/// `1 2-96/2` as numbers: 1, and 2 to 96 in steps of 2. A range without a step has steps of 1.
pub(super) fn steps(text: &str) -> Option<Vec<u64>> {
    let mut all = Vec::new();
    for part in text.split(' ') {
        let (range, step) = part.split_once('/').unwrap_or((part, "1"));
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let step = step.parse::<usize>().ok().filter(|step| *step > 0)?;
        all.extend((first.parse::<u64>().ok()?..=last.parse::<u64>().ok()?).step_by(step));
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_machine_has_its_own_vcpus_and_memory_and_the_disks_of_its_series() {
        let of = |name: &str| row(name).unwrap().unwrap();
        let n2 = of("N2-custom-8-32768");
        let cell = |row: &Row, column: &str| row.owned(column).unwrap_or_default();
        assert_eq!((cell(&n2, "vcpus"), cell(&n2, "memory_mib")), ("8".into(), "32768".into()));
        assert_eq!((cell(&n2, "max_disks"), cell(&n2, "max_disks_gib")), ("128".into(), "263168".into()));
        assert_eq!(cell(&of("n2-custom-36-36864"), "max_disks_gib"), "524288");
        assert_eq!(cell(&of("custom-4-16384"), "memory_mib"), "16384");
        assert_eq!(cell(&of("n2-custom-2-65536-ext"), "memory_mib"), "65536");
    }

    #[test]
    fn what_cannot_be_ordered_is_refused_with_what_can() {
        let why = |name: &str| row(name).unwrap_err().to_string();
        assert!(why("n2-custom-7-8192").contains("6 or 8"), "{}", why("n2-custom-7-8192"));
        assert!(why("n2-custom-8-100").contains("4096 to 65536"), "{}", why("n2-custom-8-100"));
        assert!(why("n2-custom-8-32769").contains("steps of 256"));
        assert!(why("e2-custom-4-65536-ext").contains("no extended memory"));
        assert!(why("c3-custom-4-16384").contains("n1"), "{}", why("c3-custom-4-16384"));
        assert!(why("n2-custom-8").contains("n2-custom-8-32768"));
        assert!(why("n2-custom-8-99999999999999999999").contains("n2-custom-8-32768"));
        assert!(row("n2-standard-8").unwrap().is_none() && row("m5.large").unwrap().is_none());
    }

    #[test]
    fn every_series_is_read() {
        for row in TABLE.table().rows() {
            let all = steps(&row.required("vcpus").unwrap()).unwrap();
            assert!(!all.is_empty() && standard(&row.required("series").unwrap(), all[0]).unwrap().is_some());
        }
    }
}
