use clap::Args;
use iobound_formats::{Tool, iometer};

use crate::arguments::CommonArgs;
use crate::fleet::desk::OfRanks;
use crate::live::LiveWhen;
use crate::outfile::{DocumentKind, OutFile, Unwritten};
use crate::results::Keeping;
use crate::run::{At, Foreigns, answer, how_of, in_words_of, run_foreign, verbose};
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::results::place_of;
use iobound_app::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound iometer test.icf                             # the results on standard output
  iobound iometer test.icf results.csv
  iobound iometer /c test.icf /r results.csv --map 'E:=/mnt/data'

An existing file is not overwritten unless IOBOUND_OVERWRITE names it or iobound made it. The run
does not start while another process uses the device, unless IOBOUND_BUSY_OK=true.";

/// Measure with an Iometer configuration file, and write Iometer's CSV.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IometerArgs {
    /// Local folder for a target of the file: E:=/mnt/data
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    /// Results store, or off [default: IOBOUND_RESULTS, else in the user's data folder]
    #[arg(long, value_name = "FILE|off")]
    results: Option<String>,
    /// Write notes to standard error [default: only on a terminal]
    #[arg(long)]
    verbose: bool,
    /// FILE.icf [RESULTS.csv], or Iometer's own /c FILE.icf /r RESULTS.csv
    #[arg(required = true, value_name = "FILES")]
    words: Vec<String>,
}

/// Runs an Iometer configuration.
pub(crate) fn run(args: &IometerArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, None).map_err(in_own_words)
}

/// Answers for ranks whose desk is in this process, which issues no load itself.
pub(crate) fn at_desk(at: OfRanks<'_>, args: &IometerArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, Some(at)).map_err(in_own_words)
}

/// Advice names the variables and the options that this verb takes.
fn in_own_words(failure: Failure) -> Failure {
    failure.reworded(|text| in_words_of(Tool::Iometer, text))
}

fn carry_out(args: &IometerArgs, common: &CommonArgs, at: At<'_>) -> Result<Exit, Failure> {
    let Files { config, results } = files(&args.words)?;
    let text = iobound_app::files::read(&common.env(), &config, iobound_app::files::WRITTEN)
        .map_err(|why| Failure::unreadable(&config, &why))?;
    let invocation = iometer::parse_run(&text)?;
    let results = results.map(|path| OutFile::named(&path, DocumentKind::IometerCsv)).transpose()?;
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    verbose(args.verbose, &mut settings)?;
    let mut how = how_of(&mut settings)?;
    how.claims = results.as_ref().and_then(OutFile::claim).into_iter().collect();
    let keeping = Keeping::new(place_of(args.results.as_deref(), &mut settings)?, "iometer", None);
    let ran = match run_foreign(
        invocation.foreign,
        &args.map,
        &how,
        false,
        keeping,
        &mut settings,
        (common, at, LiveWhen::OnTerminal),
    )? {
        Foreigns::Ran(ran) => ran,
        Foreigns::Over(exit) => return Ok(exit),
    };
    let csv = iometer::out::csv(&invocation.config, &invocation.tests, &ran.runs());
    let mut unwritten = Unwritten::default();
    answer(results.as_ref(), &csv, &mut unwritten);
    ran.say_checks();
    let unwritten = unwritten.report();
    let ended = ran.ended();
    unwritten.map_or(ended, Ok)
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
            // How long Iometer waits for its Dynamos to connect: there are none to wait for.
            "/t" => {
                let seconds = value()?;
                if seconds.parse::<u32>().is_err() {
                    return Err(Failure::input(format!("{word} {seconds}: not a number of seconds"))
                        .mend("write /t 30, or leave it out"));
                }
            }
            "/p" | "/m" => {
                return Err(Failure::input(format!(
                    "{word} applies only to Iometer's window and its Dynamos"
                ))
                .mend("leave it out with its value"));
            }
            _ if config.is_none() => config = Some(word.clone()),
            _ if results.is_none() => results = Some(word.clone()),
            _ => {
                return Err(Failure::input(format!("{word} is one file too many"))
                    .mend("write FILE.icf and, to save the results, RESULTS.csv"));
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
        for text in ["a.icf b.csv", "/c a.icf /r b.csv", "/R b.csv /C a.icf", "/c a.icf /t 30 /r b.csv"] {
            let files = files(&words(text)).unwrap();
            assert_eq!((files.config.as_str(), files.results.as_deref()), ("a.icf", Some("b.csv")), "{text}");
        }
        for wrong in ["/c", "a b c", "/t x a.icf", "/p 5 a.icf"] {
            assert!(files(&words(wrong)).is_err(), "{wrong}");
        }
    }
}
