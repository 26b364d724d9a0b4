//! Names of devices in written traces.

use std::collections::BTreeSet;

/// Form of a device's name in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// A word without white space, at most 255 bytes.
    Word,
    /// A host and the number of a disk.
    HostAndDisk,
    /// A number.
    Number,
}

impl Naming {
    fn words(self) -> &'static str {
        match self {
            Naming::Word => "names without spaces",
            Naming::HostAndDisk => "a host and a disk number",
            Naming::Number => "numbers",
        }
    }
}

/// Devices that a note names.
const SHOWN: usize = 8;

/// Written names, in the order of the devices.
#[derive(Debug)]
pub(super) struct OutNames {
    naming: Naming,
    names: Vec<String>,
    used: BTreeSet<String>,
    /// Numbers below this one are in use.
    next: u64,
}

impl OutNames {
    pub(super) fn new(naming: Naming) -> OutNames {
        OutNames { naming, names: Vec::new(), used: BTreeSet::new(), next: 0 }
    }

    /// Adds the devices that have no name yet; returns the names of these.
    pub(super) fn add(&mut self, devices: &[String]) -> &[String] {
        let known = self.names.len();
        for (index, device) in devices.iter().enumerate().skip(known) {
            let wanted = match self.naming {
                Naming::Word => word(device),
                Naming::HostAndDisk => host_and_disk(device, index),
                Naming::Number => device.parse::<u64>().map_or_else(|_| String::new(), |own| own.to_string()),
            };
            let name = self.unused(wanted);
            self.used.insert(name.clone());
            self.names.push(name);
        }
        &self.names[known..]
    }

    /// The wanted name if no device has it, else the next one that is free: another number behind it.
    fn unused(&mut self, wanted: String) -> String {
        if !wanted.is_empty() && !self.used.contains(&wanted) {
            return wanted;
        }
        loop {
            let number = self.next;
            self.next += 1;
            let name = match self.naming {
                Naming::Number => number.to_string(),
                Naming::Word => format!("{:.200}_{number}", wanted),
                Naming::HostAndDisk => {
                    let host = wanted.split(',').next().unwrap_or_default();
                    format!("{host}_{number},{number}")
                }
            };
            if !self.used.contains(&name) {
                return name;
            }
        }
    }

    pub(super) fn all(&self) -> &[String] {
        &self.names
    }

    /// A remark on the devices whose name is another one than in the source.
    pub(super) fn note(&self, devices: &[String], format: &str) -> Option<String> {
        let mut changed = devices.iter().zip(&self.names).filter(|(device, name)| device != name);
        let shown: Vec<String> =
            changed.by_ref().take(SHOWN).map(|(device, name)| format!("{device} is {name}")).collect();
        let more = changed.count();
        let more = if more == 0 { String::new() } else { format!(", and {more} more") };
        (!shown.is_empty()).then(|| {
            let form = self.naming.words();
            format!("devices get other names, because {format} has {form}: {}{more}", shown.join(", "))
        })
    }
}

fn word(device: &str) -> String {
    let word: String =
        device.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect();
    let mut end = word.len().min(255);
    while !word.is_char_boundary(end) {
        end -= 1;
    }
    if end == 0 { "device".into() } else { word[..end].to_string() }
}

/// Of `usr,1` itself, of another name the name and the device's number.
fn host_and_disk(device: &str, index: usize) -> String {
    match device.split_once(',') {
        Some((host, disk)) if !host.is_empty() && disk.parse::<u64>().is_ok() => device.to_string(),
        _ => {
            let host: String =
                device.chars().map(|c| if c == ',' || c.is_control() { '_' } else { c }).collect();
            format!("{},{index}", if host.is_empty() { "trace" } else { &host })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_a_name_stays_and_others_get_a_free_one() {
        let devices = ["725", "sda", "0", "725x"].map(String::from);
        let mut names = OutNames::new(Naming::Number);
        assert_eq!(names.add(&devices[..2]), ["725", "0"]);
        assert_eq!(names.add(&devices), ["1", "2"]);
        assert_eq!(
            names.note(&devices, "Alibaba CSV").expect("three are changed"),
            "devices get other names, because Alibaba CSV has numbers: sda is 0, 0 is 1, 725x is 2"
        );
    }

    #[test]
    fn no_two_devices_get_one_name() {
        for (naming, devices) in [
            (Naming::HostAndDisk, ["usr,1", "usr"]),
            (Naming::Word, ["a b", "a_b"]),
            (Naming::Number, ["7", "07"]),
        ] {
            let mut names = OutNames::new(naming);
            let given = names.add(&devices.map(String::from)).to_vec();
            assert_ne!(given[0], given[1], "{naming:?}");
        }
    }
}
