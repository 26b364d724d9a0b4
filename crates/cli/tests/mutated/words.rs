//! Words of a command line.

use iobound_app::doctor::{DoctorRequest, PreparedDoctor};
use iobound_app::{Common, Env};
use iobound_emulate::control::Command;
use iobound_report::{Style, doctor_document, doctor_text};

use crate::seed::{Reader, Seed, fixture, of_files, of_words};

/// The words themselves.
pub(crate) fn words() -> Vec<Seed> {
    vec![
        of_words(
            "--diskspd",
            "predict|--vm=DS14|--disk=P30|--diskspd=-b8K -d60 -o8 -t4 -r -w30 -c10G -g500i x.dat",
            3,
        ),
        of_words(
            "--fio",
            "predict|--vm=DS14|--disk=P30|--fio=--name=a --rw=randrw --bs=8k --iodepth=8 --numjobs=4 --size=10g --rate_iops=500",
            3,
        ),
        of_words(
            "predict",
            "predict|--vm=DS14|--disk=P30|--depth=32|--threads=4|--block=8KiB|--size=10GiB|--read=70%|--random",
            2,
        ),
        of_words(
            "predict",
            "predict|--vm=D4s_v3|--disk=2xP20|--rate=500iops|--depth=16|--block=8KiB|--duration=60s|--warmup=5s",
            2,
        ),
        of_words("predict", "predict|--vm=DS14|--disk=P30|--depth=8|--threads=2|--find-knee", 2),
        of_words(
            "predict",
            "predict|--vm=D8s_v5|--disk=premiumv2@1TiB+20000iops+600MB/s|--depth=32|--hosts=4",
            2,
        ),
        of_words(
            "--observed",
            "predict|--vm=DS14|--disk=P30|--depth=32|--observed=iops=4900 throughput=40MB/s",
            4,
        ),
        of_words(
            "--observed",
            "explain|--vm=DS14|--disk=P30|--observed=iops=4900 latency=p99:40ms depth=32 block=8KiB",
            3,
        ),
        of_words(
            "--observed",
            "explain|--vm=DS14_v2|--disk=6xP30:readonly|--separate|--observed=throughput=555MB/s|--want=iops=20000",
            4,
        ),
        of_words("plan", "plan|--iops=2000|--throughput=50MB/s|--capacity=100GiB|--candidates=2", 1),
        of_words(
            "simulate",
            "simulate|--vm=D2s_v3|--disk=P20|--depth=4|--block=8KiB|--size=1GiB|--duration=2s|--warmup=1s",
            2,
        ),
        of_words("catalog", "catalog|vms|--min-iops=50000|--min-disks=16|--min-memory=64GiB", 2),
    ]
}

