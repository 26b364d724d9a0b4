use clap::Args;
use iobound_app::process::LiveStyle;
use iobound_app::watch::{PreparedWatch, WatchRequest, WatchedSecond};
use iobound_app::{Exit, Failure, Finished};
use iobound_report::{watch_line, watch_screen, watch_second_json, watch_summary_json, watch_text};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound watch                              # until Ctrl-C
  iobound watch --duration 60s --json        # one line of JSON each second, then a summary
  iobound watch --record app.toml            # record the application's workload
  iobound watch --record app.toml --record-rate max --duration 10min
  iobound watch --trace app.trace --duration 10min sdc    # record requests for predict --trace
  iobound watch --vm D8s_v3 --disk 4xP30     # for a machine that does not name its size
  iobound watch --vm D8s_v3 --disk 2xP30 --map sdc=data.0 --map sdd=data.1   # which device is which
  iobound plan --workload app.toml --capacity 1TiB      # use the recorded workload

watch issues no load. It reads /proc/diskstats. As root and with --record, it also traces the size and \
offset of each request.";

/// Show this machine's disk activity, second by second, against the limits.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, mut_arg("duration", |duration| duration.visible_alias("for")))]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    request: Typed<WatchRequest>,
}

/// Watches, shows, and says in the end what it came to.
pub(crate) fn run(args: &WatchArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let prepared = PreparedWatch::read(&args.request, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    let mut view = env.of_process().display(LiveStyle::default());
    let answer = prepared.answer(&env, |WatchedSecond { second, recent, what }| {
        if common.json {
            return output::data(&format!("{}\n", watch_second_json(second))).map(drop);
        }
        view.show(&mut || watch_screen(second, recent, what), &mut |style| watch_line(second, style));
        Ok(())
    });
    drop(view);
    let answer = answer?;
    let summary = answer.summary();
    if common.json {
        output::data(&format!("{}\n", watch_summary_json(&summary)))?;
    } else {
        output::write(&watch_text(&summary, output::style(common)))?;
    }
    let finished = Finished { answer: None, exit: answer.exit, failures: answer.failures };
    Ok(output::finished(finished, common))
}
