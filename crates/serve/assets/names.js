// The names of limits and bindings, as a person says them.

/** `vm.uncached.iops` as a person says it. */
export function readable(name) {
  const words = {
    "disk.iops": "IOPS of the disks", "disk.throughput": "throughput of the disks", "vm.uncached.iops": "the VM's uncached IOPS", "vm.uncached.throughput": "the VM's uncached throughput", "vm.cached.iops": "the VM's cached IOPS", "vm.cached.throughput": "the VM's cached throughput", "account.iops": "the storage account's IOPS", "cache.dirty": "dirty data of the ReadWrite cache", queue_depth: "queue depth", rate: "the asked rate", client: "the client", unknown: "nothing known" };
  return words[name] ?? name;
}
