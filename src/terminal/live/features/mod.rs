//! The list of what a run is made of: the stages that every run has, and what each option and format adds.
//!
//! An option or a format is its folder and its lines here: its place in [`Options`], where it is shown, and by which
//! words it is asked for. Nothing else at the terminal names one; `tests/it/rooms/features.rs` counts.

pub mod adversary;
pub mod answers;
pub mod cache;
pub mod chairmen;
pub mod checks;
pub mod choosing;
pub mod corrections;
pub mod final_answer;
pub mod lookups;
pub mod parts;
pub mod refinement;
pub mod reviews;
pub mod rounds;
pub mod searches;

use clap::Args;
use serde::Serialize;
use serde_json::Value;

use super::asked::{COUNCIL, Format, Own, Switch};
use super::event::{Event, Fields};
use super::feature_state::FeatureState;
use super::piece::Piece;
use super::run;
use super::state::Run;
use crate::terminal::sections::section::Section;

pub use cache::asked::{path_of_offer, without_offers};
pub use cache::shape::Earlier;
pub use corrections::path_of_correction;
pub use rounds::asked::{BY_STYLE, COMMAND as ROUNDS, NO_ROUNDS, STYLE, field_of_rounds};

/// How a deliberation can be held.
pub const FORMATS: [Format; 4] =
    [COUNCIL, rounds::asked::DEBATE, rounds::asked::ARENA, parts::asked::DECOMPOSITION];
/// Their names, as the argument of a command.
pub const FORMAT_NAMES: &str = "council|debate|arena|decomposition";
/// The description of the key that changes the format.
pub const NEXT_FORMAT: &str = "the next format: council, debate, arena, decomposition";
/// What a chat can switch on and off by a word.
pub const SWITCHES: [Switch; 3] = [checks::asked::REACT, searches::asked::RESEARCH, searches::asked::SEARCH];
/// Fields that mean the same as a format.
pub const OWN: [Own; 1] = [rounds::asked::USE_DEBATE];
/// Examples of fields that have no command of their own.
pub const FIELDS: [&str; 4] = ["debate_style=all_to_all", "quorum=3", "use_cot=true", "use_tools=true"];

/// The flags of the command line that name a format.
#[derive(Debug, Clone, Default, Args)]
pub struct FormatFlags {
    #[command(flatten)]
    rounds: rounds::asked::Flags,
    #[command(flatten)]
    parts: parts::asked::Flags,
}

impl FormatFlags {
    /// The format that is asked for, if one is.
    #[must_use]
    pub fn format(&self) -> Option<Format> {
        self.rounds.format().or(self.parts.format())
    }

    /// The fields of a request that say what belongs to this format.
    ///
    /// # Errors
    /// Which flag does not belong to it.
    pub fn fields(&self, format: Option<Format>) -> Result<Vec<(&'static str, Value)>, String> {
        self.rounds.fields(format)
    }
}

/// The flags of the command line that switch an option on.
#[derive(Debug, Clone, Default, Args)]
pub struct OptionFlags {
    #[command(flatten)]
    checks: checks::asked::Flags,
    #[command(flatten)]
    searches: searches::asked::Flags,
    #[command(flatten)]
    lookups: lookups::asked::Flags,
    #[command(flatten)]
    cache: cache::asked::Flags,
}

impl OptionFlags {
    /// The fields of a request for these flags.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let lookups = self.lookups.field();
        self.checks
            .field()
            .into_iter()
            .chain(self.searches.fields())
            .chain(lookups)
            .chain(self.cache.fields())
    }
}

/// What options and formats add to the state of a run. A run has those that are present.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Options {
    pub cache: Option<cache::shape::Cache>,
    #[serde(flatten)]
    pub choosing: choosing::shape::Choosing,
    #[serde(skip_serializing_if = "corrections::Corrections::is_empty")]
    pub corrections: corrections::Corrections,
    #[serde(flatten)]
    pub searches: searches::shape::Searches,
    pub lookups: Vec<lookups::shape::Place>,
    #[serde(flatten)]
    pub judging: reviews::shape::Judging,
    pub chairmen: Option<chairmen::shape::Chairmen>,
    pub checks: Vec<checks::shape::Check>,
    pub refinement: Option<refinement::shape::Refinement>,
    pub adversary: Option<adversary::shape::Adversary>,
    pub debate: Option<rounds::shape::Debate>,
    pub decomposition: Option<parts::shape::Decomposition>,
}

