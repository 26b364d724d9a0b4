use clap::Args;
use iobound_formats::iometer;

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet::desk::OfRanks;
use crate::output;
use crate::results::{Keeping, place_of};
use crate::run::{At, Foreigns, answer_can_be_written, how_of, run_foreign};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound iometer test.icf                             the results on standard output
  iobound iometer test.icf results.csv
  iobound iometer /c test.icf /r results.csv --map 'E:=/mnt/data'

What exists is not written over unless IOBOUND_OVERWRITE names it or it was made here. Others at
work on the device end it unless IOBOUND_BUSY_OK=true.";

/// The same run from Iometer's configuration file, answered in its CSV.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IometerArgs {
    /// Where the targets of the file lie here: E:=/mnt/data
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    /// Where the result is kept, or off [default: IOBOUND_RESULTS, else in the user's data]
    #[arg(long, value_name = "FILE|off")]
    results: Option<String>,
    /// FILE.icf [RESULTS.csv], or Iometer's own /c FILE.icf /r RESULTS.csv
    #[arg(required = true, value_name = "FILES")]
    words: Vec<String>,
}

/// Runs an Iometer configuration.
pub(crate) fn run(args: &IometerArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, None)
}

/// Answers for ranks whose desk is in this process, which issues no load itself.
pub(crate) fn at_desk(at: OfRanks<'_>, args: &IometerArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, Some(at))
}

fn carry_out(args: &IometerArgs, common: &CommonArgs, at: At<'_>) -> Result<Exit, Failure> {
    let Files { config, results } = files(&args.words)?;
    let text = crate::files::read(&config, crate::files::WRITTEN)
        .map_err(|why| Failure::unreadable(&config, &why))?;
    let invocation = iometer::parse_run(&text)?;
    if let Some(path) = &results {
        answer_can_be_written(path)?;
    }
    let mut settings = Settings::load(common)?;
    let how = how_of(&mut settings)?;
    let keeping = Keeping::new(place_of(args.results.as_deref(), &mut settings)?, "iometer", None);
    let ran = match run_foreign(
        invocation.foreign,
        &args.map,
        &how,
        false,
        keeping,
        &mut settings,
        (common, at),
    )? {
        Foreigns::Ran(ran) => ran,
        Foreigns::Over(exit) => return Ok(exit),
    };
    let csv = iometer::out::csv(&invocation.config, &invocation.tests, &ran.runs());
    match results {
        None => drop(output::data(&csv)?),
        Some(path) => std::fs::write(&path, csv)
            .map_err(|error| Failure::io(format!("{path} can't be written: {error}")))?,
    }
    ran.say_checks();
    ran.ended()
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
                Failure::input(format!("{word} needs a value")).mend("write /c FILE.icf /r RESULTS.csv")
            })
        };
        match lower.as_str() {
            "/c" => config = Some(value()?),
            "/r" => results = Some(value()?),
            "/t" | "/p" | "/m" => {
                return Err(Failure::input(format!(
                    "{word} is about Iometer's window and its Dynamos, which there are none of"
                ))
                .mend("leave it out with its value"));
            }
            _ if config.is_none() => config = Some(word.clone()),
            _ if results.is_none() => results = Some(word.clone()),
            _ => {
                return Err(Failure::input(format!("{word} is one file too many"))
                    .mend("write FILE.icf and, where the results shall be kept, RESULTS.csv"));
            }
        }
    }
    let config = config.ok_or_else(|| Failure::input("no configuration is named").mend("write FILE.icf"))?;
    Ok(Files { config, results })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_in_order_or_by_iometers_letters() {
        let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
        for text in ["a.icf b.csv", "/c a.icf /r b.csv", "/R b.csv /C a.icf"] {
            let files = files(&words(text)).unwrap();
            assert_eq!((files.config.as_str(), files.results.as_deref()), ("a.icf", Some("b.csv")), "{text}");
        }
        for wrong in ["/c", "a b c", "/t 5 a.icf"] {
            assert!(files(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
