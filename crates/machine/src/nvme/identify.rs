//! Vendor-specific bytes of clouds' Identify pages.

/// The name that an EBS volume was to have when it was attached, `sdf`: of Identify Controller, 32 bytes from 3,072 on
/// (amazonlinux/amazon-ec2-utils, `ebsnvme`).
pub fn ebs_device_name(page: &[u8]) -> Option<String> {
    let name = words(page.get(3072..3104)?)?;
    let name = name.trim_start_matches("/dev/").to_string();
    (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric())).then_some(name)
}

/// The name of a local disk of Azure's: of Identify Namespace, from 384 on, `type=local,index=1,name=nvme-300G-1`
/// (Azure/azure-vm-utils).
pub fn azure_local_name(page: &[u8]) -> Option<String> {
    let text = words(page.get(384..)?)?;
    let mut pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    let (_, name) = pairs.find(|(key, _)| *key == "name")?;
    (!name.is_empty()).then(|| name.to_string())
}

/// Text to the first zero, of plain characters only.
fn words(bytes: &[u8]) -> Option<String> {
    let text = bytes.split(|byte| *byte == 0).next()?;
    text.iter()
        .all(|byte| (0x20..0x7f).contains(byte))
        .then(|| String::from_utf8_lossy(text).trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(at: usize, text: &str) -> Vec<u8> {
        let mut page = vec![0u8; 4096];
        page[at..at + text.len()].copy_from_slice(text.as_bytes());
        page
    }

    #[test]
    fn names_stand_where_the_vendors_put_them() {
        assert_eq!(ebs_device_name(&page(3072, "sdf                     ")).as_deref(), Some("sdf"));
        assert_eq!(ebs_device_name(&page(3072, "/dev/xvdba")).as_deref(), Some("xvdba"));
        let azure = page(384, "type=local,index=1,name=nvme-300G-1");
        assert_eq!(azure_local_name(&azure).as_deref(), Some("nvme-300G-1"));
    }

    #[test]
    fn other_bytes_are_no_name() {
        for odd in [vec![], vec![0; 4096], vec![0xff; 4096], page(3072, "../../etc"), page(384, "type=local")]
        {
            assert_eq!((ebs_device_name(&odd), azure_local_name(&odd)), (None, None));
        }
    }
}
