// The names of limits and bindings for people.

const WORDS = {
  "account.iops": "the storage account's IOPS", "cache.dirty": "dirty data of the ReadWrite cache", queue_depth: "queue depth", rate: "the requested rate", client: "the client", unknown: "nothing known",
};
const GROUPS = { disk: "the disks'", vm: "the VM's", ebs: "the instance's EBS", uncached: "uncached", cached: "cached", iops: "IOPS", throughput: "throughput" };

/** `vm.uncached.iops` is "the VM's uncached IOPS", `vm.ebs.throughput` "the instance's EBS throughput". */
export function readable(name) {
  if (WORDS[name]) return WORDS[name];
  if (!/^(disk|vm)[.]/.test(name)) return name;
  return name.replace("vm.ebs.", "ebs.").split(".").map((part) => GROUPS[part] ?? part).join(" ");
}

/** A text with the names of its limits. */
export function named(text) {
  return (text ?? "").replace(/\b(disk|vm)[.][a-z.0-9-]*(iops|throughput)\b/g, readable);
}
