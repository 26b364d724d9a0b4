//! Comparison of results.

use iobound_measure::compare::{
    Compared, Comparison, Condition, Pairing, Shift, Subject, Unjudged, cautions, changed,
};
use iobound_report::{
    CompareScreen, ComparedSide, ComparedWith, Document, JudgedCondition, Rounds, Setting, Style,
    compare_document, compare_text, condition_text,
};

use crate::options::{PageOptions, StoreOptions, options};
use crate::page::PageChoice;
use crate::results::{Named, Place, named, place_of, refuse_idle};
use crate::settings::Settings;
use crate::{Common, Env, Exit, Failure, ShownAnswer};

options! {
    /// Options of a comparison alone.
    pub struct CompareOptions {
        /// Kept runs (r-142), and result files: iobound run --json, fio (JSON), DiskSpd (text or XML), Iometer (CSV)
        sides: Vec<String> = Form::Words, "RESULT";
        /// Condition that ends the program with exit code 1: 'p99 > +5%', 'iops < 50000'; repeat for more
        fail_if: Vec<String> = Form::Many, "CONDITION";
    }
}

options! {
    /// Asks what is different between results.
    pub struct CompareRequest {
    }
    own: CompareOptions;
    store: StoreOptions;
    page: PageOptions;
}

/// A request whose settings have been read.
pub struct PreparedComparison {
    own: CompareOptions,
    common: Common,
    place: Place,
    /// The page that is asked for.
    pub page: PageChoice,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The answer: each result beside the first.
pub struct CompareAnswer {
    pub(crate) sides: Vec<Named>,
    pub(crate) letters: Vec<String>,
    pub(crate) against: Vec<ComparedWith>,
    pub(crate) judged: Vec<JudgedCondition>,
    pub(crate) with_results: bool,
    /// Turns of the two sides; `None` for independent results.
    pub(crate) rounds: Option<Rounds>,
    /// Next commands to suggest.
    pub(crate) next: Vec<String>,
}

/// Reads a request and compares.
///
/// # Errors
/// Returns an error if a result cannot be read, compared or judged; it names the fix.
pub fn compare(request: &CompareRequest, common: &Common, env: &Env) -> Result<CompareAnswer, Failure> {
    PreparedComparison::read(request, common, env)?.answer(env)
}

impl PreparedComparison {
    /// Reads a request: options, then variables, then the configuration file.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(request: &CompareRequest, common: &Common, env: &Env) -> Result<PreparedComparison, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let place = place_of(request.store.results.as_deref(), &mut settings)?;
        let page = PageChoice::of(&request.page, &mut settings)?;
        let settings = settings.finish();
        let (own, common) = (request.own.clone(), common.clone());
        Ok(PreparedComparison { own, common, place, page, settings })
    }

    /// Checks what can be checked before the work.
    ///
    /// # Errors
    /// Returns an error if an option has no effect, a condition cannot be read, or only one result is given.
    pub fn check(&self) -> Result<(), Failure> {
        refuse_idle(&self.common)?;
        conditions_of(&self.own.fail_if)?;
        match self.own.sides.as_slice() {
            [only] => Err(Failure::input(format!("{only} is the only result, and a comparison needs two"))
                .help("name at least two results: iobound compare r-141 r-142")),
            _ => Ok(()),
        }
    }

    /// Compares each result with the first.
    ///
    /// # Errors
    /// Returns an error if a result cannot be read, compared or judged.
    pub fn answer(self, env: &Env) -> Result<CompareAnswer, Failure> {
        self.check()?;
        let conditions = conditions_of(&self.own.fail_if)?;
        let named = |word: &String| named(env, word, &self.place);
        let sides = self.own.sides.iter().map(named).collect::<Result<Vec<Named>, Failure>>()?;
        for side in &sides {
            refuse_empty(side)?;
            if side.stages > 1 {
                env.note(&format!("{}: it has {} stages, and the first is compared", side.word, side.stages));
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
                .help("compare results that both have IOPS, throughput or latency"));
            }
            against.push(with);
        }
        let mut judged = Vec::new();
        for (side, name) in sides[1..].iter().zip(&letters[1..]) {
            let of = (sides.len() > 2).then_some(name);
            judged.extend(judge(&conditions, &sides[0], side, Pairing::Independent, of)?);
        }
        let with_results = self.page.is_asked();
        Ok(CompareAnswer { sides, letters, against, judged, with_results, rounds: None, next: Vec::new() })
    }
}

impl CompareAnswer {
    /// The same with the parts of the results that charts are drawn from.
    #[must_use]
    pub fn with_results(self) -> CompareAnswer {
        CompareAnswer { with_results: true, ..self }
    }

    /// Hands on the answer in the form that texts and documents are made of.
    pub fn with_screen<T>(&self, show: impl FnOnce(&CompareScreen<'_>) -> T) -> T {
        let sides = self.sides.iter().zip(&self.letters).map(|(side, name)| ComparedSide {
            name: name.clone(),
            from: side.word.clone(),
            asked: side.asked.clone(),
            result: &side.result,
        });
        show(&CompareScreen {
            sides: &sides.collect::<Vec<_>>(),
            against: &self.against,
            conditions: &self.judged,
            rounds: self.rounds,
            with_results: self.with_results,
            next: &self.next,
        })
    }

    /// Exit code by the conditions; each that holds is a note.
    pub fn exit(&self, env: &Env) -> Exit {
        exit_of(&self.judged, |text| env.note(text))
    }
}

impl ShownAnswer for CompareAnswer {
    fn text(&self, style: Style) -> String {
        self.with_screen(|screen| compare_text(screen, style))
    }

    fn document(&self) -> Option<Document> {
        Some(self.with_screen(compare_document).into())
    }
}

/// A, B, ..., Z, then numbers.
fn letter(index: usize) -> String {
    u8::try_from(index)
        .ok()
        .filter(|index| *index < 26)
        .map_or_else(|| (index + 1).to_string(), |index| char::from(b'A' + index).to_string())
}

/// A result as what is compared.
pub fn subject(side: &Named) -> Subject<'_> {
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
            .help("give the result of a run with completed I/Os"));
    }
    Ok(())
}

/// Everything about two.
pub fn compared_with(
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
/// Returns an error if a condition cannot be read.
pub fn conditions_of(texts: &[String]) -> Result<Vec<Condition>, Failure> {
    let read =
        |text: &String| Condition::parse(text).map_err(|why| Failure::input(format!("--fail-if: {why}")));
    texts.iter().map(read).collect()
}

/// Judges each condition.
///
/// # Errors
/// Returns an error if a condition cannot be judged; it does not pass then.
pub fn judge(
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
pub fn unjudged(condition: &Condition, why: &Unjudged) -> Failure {
    Failure::input(format!("--fail-if '{condition}' cannot be judged: {why}"))
}

/// Exit code by its conditions; `note` receives each that holds.
pub fn exit_of(judged: &[JudgedCondition], note: impl Fn(&str)) -> Exit {
    let mut exit = Exit::Done;
    for one in judged.iter().filter(|one| one.judged.holds) {
        note(&format!("--fail-if: {}", condition_text(one)));
        exit = Exit::Asserted;
    }
    exit
}
