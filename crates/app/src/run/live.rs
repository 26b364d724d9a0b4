//! A run as it goes on.

use iobound_drive::Window;
use iobound_measure::Interval;
use iobound_report::{self as report, LiveScreen, Plan, live_line};

use super::status_file::StatusFile;
use crate::process::{Display, LiveStyle};
use crate::{Env, RunProgress};

/// Display of a run.
pub(crate) struct Live {
    state: report::Live,
    what: String,
    plan: Plan,
    env: Env,
    view: Box<dyn Display>,
    /// A rank of a fleet is shown by the coordinator.
    told: Option<StatusFile>,
}

impl Live {
    /// A run on what is called so, of these times; `open_end` where it may end before.
    pub(crate) fn new(what: String, window: Window, open_end: bool, style: LiveStyle, env: &Env) -> Live {
        let end = (!open_end).then_some(window.end);
        let over = (!open_end).then_some(window.until);
        let plan = Plan { begin: window.begin, start: window.start, end, over };
        Live {
            state: report::Live::new(plan),
            plan,
            env: env.clone(),
            view: env.of_process().display(style),
            told: (!style.silent).then(|| StatusFile::new(what.clone(), env)),
            what,
        }
    }

    /// Shows an interval that has ended.
    pub(crate) fn take(&mut self, interval: &Interval) {
        self.take_beside(interval, LiveScreen::default);
    }

    /// Shows an interval that has ended, with details below it on a terminal. A line has no details.
    pub(crate) fn take_beside(&mut self, interval: &Interval, mut below: impl FnMut() -> LiveScreen) {
        self.state.take(interval);
        if let Some(told) = &mut self.told {
            told.take(interval);
        }
        let (state, plan) = (&self.state, &self.plan);
        self.env.interval(&RunProgress { targets: &self.what, plan, interval });
        self.view.show(&mut || state.screen().and(below()), &mut |style| {
            Some(live_line(interval, plan, style)).filter(|line| !line.is_empty())
        });
    }

    /// Takes away what is shown: the answer follows.
    pub(crate) fn clear(&mut self) {
        self.view.clear();
    }
}
