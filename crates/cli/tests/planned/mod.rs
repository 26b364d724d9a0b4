//! The program's `plan`.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use std::process::{Command, Output};

use serde_json::Value;

pub fn run(arguments: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_iobound"));
    // Words in quotes stay together.
    let words: Vec<String> = arguments
        .split('\'')
        .enumerate()
        .flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().map(str::to_string).collect::<Vec<String>>(),
            _ => vec![part.to_string()],
        })
        .collect();
    program.arg("plan").args(words).env("COLUMNS", "100").output().expect("the program runs")
}

pub fn text(arguments: &str) -> String {
    text_with(0, arguments)
}

/// The text of an answer that ends with this exit code.
pub fn text_with(exit: i32, arguments: &str) -> String {
    let output = run(arguments);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit), "{arguments}: {stderr}");
    String::from_utf8(output.stdout).expect("the program speaks UTF-8")
}

pub fn json(arguments: &str) -> Value {
    serde_json::from_str(&text(&format!("{arguments} --json"))).expect("one JSON document")
}
