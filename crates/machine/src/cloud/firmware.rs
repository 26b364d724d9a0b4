use iobound_catalog::Cloud;

use crate::World;

/// Facts of the firmware's tables (DMI) about the cloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// The cloud.
    pub provider: Cloud,
    /// Table that names it: `/sys/class/dmi/id/chassis_asset_tag`.
    pub source: String,
    /// The VM size, where the firmware has it.
    pub size: Option<String>,
}

const FOLDER: &str = "/sys/class/dmi/id";

/// Cloud named by the firmware; `None` if it names none. No network is used.
pub fn firmware(world: &World) -> Option<Firmware> {
    let read = |name: &str| Some(world.text(&format!("{FOLDER}/{name}"))?.trim().to_string());
    let marks = Cloud::ALL
        .into_iter()
        .flat_map(|cloud| cloud.rules().guest.firmware.iter().map(move |mark| (cloud, mark)));
    let (provider, mark) =
        { marks }.find(|(_, mark)| read(mark.table).is_some_and(|text| (mark.is)(&text)))?;
    let size = read("product_name").and_then(|name| (mark.size)(&name));
    Some(Firmware { provider, source: format!("{FOLDER}/{}", mark.table), size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::Tree;

    fn of(files: &[(&str, &str)]) -> Option<Firmware> {
        let tree = Tree::new();
        for (name, text) in files {
            tree.file(&format!("{FOLDER}/{name}"), &format!("{text}\n"));
        }
        firmware(&tree.world())
    }

    #[test]
    fn each_cloud_is_known_by_its_own_mark() {
        let provider = |files: &[(&str, &str)]| of(files).map(|firmware| firmware.provider);
        let hyper_v = ("sys_vendor", "Microsoft Corporation");
        assert_eq!(
            provider(&[hyper_v, ("chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77")]),
            Some(Cloud::Azure)
        );
        // Hyper-V outside Azure is not Azure.
        assert_eq!(provider(&[hyper_v, ("chassis_asset_tag", "0000-0000")]), None);
        assert_eq!(provider(&[("product_name", "Google Compute Engine")]), Some(Cloud::Gcp));
        assert_eq!(provider(&[("bios_version", "4.11.amazon")]), Some(Cloud::Aws));
        assert_eq!(provider(&[("sys_vendor", "LENOVO"), ("product_name", "21CBCTO1WW")]), None);
        assert_eq!(provider(&[]), None);
    }

    #[test]
    fn nitros_firmware_names_the_instance_type() {
        let found = of(&[("sys_vendor", "Amazon EC2"), ("product_name", "m5.large")]).unwrap();
        assert_eq!((found.provider, found.size.as_deref()), (Cloud::Aws, Some("m5.large")));
    }
}
