//! Options that only some of fio's I/O engines have: names from `engines/` of fio 3.33.
//!
//! Such an engine issues no I/O on files or devices, or does it by means of its own. Its options are known so that a job
//! file can be read; a run refuses them by name.

use super::options::{Effect, FioOption, ValueKind};

const fn option(name: &'static str, kind: ValueKind) -> FioOption {
    let why = "an option of an unsupported I/O engine";
    FioOption { name, alias: "", kind, effect: Effect::Refused(&["0"], why) }
}

/// An option with a value.
const fn of_engine(name: &'static str) -> FioOption {
    option(name, ValueKind::Text)
}

/// An option with a value, whose refusal names what stands in for its engine.
const fn instead(name: &'static str, why: &'static str) -> FioOption {
    FioOption { name, alias: "", kind: ValueKind::Text, effect: Effect::Refused(&["0"], why) }
}

/// An option that stands alone.
const fn alone(name: &'static str) -> FioOption {
    option(name, ValueKind::Flag)
}

/// The options, by engine.
#[rustfmt::skip]
pub(super) static ENGINE_OPTIONS: &[FioOption] = &[
    // cpu
    of_engine("cpumode"),
    of_engine("exit_on_io_done"),
    // dfs
    of_engine("chunk_size"),
    of_engine("cont"),
    of_engine("object_class"),
    of_engine("pool"),
    of_engine("svcl"),
    // e4defrag
    of_engine("donorname"),
    of_engine("inplace"),
    // exec
    of_engine("arguments"),
    of_engine("grace_time"),
    of_engine("program"),
    of_engine("std_redirect"),
    // fileoperations
    of_engine("stat_type"),
    // glusterfs
    of_engine("brick"),
    of_engine("volume"),
    // http
    of_engine("http_host"),
    of_engine("http_mode"),
    of_engine("http_pass"),
    of_engine("http_s3_key"),
    of_engine("http_s3_keyid"),
    of_engine("http_s3_region"),
    of_engine("http_s3_sse_customer_algorithm"),
    of_engine("http_s3_sse_customer_key"),
    of_engine("http_s3_storage_class"),
    of_engine("http_swift_auth_token"),
    of_engine("http_user"),
    of_engine("http_verbose"),
    of_engine("https"),
    // libcufile
    of_engine("cuda_io"),
    of_engine("gpu_dev_ids"),
    // libhdfs
    of_engine("hdfs_use_direct"),
    of_engine("hdfsdirectory"),
    of_engine("hostname"),
    of_engine("namenode"),
    of_engine("port"),
    of_engine("single_instance"),
    // libiscsi
    of_engine("initiator"),
    // librpma_fio
    of_engine("busy_wait_polling"),
    of_engine("direct_write_to_pmem"),
    of_engine("serverip"),
    // mmap
    of_engine("thp"),
    // mtd
    of_engine("skip_bad"),
    // nbd
    instead("uri", "an option of fio's engine nbd, which is not supported: attach the export with nbd-client or qemu-nbd \
                    --connect, and name its device (filename=/dev/nbd0)"),
    // net
    of_engine("interface"),
    alone("listen"),
    of_engine("mss"),
    of_engine("nodelay"),
    alone("pingpong"),
    of_engine("protocol"),
    of_engine("ttl"),
    of_engine("window_size"),
    // nfs
    of_engine("nfs_url"),
    // rados
    of_engine("busy_poll"),
    of_engine("clientname"),
    of_engine("clustername"),
    of_engine("conf"),
    of_engine("touch_objects"),
    // rbd
    of_engine("rbdname"),
    // rdma
    of_engine("bindname"),
    of_engine("verb"),
    // sg
    of_engine("readfua"),
    of_engine("sg_write_mode"),
    of_engine("stream_id"),
    of_engine("writefua"),
    // windowsaio
    alone("no_completion_thread"),
    // xnvme
    of_engine("xnvme_admin"),
    of_engine("xnvme_async"),
    of_engine("xnvme_be"),
    of_engine("xnvme_dev_nsid"),
    alone("xnvme_iovec"),
    of_engine("xnvme_sync"),
];
