//! The device that is which disk of the configuration, where a person says so.

use iobound_catalog::Resolved;
use iobound_explain::setup::Setup;

use crate::Failure;
use crate::observed::Map;
use crate::settings::SettingValue;

/// The disks that devices are: those that were found, and in place of them those that were said.
///
/// # Errors
/// Returns an error if there is no configuration, or a device or a disk does not exist or is given twice.
pub(crate) fn names(
    found: Vec<(String, String)>,
    said: &[SettingValue],
    setup: &Setup,
    resolved: Option<&Resolved>,
) -> Result<Vec<(String, String)>, Failure> {
    let Some(first) = said.first() else { return Ok(found) };
    let Some(resolved) = resolved else {
        return Err(first.refuse("no configuration is given").help("add --vm and --disk"));
    };
    let mut names: Vec<(String, String)> = Vec::new();
    for given in said {
        let map = given.parse(Map::parse)?;
        let device = map.device.strip_prefix("/dev/").unwrap_or(&map.device);
        let devices: Vec<&str> = setup.disks.iter().map(|disk| disk.device()).collect();
        if !devices.contains(&device) {
            return Err(given
                .refuse(format!("this machine has no disk `{device}`"))
                .help(format!("there are {}", devices.join(", "))));
        }
        let Some(disk) = resolved.disks.iter().find(|disk| disk.name.eq_ignore_ascii_case(&map.name)) else {
            let disks: Vec<&str> = resolved.disks.iter().map(|disk| disk.name.as_str()).collect();
            return Err(given
                .refuse(format!("the configuration has no disk `{}`", map.name))
                .help(format!("there are {}", disks.join(", "))));
        };
        if let Some((one, other)) = names.iter().find(|(of, name)| of == device || *name == disk.name) {
            return Err(given
                .refuse(format!("{one} is {other} already"))
                .help("leave one of the two out: map each device to one disk"));
        }
        names.push((device.to_string(), disk.name.clone()));
    }
    let is_said =
        |(device, disk): &(String, String)| names.iter().any(|(of, name)| of == device || name == disk);
    let others: Vec<(String, String)> = found.into_iter().filter(|found| !is_said(found)).collect();
    names.extend(others);
    Ok(names)
}
