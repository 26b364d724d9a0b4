//! Forms of an answer: text for a person, JSON for a script, CSV for a table. Data in, bytes out: nothing
//! here knows a terminal, a file or a clock, and the same answer gives the same bytes.

pub mod number;

mod catalog;
mod columns;
mod compare;
mod csv;
mod doctor;
mod document;
mod emulate;
mod explain;
mod fleet;
mod html;
mod lab;
mod limit;
mod listing;
mod live;
mod page;
mod plan;
mod predict;
mod presets;
mod probe;
mod replay;
mod results;
mod run;
mod settings;
mod spark;
mod table;
mod trace;
mod watch;

pub use catalog::{
    Overview, audit_listing, disk_prices_listing, disks_listing, entry_document, entry_text, import_text,
    machine_limits_listing, regions_listing, vm_prices_listing, vms_listing,
};
pub use columns::{ColumnMeaning, CsvColumn, CsvTable, csv_tables};
pub use compare::{
    CompareScreen, ComparedSide, ComparedWith, JudgedCondition, Rounds, compare_document, compare_text,
    condition_text,
};
pub use doctor::{
    Doctored, Watched, WatchedDisk, doctor_document, doctor_text, watched_document, watched_text,
};
pub use document::Document;
pub use emulate::{
    Device, DeviceState, DiskState, EmulatorEnd, EmulatorState, FrontState, HostCacheState, LimitState,
    OpState, Served, ServedAt, Serving, emulate_end_json, emulate_line, emulate_metrics,
    emulate_model_screen, emulate_ready_json, emulate_screen, emulate_start_text, emulate_state_document,
    emulate_state_json, emulate_summary_text,
};
pub use explain::{Explained, PricesUsed, explain_document, explain_text};
pub use fleet::{FleetLive, LiveRank, fleet_line, fleet_probe_document, fleet_probe_text, host_bound};
pub use html::{Names, PAGES, html_page};
pub use lab::{
    Laboratory, Listed, lab_csv, lab_document, lab_list_document, lab_list_text, lab_text, measured_document,
    measured_text,
};
pub use limit::{binding_title, limit_title};
pub use listing::Listing;
pub use live::{LiveDevice, LiveLimit, LivePart, LiveScreen, Rank, Recent, devices_part, limits_part};
pub use page::{Page, Style, ascii};
pub use plan::{Planned, plan_document, plan_text};
pub use predict::{Predicted, Stage, Wording, predict_document, predict_text};
pub use presets::{preset_document, preset_text, presets_document, presets_text};
pub use probe::{DeviceWrites, MatchingOffer, ProbeScreen, probe_document, probe_text};
pub use replay::{
    ReplayScreen, lab_replay_csv, lab_replay_run, lab_replay_text, limiter_title, replay_document,
    replay_text,
};
pub use results::{kept_csv, kept_series_csv, kept_text};
pub use run::{
    Curve, CurvePoint, Ended, Live, Plan, Prepared, Preparing, RunScreen, RunStage, curve_document,
    curve_text, hlog_header, hlog_interval, hlog_total, interval_document, interval_line, kept_keys,
    live_line, run_document, run_text, series_csv, simulated_document,
};
pub use settings::{Setting, settings_document, settings_text};
pub use table::{Align, Column, Table};
pub use trace::{
    latency_part, trace_document, trace_edit_text, trace_fit_document, trace_fit_text, trace_read, trace_text,
};
pub use watch::{
    DiskSeconds, FULL, WatchLimit, WatchSecond, WatchSummary, watch_line, watch_screen, watch_second_json,
    watch_summary_json, watch_text,
};
