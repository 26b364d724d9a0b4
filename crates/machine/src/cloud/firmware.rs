use super::Provider;
use crate::World;

/// Facts of the firmware's tables (DMI) about the cloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firmware {
    /// The cloud.
    pub provider: Provider,
    /// Table that names it: `/sys/class/dmi/id/chassis_asset_tag`.
    pub source: String,
    /// The VM size, where the firmware has it.
    pub size: Option<String>,
}

const FOLDER: &str = "/sys/class/dmi/id";

/// The tag of every VM of Azure's; Hyper-V elsewhere has another (cloud-init, `ds-identify`; Microsoft's "Azure Instance
/// Metadata Service" names it).
const AZURE_TAG: &str = "7783-7084-3265-9085-8269-3286-77";

/// Cloud named by the firmware; `None` if it names none. No network is used.
pub fn firmware(world: &World) -> Option<Firmware> {
    let read = |name: &str| Some(world.text(&format!("{FOLDER}/{name}"))?.trim().to_string());
    let found =
        |provider, name: &str, size| Some(Firmware { provider, source: format!("{FOLDER}/{name}"), size });
    if read("chassis_asset_tag").as_deref() == Some(AZURE_TAG) {
        return found(Provider::Azure, "chassis_asset_tag", None);
    }
    if read("sys_vendor").as_deref() == Some("Amazon EC2") {
        // On Nitro the product is the instance type.
        let size = read("product_name").filter(|name| name.contains('.'));
        return found(Provider::Ec2, "sys_vendor", size);
    }
    // On Xen, `4.11.amazon`.
    if read("bios_version").is_some_and(|version| version.to_ascii_lowercase().contains("amazon")) {
        return found(Provider::Ec2, "bios_version", None);
    }
    if read("product_name").as_deref() == Some("Google Compute Engine") {
        return found(Provider::Gcp, "product_name", None);
    }
    None
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
        assert_eq!(provider(&[hyper_v, ("chassis_asset_tag", AZURE_TAG)]), Some(Provider::Azure));
        // Hyper-V outside Azure is not Azure.
        assert_eq!(provider(&[hyper_v, ("chassis_asset_tag", "0000-0000")]), None);
        assert_eq!(provider(&[("product_name", "Google Compute Engine")]), Some(Provider::Gcp));
        assert_eq!(provider(&[("bios_version", "4.11.amazon")]), Some(Provider::Ec2));
        assert_eq!(provider(&[("sys_vendor", "LENOVO"), ("product_name", "21CBCTO1WW")]), None);
        assert_eq!(provider(&[]), None);
    }

    #[test]
    fn nitros_firmware_names_the_instance_type() {
        let found = of(&[("sys_vendor", "Amazon EC2"), ("product_name", "m5.large")]).unwrap();
        assert_eq!((found.provider, found.size.as_deref()), (Provider::Ec2, Some("m5.large")));
    }
}