/// The words of verbs that go on to targets and devices, and the files that these words name.
pub(crate) fn checked() -> Vec<Seed> {
    let run = [
        "run|/mnt/data|--size=10GiB|--depth=32|--threads=4|--block=8KiB|--read=70%|--random|--duration=60s|--warmup=5s|\
         --cooldown=1s|--interval=1s|--max-iops=5000|--engine=sync",
        "run|/mnt/data|--size=1GiB|--rate=500iops|--arrivals=poisson|--depth=16|--fail-if=p99 > 5ms|--max-pressure=io=20%",
        "run|/mnt/data|--size=1GiB|--depth=8|--until=ci=2%|--compressible=50%|--dedupe=10%|--seed=7|--cpus=0",
        "run|/mnt/data|--size=1GiB|--depth=4|--threads=2|--zipf=1.2|--offset=4KiB|--align=4KiB|--flush-every=16|--verify|--read=0%",
        "run|/mnt/data|--size=1GiB|--depth=4|--hot=90/10|--think=5ms|--burst=8|--cap=100iops",
        "run|/mnt/data|--size=1GiB|--depth=4|--sequential=shared|--stride=64KiB|--results=off|--engine=libaio",
        "run|/mnt/data|--size=1GiB|--depth=4|--vs=--depth 16 --block 8KiB|--rounds=8|--fail-if=iops < -5%",
        "run|/mnt/data|--size=1GiB|--depth=4|--threads=2|--find-knee",
        "run|/mnt/data|--fio=--name=a --rw=randrw --bs=8k --iodepth=8 --numjobs=4 --size=10g --rate_iops=500 --runtime=60",
        "run|/mnt/data|--diskspd=-b8K -d60 -o8 -t4 -r -w30 -c10G -g500i x.dat",
    ];
    let lab = [
        "lab|--duration=10s|--only=E6,E11|--seed=3",
        "lab|queue-depth|--real-time|--duration=1s|--only=*",
        "lab|real-depth|--target=/mnt/data|--duration=3s",
    ];
    let emulate = [
        "emulate|--vm=DS14|--disk=10xP30|--nbd=tcp:127.0.0.1:10809|--metrics=127.0.0.1:9464|--memory=1MiB|--duration=60s|\
         --transport-cost=20us|--spin=10us",
        "emulate|--vm=D2s_v3|--disk=P20|--at=20min|--block=8KiB|--nbd=unix:a.sock|--memory=1MiB|--seed=1",
        "emulate|--vm=DS14|--disk=data=2xP30:readonly|--disk=log=2xP20|--fuse=disks|--memory=1MiB|--cache-state=second-run|\
         --ran-for=1s|--rate=100iops|--size=1GiB",
        "emulate|--vm=D8s_v5|--disk=premiumv2@1TiB+20000iops+600MB/s|--nbd=unix:a.sock|--memory=1MiB|--allow=10.0.0.4|\
         --nbd=tcp:10.0.0.4:10809|--limits=off",
    ];
    let mut seeds = Vec::new();
    for (parser, lines) in [("run", &run[..]), ("lab", &lab[..]), ("emulate", &emulate[..])] {
        seeds.extend(lines.iter().map(|line| of_words(parser, line, 1).checked()));
    }
    for name in ["published.toml", "real-depth.toml", "queue-depth.toml"] {
        let line = "lab|mine.toml|--target=/mnt/data";
        seeds.push(of_files("experiment", line, &[("mine.toml", fixture(name))]).checked());
    }
    let config = "duration = \"60s\"\nwarmup = \"5s\"\ncooldown = \"1s\"\nseed = 7\n\
                  [[job]]\nname = \"a\"\nread = \"70%\"\nblock = \"8KiB\"\ndepth = 32\nthreads = 4\nrandom = true\nsize = \"10GiB\"\n";
    seeds.push(of_files("TOML", "run|/mnt/data|--config=<a>", &[("<a>", config.to_string())]).checked());
    seeds
}

/// Texts that only a running emulator or a cluster answers: they are parsed.
pub(crate) fn parsed() -> Vec<Seed> {
    let of = |parser, parse, text: &str| Seed {
        reader: Reader::Parser(parse),
        ..of_files(parser, "", &[("", text.to_string())])
    };
    let ctl = |text: &str| Command::parse(&text.split(' ').collect::<Vec<_>>()).is_ok();
    let hosts = |text: &str| iobound_formats::hosts::read(None, text, None).is_ok();
    vec![
        of("doctor --setup", doctored, &fixture("windows-sqlvm.json")),
        of("doctor --setup", doctored, &fixture("windows-one.json")),
        of("emulate ctl", ctl, "fault data latency=5x errors=1% stall=10s for=30s"),
        of("emulate ctl", ctl, "bad-host 5x for=30s"),
        of("emulate ctl", ctl, "add-disk log=2xP20@512GiB"),
        of("hosts", hosts, "db1 slots=4\ndba@10.0.0.4:2222\n[2001:db8::1]:22\n"),
        of(
            "hosts",
            hosts,
            "[db]\ndb[1:4] ansible_port=2222\ndb5 ansible_host=10.0.0.5\n[db:vars]\nansible_user=dba\n",
        ),
        of(
            "hosts",
            hosts,
            "{\"_meta\": {\"hostvars\": {\"db1\": {\"ansible_host\": \"10.0.0.4\", \"ansible_port\": 2222}}}, \
             \"db\": {\"hosts\": [\"db1\"]}}",
        ),
    ]
}

/// Answers `doctor --setup` with a file, in every form.
fn doctored(text: &str) -> bool {
    let env = Env::default().texts([("windows.json".to_string(), text.to_string())].into());
    let request = DoctorRequest { setup: Some("windows.json".to_string()), ..DoctorRequest::default() };
    let answer = PreparedDoctor::read(&request, &Common::default(), &env).and_then(|it| it.answer(&env));
    answer.is_ok_and(|answer| {
        let doctored = answer.doctored();
        let document = serde_json::to_string(&doctor_document(&doctored)).expect("a document");
        let text = doctor_text(&doctored, Style { width: None, color: false, ascii: false });
        !text.contains("NaN") && !document.is_empty()
    })
}
