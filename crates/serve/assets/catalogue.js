// What can be chosen: VM sizes, disks, presets and regions, asked once and offered while one types.

import { ask, el, iops, megabytes } from "/show.js";

let lists;

/** The lists of names, loaded once. */
export function catalogue() {
  lists ??= load();
  return lists;
}

async function load() {
  const [vms, disks, presets, catalog] = await Promise.all(["vms", "disks", "presets", "catalog"].map((name) => ask(name, "")));
  const rows = (answer) => answer?.document?.rows ?? [];
  const gib = (bytes) => (bytes == null ? "" : `${Math.round(bytes / 2 ** 30)} GiB`);
  const offered = {
    vms: rows(vms).map((vm) => [vm.name, [vm.vcpus && `${vm.vcpus} vCPUs`, gib(vm.memory_bytes), vm.uncached_iops && `${iops(vm.uncached_iops)} IOPS`, vm.uncached_bytes_per_s && megabytes(vm.uncached_bytes_per_s)].filter(Boolean).join(", ")]),
    disks: [...new Map(rows(disks).map((disk) => [disk.name, [disk, [gib(disk.size_bytes), disk.iops && `${iops(disk.iops)} IOPS`].filter(Boolean).join(", ")]])).entries()].map(([name, [, about]]) => [name, about]),
    presets: rows(presets).map((preset) => [preset.name, preset.about ?? ""]),
    regions: (catalog?.document?.regions ?? []).map((region) => [region, ""]),
  };
  offered.disks.push(...(catalog?.document?.disk_types ?? []).filter((type) => type.example).map((type) => [type.example, type.title]));
  for (const [name, values] of Object.entries(offered)) {
    const list = el("datalist", { id: `list-${name}` }, ...values.map(([value, about]) => el("option", { value }, about)));
    document.body.append(list);
  }
  return offered;
}
