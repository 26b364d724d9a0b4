//! The fields of the page's forms come from the options' declarations: `crates/serve/assets/options.js` is written from them.
//! To renew it: `IOBOUND_REFRESH=1 cargo test -p iobound --test page_fields`.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "it reads the module, and writes it where that is asked for")]

use std::path::Path;

use iobound_app::emulate::EmulateFlags;
use iobound_app::options::{
    ClusterOptions, ConfigurationOptions, FOREIGN, NeedOptions, OptionSpec, Options, ShapeOptions,
    SplitOptions, TermsOptions, WorkloadOptions,
};
use iobound_app::predict::PredictOptions;
use serde_json::json;

/// The forms, each with the declarations of its options in the order of its fields.
fn forms() -> [(&'static str, Vec<OptionSpec>); 3] {
    let predict = [
        ConfigurationOptions::specs(),
        PredictOptions::specs(),
        ClusterOptions::specs(),
        WorkloadOptions::specs(),
    ];
    let plan = [NeedOptions::specs(), ShapeOptions::specs(), SplitOptions::specs(), TermsOptions::specs()];
    let emulate = [ConfigurationOptions::specs(), EmulateFlags::specs()];
    [("predict", predict.concat()), ("plan", plan.concat()), ("emulate", emulate.concat())]
}

fn module() -> String {
    let mut text = String::from(
        "// Fields of the forms, written from the options' declarations by\n\
         // `IOBOUND_REFRESH=1 cargo test -p iobound --test page_fields`; not by hand.\n\n\
         /** The fields of each form, in order. `way`: the way to write a workload that the field belongs to. */\n\
         export const FIELDS = {\n",
    );
    for (form, specs) in forms() {
        text.push_str(&format!("  {form}: [\n"));
        for OptionSpec { name, field, .. } in specs {
            let Some((group, field)) = field else { continue };
            let way = if FOREIGN.contains(&name) { name } else { "flags" };
            let row = json!({
                "name": name,
                "group": group,
                "way": way,
                "label": field.label,
                "placeholder": field.placeholder,
                "hint": field.hint,
                "size": field.width,
                "list": field.offers,
                "choices": field.choices,
            });
            text.push_str(&format!("    {row},\n"));
        }
        text.push_str("  ],\n");
    }
    text.push_str("};\n");
    text
}

#[test]
fn the_module_has_the_fields_of_the_declarations() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../serve/assets/options.js");
    let written = module();
    if std::env::var_os("IOBOUND_REFRESH").is_some() {
        return std::fs::write(path, written).expect("the module can be written");
    }
    let stands = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stands == written,
        "options.js is stale; renew it: IOBOUND_REFRESH=1 cargo test -p iobound --test page_fields"
    );
}

#[test]
fn a_form_has_each_field_once() {
    for (form, specs) in forms() {
        let mut names: Vec<&str> =
            specs.iter().filter(|spec| spec.field.is_some()).map(|spec| spec.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{form}");
    }
}
