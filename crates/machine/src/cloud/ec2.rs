//! EC2's Instance Metadata Service, version 2: a token first, then a word a path (awsdocs/amazon-ec2-user-guide,
//! `configuring-instance-metadata-service.md`). It knows no volume's type or figures, and only those volumes that were
//! there when the instance started.

use iobound_catalog::{Cloud, CloudDisk, Instance, Slot};

use super::{Endpoint, Unanswered};

const TOKEN: &str = "/latest/api/token";
const ROOT: &str = "/latest/meta-data";
/// A name for each volume of a mapping; no instance has more attachments.
const MOST: usize = 160;

pub(super) fn ask(endpoint: &Endpoint, provider: Cloud) -> Result<Instance, Unanswered> {
    let token = endpoint.ask("PUT", TOKEN, &[("X-aws-ec2-metadata-token-ttl-seconds", "60")])?;
    let token = if token.status == 200 { Some(token.text().trim().to_string()) } else { None };
    // A token is a word; anything else would be no header.
    let token = token.filter(|token| !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()));
    let headers: Vec<(&str, &str)> =
        token.iter().map(|token| ("X-aws-ec2-metadata-token", token.as_str())).collect();
    let word = |path: &str| -> Result<Option<String>, Unanswered> {
        match endpoint.text(&format!("{ROOT}/{path}"), &headers) {
            Ok(text) => Ok(Some(text.trim().to_string()).filter(|text| !text.is_empty())),
            Err(Unanswered::Status(404, _)) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let size = word("instance-type")?;
    let Some(size) = size.filter(|size| is_instance_type(size)) else {
        return Err(Unanswered::Unexpected(
            "the answer has no instance-type: it is not EC2's metadata".into(),
        ));
    };
    let zone = word("placement/availability-zone")?;
    let region = match word("placement/region")? {
        Some(region) => Some(region),
        // `us-east-1a`: the zone is the region and a letter.
        None => zone.clone().map(|zone| zone.trim_end_matches(|c: char| c.is_ascii_lowercase()).to_string()),
    };
    let mut instance = Instance { size: Some(size), region, zone, ..Instance::of(provider) };
    let mapping = word("block-device-mapping/")?.unwrap_or_default();
    for name in mapping.lines().map(str::trim).filter(|name| is_word(name)).take(MOST) {
        let Some(device) = word(&format!("block-device-mapping/{name}"))? else { continue };
        let device = device.trim_start_matches("/dev/").to_string();
        match name {
            "root" => instance.disks.push(CloudDisk { name: Some(device), ..CloudDisk::at(Slot::Os) }),
            // The same disk as `root`, under the image's name.
            "ami" => {}
            name => instance.disks.push(CloudDisk {
                is_ephemeral: name.starts_with("ephemeral"),
                ..CloudDisk::at(Slot::Named(device))
            }),
        }
    }
    instance.disks.sort_by(|one, other| one.slot.cmp(&other.slot));
    Ok(instance)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// `m5.large`, `u-12tb1.112xlarge`.
fn is_instance_type(text: &str) -> bool {
    is_word(text) && text.contains('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instance_type_has_a_family_and_a_size() {
        assert!(is_instance_type("m5.large") && is_instance_type("u-12tb1.112xlarge"));
        assert!(!is_instance_type("<html>..") && !is_instance_type("large") && !is_instance_type(""));
    }
}
