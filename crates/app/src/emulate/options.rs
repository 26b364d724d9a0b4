//! Options of the emulator.

use crate::options::{JobOptions, options};

options! {
    /// The devices that are served. Each is also a variable `IOBOUND_...`; the values are read by `emulate::how`.
    pub struct EmulateFlags in "Emulator" {
        /// Serve over NBD: unix:PATH, or tcp:ADDRESS:PORT on the loopback (tcp:127.0.0.1:10809); repeat for more
        nbd: Vec<String> = Form::Many, "ADDRESS",
            on "Emulator" PageField::text("", "Address", "", "NBD: unix:FILE or HOST:PORT");
        /// Allow this address for --nbd, in addition to the loopback. Everyone who can reach it can use the disks
        allow: Vec<String> = Form::Many, "ADDRESS";
        /// Serve as files in this folder, one for each volume and disk
        fuse: Option<String> = Form::One, "FOLDER";
        /// Let other users access the files, for example root for a loop device (needs user_allow_other in /etc/fuse.conf)
        allow_other: bool = Form::Switch;
        /// Storage of the data: memory, or a folder with one sparse file for each disk [default: memory]
        backing: Option<String> = Form::One, "memory|FOLDER";
        /// Use this existing file of --backing as a disk, although it is not recognised as one; repeat for more
        overwrite: Vec<String> = Form::Many, "PATH";
        /// Memory limit of the data; writes beyond it fail with "no space" [default: half of the free memory]
        memory: Option<String> = Form::One, "SIZE",
            on "Emulator" PageField::text("short", "Keep data in memory", "no", "at most: 1GiB");
        /// Initial content of a volume, VOLUME=FILE. The file is only read; repeat for more
        image: Vec<String> = Form::Many, "IMAGE";
        /// Limits and latencies: on, or off to measure the transport alone [default: on]
        limits: Option<String> = Form::One, "on|off";
        /// Busy-wait for this time at the end of each wait: --spin=50us; --spin=0: never; --spin: always; --spin=auto: 10us plus the usual wake-up delay [default: auto]
        spin: Option<String> = Form::Alone("always"), "TIME";
        /// At the end, lose the data that a ReadWrite cache has not written back, as when a host fails
        crash: bool = Form::Switch;
        /// Transport overhead to subtract from every latency [default: measured at startup]
        transport_cost: Option<String> = Form::One, "TIME";
        /// Serve Prometheus metrics at this loopback address: 127.0.0.1:9464
        metrics: Option<String> = Form::One, "ADDRESS";
        /// Path of the control socket [default: in the user's run directory, where `emulate ctl` finds it]
        control: Option<String> = Form::One, "PATH";
        /// Stop after this time [default: at Ctrl-C]
        duration: Option<String> = Form::One, "TIME";
    }
}

options! {
    /// The workload that ran on the disks before. `--at` and `--cache-state` start with the credits and caches that it leaves.
    pub struct BeforeOptions in "Workload that ran before" {
        /// Duration of that workload, for --cache-state second-run [default: the workload's own, else 30s]
        ran_for: Option<String> = Form::One, "TIME";
    }
    jobs: JobOptions;
}
