//! Storage of a Kubernetes cluster, as `kubectl get storageclass,pvc -o json` prints it: an object, or a list of them
//! (<https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/>).

use iobound_units::Problem;
use std::collections::BTreeMap;

use serde::Deserialize;

/// Objects of a file that say what disks are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterStorage {
    /// Storage classes.
    pub classes: Vec<StorageClass>,
    /// Claims.
    pub claims: Vec<StorageClaim>,
}

/// A StorageClass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageClass {
    /// Its name.
    pub name: String,
    /// Its driver: `disk.csi.azure.com`.
    pub provisioner: String,
    /// Parameters for the driver.
    pub parameters: BTreeMap<String, String>,
    /// True if claims without a class are of it.
    pub is_default: bool,
}

/// A PersistentVolumeClaim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StorageClaim {
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: Option<String>,
    /// Its class.
    pub class: Option<String>,
    /// Its size in bytes: that of its volume, else that which it requests.
    pub bytes: Option<u64>,
    /// True if it is a raw device (`volumeMode: Block`).
    pub is_block: bool,
}

/// Keys of all kinds that are read.
#[derive(Deserialize)]
struct Object {
    kind: String,
    #[serde(default)]
    metadata: Metadata,
    items: Option<Vec<Object>>,
    provisioner: Option<String>,
    parameters: Option<BTreeMap<String, String>>,
    #[serde(default)]
    spec: ClaimSpec,
    #[serde(default)]
    status: ClaimStatus,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    name: String,
    namespace: Option<String>,
    annotations: Option<BTreeMap<String, String>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ClaimSpec {
    storage_class_name: Option<String>,
    volume_mode: Option<String>,
    resources: ClaimResources,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaimResources {
    requests: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ClaimStatus {
    capacity: BTreeMap<String, String>,
}

/// Reads classes and claims.
///
/// # Errors
/// Text that is no JSON of Kubernetes, has none of either, or has a size that is no quantity.
pub fn parse_cluster_storage(text: &str) -> Result<ClusterStorage, Problem> {
    let document: Object = serde_json::from_str(text)
        .map_err(|error| Problem::new(format!("it is not JSON of kubectl get -o json: {error}")))?;
    let mut found = ClusterStorage::default();
    add(document, &mut found)?;
    if found.classes.is_empty() && found.claims.is_empty() {
        return Err(Problem::new("it has no StorageClass and no PersistentVolumeClaim".to_string()));
    }
    Ok(found)
}

fn add(object: Object, found: &mut ClusterStorage) -> Result<(), Problem> {
    let Object { kind, metadata, items, provisioner, parameters, spec, status } = object;
    match kind.as_str() {
        "StorageClass" => {
            let missing = || Problem::new(format!("StorageClass {} has no provisioner", metadata.name));
            let of = |name: &str| metadata.annotations.as_ref().and_then(|all| all.get(name));
            found.classes.push(StorageClass {
                provisioner: provisioner.ok_or_else(missing)?,
                parameters: parameters.unwrap_or_default(),
                is_default: of("storageclass.kubernetes.io/is-default-class")
                    .is_some_and(|text| text == "true"),
                name: metadata.name,
            });
        }
        "PersistentVolumeClaim" => {
            let stated = status.capacity.get("storage").or(spec.resources.requests.get("storage"));
            let odd = |text: &String| {
                Problem::new(format!("claim {}: `{text}` is not a size such as 100Gi", metadata.name))
            };
            found.claims.push(StorageClaim {
                bytes: stated.map(|text| quantity(text).ok_or_else(|| odd(text))).transpose()?,
                class: spec.storage_class_name,
                is_block: spec.volume_mode.as_deref() == Some("Block"),
                namespace: metadata.namespace,
                name: metadata.name,
            });
        }
        _ => {}
    }
    items.into_iter().flatten().try_for_each(|item| add(item, found))
}

/// Bytes of a quantity: digits, and one of the suffixes for sizes.
fn quantity(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 12] = [
        ("Ki", 1 << 10),
        ("Mi", 1 << 20),
        ("Gi", 1 << 30),
        ("Ti", 1 << 40),
        ("Pi", 1 << 50),
        ("Ei", 1 << 60),
        ("k", 1_000),
        ("M", 1_000_000),
        ("G", 1_000_000_000),
        ("T", 1_000_000_000_000),
        ("P", 1_000_000_000_000_000),
        ("", 1),
    ];
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (_, bytes) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*bytes).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_its_classes_and_claims() {
        let text = r#"{"apiVersion": "v1", "kind": "List", "items": [
            {"kind": "StorageClass", "metadata": {"name": "fast", "annotations":
                {"storageclass.kubernetes.io/is-default-class": "true"}}, "provisioner": "disk.csi.azure.com",
             "parameters": {"skuName": "Premium_LRS"}},
            {"kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "db"}, "spec":
                {"storageClassName": "fast", "volumeMode": "Block", "resources": {"requests": {"storage": "100Gi"}}},
             "status": {"capacity": {"storage": "128Gi"}}},
            {"kind": "Pod", "metadata": {"name": "x"}, "spec": {}}]}"#;
        let found = parse_cluster_storage(text).unwrap();
        assert_eq!((found.classes.len(), found.classes[0].is_default), (1, true));
        let claim = &found.claims[0];
        assert_eq!(
            (claim.bytes, claim.is_block, claim.class.as_deref()),
            (Some(128 << 30), true, Some("fast"))
        );
    }

    #[test]
    fn what_is_no_storage_is_refused() {
        for (text, why) in [
            ("kind: StorageClass", "not JSON"),
            ("{}", "not JSON of kubectl"),
            (r#"{"kind": "List", "items": []}"#, "no StorageClass"),
            (r#"{"kind": "StorageClass", "metadata": {"name": "a"}}"#, "StorageClass a has no provisioner"),
            (
                r#"{"kind": "PersistentVolumeClaim", "spec": {"resources": {"requests": {"storage": "many"}}}}"#,
                "`many` is not a size",
            ),
        ] {
            let error = parse_cluster_storage(text).unwrap_err().to_string();
            assert!(error.contains(why), "{text}: {error}");
        }
        assert_eq!(["1e3", "0", "5Gib", "99999999999Ei", "1.5Gi"].map(quantity), [None; 5]);
    }
}