impl Options {
    fn all(&mut self) -> [&mut dyn FeatureState; 12] {
        [
            &mut self.cache,
            &mut self.choosing,
            &mut self.corrections,
            &mut self.searches,
            &mut self.lookups,
            &mut self.judging,
            &mut self.chairmen,
            &mut self.checks,
            &mut self.refinement,
            &mut self.adversary,
            &mut self.debate,
            &mut self.decomposition,
        ]
    }

    /// Sentences about what was decided before anybody answered.
    pub fn beginning(&self) -> impl Iterator<Item = String> {
        let cache = self.cache.iter().filter_map(cache::section::beginning);
        let choosing = choosing::section::beginning(&self.choosing);
        self.corrections
            .sentences()
            .chain(cache)
            .chain(choosing)
            .chain(searches::section::beginning(&self.searches))
    }

    /// Sections in the place of a council's answers.
    pub fn answers(&self) -> impl Iterator<Item = Section> {
        let statements = self.debate.iter().flat_map(rounds::section::statements);
        statements.chain(self.decomposition.iter().flat_map(parts::section::parts))
    }

    /// Sections before the reviews.
    pub fn before_reviews(&self) -> impl Iterator<Item = Section> {
        reviews::section::rubric(&self.judging).into_iter()
    }

    /// Sections before the final answer, about how it came about.
    pub fn before_final_answer(&self, run: &Run) -> impl Iterator<Item = Section> {
        let drafts = self.chairmen.iter().flat_map(chairmen::section::drafts);
        let reasoning = checks::section::reasoning(&self.checks, run);
        let refinement = self.refinement.iter().filter_map(refinement::section::iterations);
        let attack = self.adversary.iter().map(|adversary| adversary::section::attack(adversary, run));
        drafts.chain(reasoning).chain(refinement).chain(attack)
    }

    /// Sections after the final answer.
    pub fn after_final_answer(&self, run: &Run) -> impl Iterator<Item = Section> {
        searches::section::sources(&self.searches, run).into_iter()
    }

    /// The heading of the final answer, if an option changes it.
    #[must_use]
    pub fn heading(&self) -> Option<&'static str> {
        checks::section::heading(&self.checks)
    }

    /// The pieces in the place of a council's answers, each with what it is.
    pub fn pieces(&self) -> impl Iterator<Item = (&'static str, &Piece)> {
        let statements =
            self.debate.iter().flat_map(rounds::section::pieces).map(|piece| ("statement", piece));
        let parts = self.decomposition.iter().flat_map(parts::section::pieces);
        statements.chain(parts.map(|piece| ("part", piece)))
    }

    /// Whether the run has another format than that of a council.
    #[must_use]
    pub fn has_format(&self) -> bool {
        self.debate.is_some() || self.decomposition.is_some()
    }

    /// An earlier answer that somebody has to decide on.
    #[must_use]
    pub fn offer(&self) -> Option<&Earlier> {
        self.cache.as_ref()?.offer()
    }
}

/// Folds an event into everything that handles it: first the stages that every run has, then the options.
pub fn fold(run: &mut Run, options: &mut Options, event: Event) {
    if event.kind == "run_started" {
        *options = Options::default();
    }
    if run::apply(run, event).is_break() {
        answers::settle(run);
        reviews::settle(run);
        final_answer::settle(run);
        options.all().into_iter().for_each(FeatureState::settle);
    }
    answers::apply(run, event);
    reviews::apply(run, event);
    final_answer::apply(run, event);
    options.all().into_iter().for_each(|feature| feature.apply(run, event));
}

/// Reads the parts of a stored message that no event of its run would have produced.
pub fn read(run: &mut Run, options: &mut Options, message: Fields, is_live: bool) {
    run::read(run, message);
    options.all().into_iter().for_each(|feature| feature.read(run, message, is_live));
}
