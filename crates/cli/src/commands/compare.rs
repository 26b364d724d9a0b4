use clap::Args;
use iobound_measure::compare::{
    Compared, Comparison, Condition, Pairing, Shift, Subject, Unjudged, cautions, changed,
};
use iobound_report::{
    CompareScreen, ComparedSide, ComparedWith, JudgedCondition, compare_json, compare_text, condition_text,
};

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::page::{AskedPage, PageArgs};
use crate::results::{self, Named, named, place_of};
use crate::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound compare r-141 r-142                   two runs that are kept
  iobound compare before.json after.json        two documents of iobound run --json
  iobound compare fio-before.json r-142         another tool's result
  iobound compare r-141 r-142 --html page.html  the same as a page, with both curves and series
  iobound compare r-138 r-139 r-140             several, each against the first
  iobound compare r-141 r-142 --fail-if 'p99 > +5%' --fail-if 'iops < -2%'

--fail-if FIGURE < or > VALUE ends with exit code 1 where it holds. FIGURE is iops, throughput,
mean, p50, p90, p95, p99, p99.9, p99.99, max or errors, of all I/Os or of one direction
(read.p99). A VALUE with a sign is a difference from the first result: +5% of it, +2ms; without
one it is a value of the other. The measured figure decides; with `surely` before it the whole
95 % interval has to: --fail-if 'surely p99 > +5%'.";

/// What is different between results: each figure with its confidence interval, where in the distribution latencies
/// moved, and what else changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    /// Runs that are kept (r-142), and files: of iobound run --json, fio (JSON), DiskSpd (text or XML), Iometer (CSV)
    #[arg(value_name = "RESULT", required = true, num_args = 1..)]
    sides: Vec<String>,
    /// Ends with exit code 1 where this holds: 'p99 > +5%', 'iops < 50000'; repeat for more
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<String>,
    /// The store [default: IOBOUND_RESULTS, else in the user's data]
    #[arg(long, value_name = "FILE")]
    results: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

/// Compares results with the first of them.
pub(crate) fn run(args: &CompareArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let place = place_of(args.results.as_deref(), &mut settings)?;
    let page = AskedPage::of(&args.page, &mut settings)?;
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    results::refuse_idle(common)?;
    let conditions = conditions_of(&args.fail_if)?;
    if let [only] = args.sides.as_slice() {
        return Err(Failure::input(format!("{only} is compared with nothing"))
            .mend("name two results or more: iobound compare r-141 r-142"));
    }
    page.can_be_written()?;
    let sides = args.sides.iter().map(|word| named(word, &place)).collect::<Result<Vec<Named>, Failure>>()?;
    for side in &sides {
        refuse_empty(side)?;
        if side.stages > 1 {
            output::note(&format!("{}: it has {} stages, and the first is compared", side.word, side.stages));
        }
    }
    let letters: Vec<String> = (0..sides.len()).map(letter).collect();
    let first = subject(&sides[0]);
    let mut against = Vec::with_capacity(sides.len() - 1);
    for (side, name) in sides[1..].iter().zip(&letters[1..]) {
        let with = compared_with(&first, &subject(side), Pairing::Independent, (&letters[0], name));
        if with.comparison.figures.is_empty() {
            return Err(Failure::input(format!(
                "{} and {} have no figure in common",
                sides[0].word, side.word
            ))
            .mend("compare results that both say IOPS, throughput or latency"));
        }
        against.push(with);
    }
    let mut judged = Vec::new();
    for (side, name) in sides[1..].iter().zip(&letters[1..]) {
        let of = (sides.len() > 2).then(|| name.clone());
        judged.extend(judge(&conditions, &sides[0], side, Pairing::Independent, of.as_ref())?);
    }
    let shown: Vec<ComparedSide<'_>> = sides
        .iter()
        .zip(&letters)
        .map(|(side, name)| ComparedSide {
            name: name.clone(),
            from: side.word.clone(),
            asked: side.asked.clone(),
            result: &side.result,
        })
        .collect();
    let screen = CompareScreen {
        sides: &shown,
        against: &against,
        conditions: &judged,
        rounds: None,
        with_results: page.is_asked(),
        next: &[],
    };
    output::page(common, |style| compare_text(&screen, style), || compare_json(&screen))?;
    page.write(|| compare_json(&screen))?;
    Ok(exit_of(&judged))
}

/// A, B, ..., Z, then numbers.
fn letter(index: usize) -> String {
    u8::try_from(index)
        .ok()
        .filter(|index| *index < 26)
        .map_or_else(|| (index + 1).to_string(), |index| char::from(b'A' + index).to_string())
}

/// A result as what is compared.
pub(crate) fn subject(side: &Named) -> Subject<'_> {
    Subject {
        result: &side.result,
        workload: side.workload.as_deref(),
        configuration: side.configuration.as_deref(),
        ended: side.ended.as_deref(),
    }
}

fn refuse_empty(side: &Named) -> Result<(), Failure> {
    if side.result.total.ios == Some(0) {
        return Err(Failure::input(format!("{}: no I/O completed in it", side.word))
            .mend("give the result of a run that did some"));
    }
    Ok(())
}

/// Everything about two.
pub(crate) fn compared_with(
    a: &Subject<'_>,
    b: &Subject<'_>,
    pairing: Pairing<'_>,
    names: (&str, &str),
) -> ComparedWith {
    let comparison = Comparison::of(a.result, b.result, pairing);
    ComparedWith {
        cautions: cautions(a, b, &comparison, names),
        comparison,
        shift: Shift::of(a.result, b.result),
        changed: changed(a, b),
    }
}

/// The conditions of the command line.
///
/// # Errors
/// One that can't be read.
pub(crate) fn conditions_of(texts: &[String]) -> Result<Vec<Condition>, Failure> {
    let read =
        |text: &String| Condition::parse(text).map_err(|why| Failure::input(format!("--fail-if: {why}")));
    texts.iter().map(read).collect()
}

/// Judges each condition.
///
/// # Errors
/// One that can't be judged: that is no pass.
pub(crate) fn judge(
    conditions: &[Condition],
    a: &Named,
    b: &Named,
    pairing: Pairing<'_>,
    of: Option<&String>,
) -> Result<Vec<JudgedCondition>, Failure> {
    let mut judged = Vec::with_capacity(conditions.len());
    for condition in conditions {
        let compared = Compared::of(&a.result, &b.result, pairing, condition.operation, condition.figure);
        let found = condition
            .judge_compared(&a.result, &b.result, compared.as_ref())
            .map_err(|why| unjudged(condition, &why))?;
        judged.push(JudgedCondition { condition: condition.clone(), of: of.cloned(), judged: found });
    }
    Ok(judged)
}

/// A condition that can't be judged.
pub(crate) fn unjudged(condition: &Condition, why: &Unjudged) -> Failure {
    Failure::input(format!("--fail-if '{condition}' can't be judged: {why}"))
}

/// How the program ends by its conditions; one that holds is said on standard error too.
pub(crate) fn exit_of(judged: &[JudgedCondition]) -> Exit {
    let mut exit = Exit::Done;
    for one in judged.iter().filter(|one| one.judged.holds) {
        output::note(&format!("--fail-if: {}", condition_text(one)));
        exit = Exit::Asserted;
    }
    exit
}
