//! `iometer`: a run in the words of Iometer, and its answer in their form.

use iobound_formats::{Tool, iometer};

use crate::outfile::{DocumentKind, OutFile, Unwritten};
use crate::process::LiveWhen;
use crate::results::Keeping;
use crate::results::place_of;
use crate::settings::Settings;
use crate::{Failure, Finished};

use super::foreign::{ForeignCall, Foreigns, answer, how_of, run_foreign, verbose};
use super::words::{InToolsWords, ToolCall, ToolFlags};
use crate::options::options;

options! {
    /// Asks for I/O in the words of Iometer.
    pub struct IometerRequest {
        /// Local folder for a target of the file: E:=/mnt/data
        map: Vec<String> = Form::Many, "FROM=TO";
        /// FILE.icf [RESULTS.csv], or Iometer's own /c FILE.icf /r RESULTS.csv
        words: Vec<String> = Form::Words, "FILES";
    }
    tool: ToolFlags;
}

impl InToolsWords for IometerRequest {
    const TOOL: Tool = Tool::Iometer;

    fn carry_out(&self, ToolCall { common, refused, at, env }: ToolCall<'_>) -> Result<Finished, Failure> {
        let args = self;
        let Files { config, results } = files(&args.words)?;
        let text = crate::files::read(env, &config, crate::files::WRITTEN)
            .map_err(|why| Failure::unreadable(&config, &why))?;
        let invocation = iometer::parse_run(&text)?;
        let results = results.map(|path| OutFile::named(&path, DocumentKind::IometerCsv, env)).transpose()?;
        let mut settings = Settings::load(env, common.config.as_deref())?;
        verbose(args.tool.verbose, &mut settings)?;
        let mut how = how_of(&mut settings)?;
        how.claims = results.as_ref().and_then(OutFile::claim).into_iter().collect();
        let keeping =
            Keeping::new(place_of(args.tool.results.as_deref(), &mut settings)?, "iometer", None, env);
        let ran = match run_foreign(
            invocation.foreign,
            &args.map,
            &how,
            false,
            keeping,
            &mut settings,
            ForeignCall { common, refused, at, shown: LiveWhen::OnTerminal },
        )? {
            Foreigns::Ran(ran) => ran,
            Foreigns::Over(finished) => return Ok(finished),
        };
        let csv = iometer::out::csv(&invocation.config, &invocation.tests, &ran.runs());
        let mut unwritten = Unwritten::default();
        let answer = answer(results.as_ref(), csv, &mut unwritten);
        ran.say_checks(env);
        Ok(ran.finished(answer, unwritten))
    }
}

/// The files of the command line.
struct Files {
    config: String,
    results: Option<String>,
}

/// Iometer's own letters, each with a value, or the two files in order.
fn files(words: &[String]) -> Result<Files, Failure> {
    let (mut config, mut results) = (None, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let lower = word.to_ascii_lowercase();
        let mut value = || {
            words.next().cloned().ok_or_else(|| {
                Failure::input(format!("{word} needs a value")).help("write /c FILE.icf /r RESULTS.csv")
            })
        };
        match lower.as_str() {
            "/c" => config = Some(value()?),
            "/r" => results = Some(value()?),
            // Iometer's wait for its Dynamos to connect: there are none here.
            "/t" => {
                let seconds = value()?;
                if seconds.parse::<u32>().is_err() {
                    return Err(Failure::input(format!("{word} {seconds}: not a number of seconds"))
                        .help("write /t 30, or leave it out"));
                }
            }
            "/p" | "/m" => {
                return Err(Failure::input(format!(
                    "{word} applies only to Iometer's window and its Dynamos"
                ))
                .help("leave it out with its value"));
            }
            _ if config.is_none() => config = Some(word.clone()),
            _ if results.is_none() => results = Some(word.clone()),
            _ => {
                return Err(Failure::input(format!("{word} is one file too many"))
                    .help("write FILE.icf and, to save the results, RESULTS.csv"));
            }
        }
    }
    let config = config.ok_or_else(|| Failure::input("no configuration is named").help("write FILE.icf"))?;
    Ok(Files { config, results })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_order_or_by_iometers_letters() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        for text in ["a.icf b.csv", "/c a.icf /r b.csv", "/R b.csv /C a.icf", "/c a.icf /t 30 /r b.csv"] {
            let files = files(&words(text)).unwrap();
            assert_eq!((files.config.as_str(), files.results.as_deref()), ("a.icf", Some("b.csv")), "{text}");
        }
        for wrong in ["/c", "a b c", "/t x a.icf", "/p 5 a.icf"] {
            assert!(files(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
