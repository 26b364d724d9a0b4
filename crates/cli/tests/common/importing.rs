//! An import with something of each kind in it: added, changed, gone, refused, left out.

use std::path::Path;

/// What an earlier import made of a size that the list does not have.
const BEFORE: &str = "# imported figures: `iobound catalog import` replaces what stands from here to the line `# end of imported figures`;
[[vm]]
name = \"Standard_Gone\"
uncached_iops = 7
listed_in = \"a\"
# end of imported figures
";

const LIST: &str = r#"[
  {"resourceType": "virtualMachines", "name": "Standard_D8s_v5", "locations": ["a"],
   "capabilities": [{"name": "UncachedDiskIOPS", "value": "7"}],
   "restrictions": [{"type": "Location", "values": ["a"], "reasonCode": "QuotaId"}]},
  {"resourceType": "virtualMachines", "name": "Standard_New", "locations": ["a"],
   "capabilities": [{"name": "UncachedDiskIOPS", "value": "7"}], "restrictions": []},
  {"resourceType": "disks", "name": "Premium_LRS"}
]"#;

/// The command, while the folder is there.
pub(crate) fn import(folder: &Path) -> String {
    let (list, mine) = (folder.join("skus.json"), folder.join("mine.toml"));
    std::fs::write(&list, LIST).expect("the folder is there");
    std::fs::write(&mine, BEFORE).expect("the folder is there");
    format!("catalog import {} --into {}", list.display(), mine.display())
}
