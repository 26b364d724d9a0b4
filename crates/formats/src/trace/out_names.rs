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
    numbers: BTreeSet<u64>,
}

impl OutNames {
    pub(super) fn new(naming: Naming) -> OutNames {
        OutNames { naming, names: Vec::new(), numbers: BTreeSet::new() }
    }

    /// Adds the devices that have no name yet; returns the names of these.
    pub(super) fn add(&mut self, devices: &[String]) -> &[String] {
        let known = self.names.len();
        for (index, device) in devices.iter().enumerate().skip(known) {
            let name = match self.naming {
                Naming::Word => word(device),
                Naming::HostAndDisk => host_and_disk(device, index),
                Naming::Number => self.number(device).to_string(),
            };
            self.names.push(name);
        }
        &self.names[known..]
    }

    /// The number that a device has as its name, else the least one that is free.
    fn number(&mut self, device: &str) -> u64 {
        let own = device.parse().ok().filter(|own| !self.numbers.contains(own));
        let number = own.or_else(|| (0..).find(|number| !self.numbers.contains(number))).unwrap_or(0);
        self.numbers.insert(number);
        number
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
}
