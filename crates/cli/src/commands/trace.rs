use clap::{Args, Subcommand};
use iobound_app::trace::{
    ConvertRequest, CutRequest, Edit, FitRequest, InfoRequest, MergeRequest, ScaleRequest, edit, fit, info,
};
use iobound_app::{Env, Exit, Failure};
use iobound_report::Document;

use crate::arguments::{CommonArgs, Typed};
use crate::output;
use crate::reading::ReadingLine;

const EXAMPLES: &str = "\
Examples:
  iobound trace info monday.trace               # sizes, rates, bursts, working set, hit rates
  iobound trace info sda                        # blktrace's sda.blktrace.0, .1 and so on
  iobound trace info hm_0.csv.gz                # gzip and zstd are read; - is standard input
  iobound trace fit monday.trace > monday.toml  # the closest statistical workload, and its error
  iobound trace cut monday.trace --from 8h --until 9h --out rush.trace
  iobound trace scale monday.trace --speed 2 --out fast.trace
  iobound trace merge web.csv db.csv --map web.csv=web --map db.csv=db --from-zero --out both.trace
  iobound trace convert monday.trace --to fio --out monday.iolog
  iobound predict --vm D8s_v5 --disk 4xP30 --trace monday.trace
  iobound plan --trace monday.trace --latency p99:5ms

The format of a file is recognised by its content:
  iobound's own (docs/trace-format.md)
  fio iolog v2 and v3
  blkparse text, blktrace's binary files
  CSV of MSR Cambridge, Alibaba and Tencent
  VMware vscsi (vscsiStats' binary and text), xperf -a diskio -detail, biosnoop";

/// Analyse, fit, cut, scale, merge and convert I/O traces.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    what: TraceAction,
}

/// Action on a trace.
#[derive(Debug, Subcommand)]
enum TraceAction {
    /// Show the figures of a trace: mix, sizes, rates, bursts, depth, working set, hit rates, latencies
    Info(Typed<InfoRequest>),
    /// Print the closest statistical workload in TOML, with its error
    Fit(Typed<FitRequest>),
    /// Write a part of a trace: a range of time, some devices
    Cut(Typed<CutRequest>),
    /// Write a trace at another speed, or with scaled offsets
    Scale(Typed<ScaleRequest>),
    /// Write several traces as one
    Merge(Typed<MergeRequest>),
    /// Write a trace in another format
    Convert(Typed<ConvertRequest>),
}

/// Analyses or edits a trace.
pub(crate) fn run(args: &TraceArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    if common.show_config {
        return Err(
            Failure::input("--show-config: `trace` has no settings beside its options").help("leave it out")
        );
    }
    if common.config.is_some() {
        return Err(Failure::input("--config: `trace` reads no configuration").help("leave it out"));
    }
    let fits = matches!(args.what, TraceAction::Fit(_));
    if common.seed.is_some() && !fits {
        return Err(
            Failure::input("--seed: nothing is drawn here").help("leave it out; `trace fit` draws I/Os")
        );
    }
    let env = ReadingLine::env(common.env());
    match &args.what {
        TraceAction::Info(request) => {
            let page = iobound_app::page::PageChoice::plain(&request.page, &env)?;
            page.can_be_written()?;
            let answer = info(request, &env)?;
            let document = || Document::from(answer.document().clone());
            output::page(common, |style| answer.text(style), document)?;
            page.write(document)?;
            answer.exit()
        }
        TraceAction::Fit(request) => {
            let answer = fit(request, &common.common(), &env)?;
            output::page(common, |_| answer.text(), || Document::from(answer.document().clone()))
        }
        TraceAction::Cut(request) => written(&request.edit()?, common, &env, |env| {
            Ok((request.read.open(env, &request.files)?, &request.write))
        }),
        TraceAction::Scale(request) => written(&request.edit()?, common, &env, |env| {
            Ok((request.read.open(env, &request.files)?, &request.write))
        }),
        TraceAction::Merge(request) => {
            written(&Edit::default(), common, &env, |env| Ok((request.open(env)?, &request.write)))
        }
        TraceAction::Convert(request) => written(&Edit::default(), common, &env, |env| {
            Ok((request.read.open(env, &request.files)?, &request.write))
        }),
    }
}

/// Writes a changed trace, and says what was written: on standard error if the trace is on standard output.
fn written<'a>(
    change: &Edit,
    common: &CommonArgs,
    env: &Env,
    open: impl FnOnce(
        &Env,
    )
        -> Result<(iobound_app::trace::OpenTrace, &'a iobound_app::trace::WriteOptions), Failure>,
) -> Result<Exit, Failure> {
    let (trace, write) = open(env)?;
    let answer = edit(trace, change, write, env)?;
    if answer.is_on_stdout() {
        output::note(answer.text(output::style(common)).trim_end());
    } else {
        output::page(common, |style| answer.text(style), || Document::from(answer.document().clone()))?;
    }
    Ok(answer.exit())
}
