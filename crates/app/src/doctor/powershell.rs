//! The Windows machine that the program runs on: the script of `doctor --windows-script`, run by PowerShell.

use std::process::{Command, Stdio};

use super::WINDOWS_SCRIPT;

/// Variable that has the script, so that nothing of it is quoted.
const SCRIPT: &str = "IOBOUND_COLLECT_SCRIPT";
/// Variable by which the script leaves the metadata service alone.
const METADATA: &str = "IOBOUND_COLLECT_METADATA";

/// Output of the script.
///
/// # Errors
/// PowerShell does not start or prints nothing; the reason.
pub(super) fn collected(powershell: &str, asks_metadata: bool) -> Result<String, String> {
    let ran = Command::new(powershell)
        .args(["-NoProfile", "-NonInteractive", "-Command"])
        .arg(format!("& ([scriptblock]::Create($env:{SCRIPT}))"))
        .env(SCRIPT, WINDOWS_SCRIPT)
        .env(METADATA, if asks_metadata { "auto" } else { "off" })
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start {powershell}: {error}"))?;
    let said =
        |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().trim_start_matches('\u{feff}').to_string();
    match said(&ran.stdout) {
        text if text.is_empty() => {
            Err(format!("{powershell} printed nothing ({}): {}", ran.status, said(&ran.stderr)))
        }
        text => Ok(text),
    }
}
