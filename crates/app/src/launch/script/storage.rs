//! The disk of a pod in the catalogue's words, from the storage class of the cluster: with it, a prediction stands beside the run.

use iobound_catalog::{CacheSetting, Catalog, Configuration, class_disk, parse_spec, resolve};
use iobound_formats::kubernetes::{ClusterStorage, StorageClass, parse_cluster_storage};

use super::VolumeClaim;
use crate::files::WRITTEN;
use crate::settings::SettingValue;
use crate::{Env, Failure};

/// Words to add to a command, so that it knows the disk: `--disk` with its spec.
///
/// # Errors
/// A file without the storage that is asked for; a class of no known cloud; a command without a VM size, or with a disk.
pub(super) fn disk_words(
    storage: &SettingValue,
    claim: &VolumeClaim,
    words: &[String],
    env: &Env,
) -> Result<Vec<String>, Failure> {
    let has = |flag: &str| words.iter().any(|word| word == flag || word.starts_with(&format!("{flag}=")));
    if has("--disk") {
        return Err(storage.refuse("the command has a --disk of its own").help("leave out one of them"));
    }
    let Some(vm) = vm_of(words) else {
        return Err(storage
            .refuse("a prediction needs the size of the nodes")
            .help("write it after --, such as run /data --vm D8s_v5"));
    };
    let text = storage.file(env, WRITTEN)?;
    let found = parse_cluster_storage(&text).map_err(|why| {
        storage.refuse(why).help("write what `kubectl get storageclass,pvc -o json` prints")
    })?;
    let (bytes, class) = wanted(storage, claim, &found)?;
    let class = class_of(storage, class, &found)?;
    let of = |why: &dyn std::fmt::Display| storage.refuse(format!("StorageClass {}: {why}", class.name));
    let disk =
        class_disk(&class.provisioner, &class.parameters, bytes.div_ceil(1 << 30)).map_err(|why| of(&why))?;
    let disk = disk.ok_or_else(|| {
        of(&format!("its driver {} is none of Azure's, AWS's or Google Cloud's disks", class.provisioner))
            .help("leave out --storage, or write --disk after --")
    })?;
    let plain = disk.spec.clone();
    let resolves = |spec: &str| {
        let request = parse_spec(spec).map_err(|error| error.to_string())?;
        let with = Configuration { volumes: vec![request], ..Configuration::of(&vm) };
        resolve(&with, &Catalog::shipped()).map(drop).map_err(|error| error.to_string())
    };
    let spec = match disk.cache {
        CacheSetting::None => plain,
        cache => {
            let cached = format!("{plain}:{}", cache.name());
            match resolves(&cached) {
                Ok(()) => cached,
                Err(why) => {
                    env.note(&format!(
                        "the host cache {} is left out of the prediction: {why}",
                        cache.name()
                    ));
                    plain
                }
            }
        }
    };
    resolves(&spec).map_err(|why| of(&why))?;
    Ok(vec!["--disk".to_string(), spec])
}

/// The VM size in a command.
fn vm_of(words: &[String]) -> Option<String> {
    let at = words.iter().position(|word| word == "--vm");
    let behind = at.and_then(|at| words.get(at + 1)).cloned();
    behind.or_else(|| words.iter().find_map(|word| word.strip_prefix("--vm=").map(str::to_string)))
}

/// Size and class of the disk that is asked for.
fn wanted<'a>(
    storage: &SettingValue,
    claim: &'a VolumeClaim,
    found: &'a ClusterStorage,
) -> Result<(u64, Option<&'a str>), Failure> {
    let Some(name) = &claim.pvc else {
        let Some(size) = claim.volume else {
            return Err(storage.refuse("no disk is asked for").help("add --volume SIZE or --pvc NAME"));
        };
        return Ok((size.get(), claim.storage_class.as_deref()));
    };
    let own = found.claims.iter().filter(|own| &own.name == name);
    let mut own = own.filter(|own| {
        claim.namespace.is_none() || own.namespace.is_none() || own.namespace == claim.namespace
    });
    let Some(own) = own.next() else {
        return Err(storage
            .refuse(format!("it has no claim {name}"))
            .help("write what `kubectl get storageclass,pvc -o json` prints in the claim's namespace"));
    };
    if own.is_block != claim.block {
        return Err(match own.is_block {
            true => storage.refuse(format!("the claim {name} is a raw device")).help("add --block"),
            false => storage.refuse(format!("the claim {name} has a file system")).help("leave out --block"),
        });
    }
    let bytes = own.bytes.ok_or_else(|| storage.refuse(format!("the claim {name} has no size")))?;
    Ok((bytes, own.class.as_deref()))
}

/// The class of a name; without one, the cluster's default, or the only one of the file.
fn class_of<'a>(
    storage: &SettingValue,
    name: Option<&str>,
    found: &'a ClusterStorage,
) -> Result<&'a StorageClass, Failure> {
    let class = match (name, &found.classes[..]) {
        (Some(name), classes) => classes.iter().find(|class| class.name == name),
        (None, [only]) => Some(only),
        (None, classes) => classes.iter().find(|class| class.is_default),
    };
    class.ok_or_else(|| {
        let what =
            name.map_or("no default StorageClass".to_string(), |name| format!("no StorageClass {name}"));
        storage
            .refuse(format!("it has {what}"))
            .help("write what `kubectl get storageclass,pvc -o json` prints")
    })
}
