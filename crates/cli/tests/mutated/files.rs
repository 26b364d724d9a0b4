//! Files: what other tools wrote, and the program's own.

use iobound::{Beside, ask};

use crate::fields::fields_of;
use crate::seed::{Seed, fixture, of_files};

/// Output of tools that watch disks, with a configuration that its devices fit.
pub(crate) fn observations() -> Vec<Seed> {
    let one: [(&'static str, &str, &str); 18] = [
        ("iostat", "D8s_v3|--disk=P30", "iostat-10.txt"),
        ("iostat", "D8s_v3|--disk=P30", "iostat-11.txt"),
        ("iostat", "D8s_v3|--disk=P30", "iostat-12-comma.txt"),
        ("iostat", "D8s_v3|--disk=P30", "iostat-12-h.txt"),
        ("iostat", "D8s_v3|--disk=P30", "iostat-12-short.txt"),
        ("iostat", "D8s_v3|--disk=P30", "iostat-sectors.txt"),
        ("iostat", "D8s_v3|--disk=P30", "iostat-12.json"),
        ("diskstats", "D8s_v3|--disk=P30", "diskstats-one-busy.txt"),
        ("perfmon", "D8s_v3|--disk=P30:readonly", "typeperf.csv"),
        ("perfmon", "D8s_v3|--disk=P30:readonly", "perfmon-utf16.csv"),
        ("SQL Server", "DS14|--disk=data=P30|--disk=log=P20", "file-stats-sqlcmd.txt"),
        ("pg_stat_io", "DS14|--disk=P30", "pg-stat-io-16.txt"),
        ("Azure Monitor", "DS14|--disk=2xP30", "azure-chart-by-lun.csv"),
        ("Azure Monitor", "DS14|--disk=P30", "azure-consumed-table.txt"),
        ("Azure Monitor", "DS14|--disk=2xP20", "azure-metrics.json"),
        ("fio's result", "D8s_v3|--disk=P30", "fio.json"),
        ("DiskSpd's result", "D8s_v3|--disk=P30", "diskspd.txt"),
        ("Iometer's result", "DS3|--era=2016|--disk=standard@100GiB", "iometer.csv"),
    ];
    let mut seeds: Vec<Seed> = one
        .into_iter()
        .map(|(parser, configuration, name)| {
            of_files(parser, &format!("explain|--vm={configuration}|--result=<a>"), &[("<a>", fixture(name))])
        })
        .collect();
    for name in ["fio.json", "diskspd.txt", "iometer.csv"] {
        let parser = match name {
            "fio.json" => "fio's result",
            "diskspd.txt" => "DiskSpd's result",
            _ => "Iometer's result",
        };
        seeds.push(of_files(parser, "result|<a>", &[("<a>", fixture(name))]));
        let other = ("<b>", fixture("fio.json"));
        seeds.push(of_files(parser, "compare|<a>|<b>", &[("<a>", fixture(name)), other]));
    }
    for (parser, configuration, before, after, interval) in [
        (
            "diskstats",
            "DS14|--disk=4xP30",
            "diskstats-20-before.txt",
            "diskstats-20-after.txt",
            "|--interval=10s",
        ),
        (
            "SQL Server",
            "DS14|--disk=data=P30|--disk=log=P20",
            "file-stats-before.csv",
            "file-stats-after.csv",
            "",
        ),
        (
            "pg_stat_io",
            "DS14|--disk=P30|--disk=wal=P10",
            "pg-stat-io-18-before.csv",
            "pg-stat-io-18-after.csv",
            "",
        ),
    ] {
        let line = format!("explain|--vm={configuration}|--result=<a>|--result=<b>{interval}");
        seeds.push(of_files(parser, &line, &[("<a>", fixture(before)), ("<b>", fixture(after))]));
    }
    seeds
}

/// The program's own documents and files.
pub(crate) fn own() -> Vec<Seed> {
    let simulated = |words: &str| -> String {
        let (verb, fields) = fields_of(&words.split('|').collect::<Vec<_>>());
        ask(&verb, &fields, Beside::default()).expect("a result").document
    };
    let closed = simulated(
        "simulate|--vm=D2s_v3|--disk=P20|--read=70%|--random|--depth=8|--size=1GiB|--duration=3s|--warmup=1s",
    );
    let open = simulated(
        "simulate|--vm=D2s_v3|--disk=P20|--read=70%|--random|--rate=500iops|--size=1GiB|--duration=3s",
    );
    let own = "own JSON";
    let mut seeds = vec![
        of_files(own, "result|<a>", &[("<a>", closed.clone())]),
        of_files(own, "result|<a>", &[("<a>", open.clone())]),
        of_files(own, "explain|--vm=D2s_v3|--disk=P20|--result=<a>", &[("<a>", closed.clone())]),
        of_files(own, "compare|<a>|<b>", &[("<a>", closed), ("<b>", open)]),
    ];
    let toml = "[machine]\nvm = \"DS14\"\n[[disk]]\ndisk = \"10xP30\"\n\
                [[job]]\nname = \"a\"\nread = \"70%\"\nblock = \"8KiB\"\ndepth = 32\nthreads = 4\nrandom = true\n\
                [[job]]\nname = \"b\"\nread = \"0%\"\nblock = \"64KiB\"\ndepth = 1\nrate = \"500iops\"\nsize = \"10GiB\"\n";
    for verb in ["predict", "explain|--observed=iops=20000"] {
        seeds.push(of_files("TOML", &format!("{verb}|--config=<a>"), &[("<a>", toml.to_string())]));
    }
    for name in ["postgres-oltp.toml", "sqlserver-oltp.toml", "kafka.toml", "vdi-steady.toml"] {
        let line = "predict|--vm=DS14_v2|--disk=4xP30|--workload=<a>";
        // The table about the preset itself is no part of a workload.
        let text = fixture(name);
        let jobs = text.split_once("\n[[").map(|(_, jobs)| format!("[[{jobs}")).expect("jobs");
        seeds.push(of_files("TOML", line, &[("<a>", jobs)]));
    }
    let job = "[global]\nioengine=libaio\nbs=4k\niodepth=16\nsize=10g\nruntime=60\ntime_based\n\
               [a]\nrw=randread\nnumjobs=2\n[b]\nrw=randrw\nrwmixread=70\nrate_iops=500\n";
    seeds.push(of_files(
        "fio's job file",
        "predict|--vm=DS14|--disk=P30|--fio=<a>",
        &[("<a>", job.to_string())],
    ));
    let xml = "<Profile><TimeSpans><TimeSpan><Duration>60</Duration><Targets><Target><Path>x.dat</Path>\
               <BlockSize>8192</BlockSize><Random>8192</Random><RequestCount>8</RequestCount><WriteRatio>30</WriteRatio>\
               <ThreadsPerFile>4</ThreadsPerFile><DisableOSCache>true</DisableOSCache><FileSize>52428800000</FileSize>\
               </Target></Targets></TimeSpan></TimeSpans></Profile>";
    let line = "predict|--vm=DS14|--disk=P30|--diskspd-xml=<a>";
    seeds.push(of_files("DiskSpd's XML", line, &[("<a>", xml.to_string())]));
    seeds.extend(iometer());
    seeds
}

/// Iometer's configuration: several workers, specifications and cycles.
fn iometer() -> Vec<Seed> {
    let icf = "Version 1.1.0\n'TEST SETUP ====\n'Run Time\n'\thours minutes seconds\n\t0 1 0\n'Ramp Up Time (s)\n\t5\n\
'Queue Depth Cycling\n' a\n\t1 32 2 EXPONENTIAL\n'Disk Cycling\n\t1 1 LINEAR\n'Test Type\n\tCYCLE_OUTSTANDING_IOS\n'END test setup\n\
'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\n\ta,ALL\n'size\n\t4096,60,50,100,0,1,0,0\n\
\t512,40,50,0,0,1,0,0\n'END access specifications\n'MANAGER LIST\n'Manager ID, manager name\n\t1,x\n'Worker\n\tw\n\
'Worker type\n\tDISK\n'Default target settings for worker\n'Number of outstanding IOs\n\t4,DISABLED,1,ENABLED,5\n\
'Disk maximum size,starting sector\n\t1000,8\n'End default target settings for worker\n'Assigned access specs\n\ta\n\
'End assigned access specs\n'Target assignments\n'Target\n\tE:\n'Target type\n\tDISK\n'End target\n\
'End target assignments\n'End worker\n'End manager\n'END manager list\n";
    let normal = icf.replace("CYCLE_OUTSTANDING_IOS", "NORMAL");
    let parser = "Iometer's .icf";
    vec![
        of_files(parser, "predict|--vm=DS14|--disk=P30|--iometer=<a>", &[("<a>", icf.to_string())]),
        of_files(parser, "predict|--vm=DS14|--disk=P30|--iometer=<a>", &[("<a>", normal.clone())]),
        of_files(parser, "run|/mnt/data|--size=1GiB|--iometer=<a>", &[("<a>", normal)]).checked(),
    ]
}
