//! The options of a council beside its answers and reviews: who answers, and what becomes of the answer. Some of them
//! leave no room for others.

use serde::{Deserialize, Serialize};

use crate::council::field::Fields;
use crate::council::options::adversary::AdversaryOptions;
use crate::council::options::jury;
use crate::council::options::multi_chairman;
use crate::council::options::react;
use crate::council::options::refinement::RefinementOptions;
use crate::council::options::word_for_word::{self, FinalAnswer};
use crate::council::roster::Choice;
use crate::council::run_event::{Ignored, IgnoredFact};
use crate::council::searching::plan::SearchContext;
use crate::council::seat::Alone;
use crate::council::settings::Settings;

/// What a plan says of the options that decide who answers and what becomes of the answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Who answers.
    #[serde(default)]
    pub roster: Choice,
    /// Whether an answer that the council agrees on is the final one.
    #[serde(default)]
    pub early_consensus: bool,
    /// How the final answer comes about.
    #[serde(default, rename = "final")]
    pub final_answer: FinalAnswer,
    /// The models that each write a draft for the chairman to choose from; none: it writes itself.
    #[serde(default)]
    pub chairmen: Vec<String>,
    /// Whether the draft is criticised and revised.
    #[serde(default)]
    pub refinement: Option<RefinementOptions>,
    /// Whether a devil's advocate attacks the answer.
    #[serde(default)]
    pub adversary: Option<AdversaryOptions>,
}

impl Options {
    /// Reads a request's fields, of a council that reviews or does not. What is switched on and does not apply is noted in
    /// `ignored`, and need not be set up; `elsewhere` is why none of it applies, where that is known before.
    pub(in crate::council) fn parse(
        fields: &mut Fields<'_>,
        settings: &mut Settings,
        (without_reviews, elsewhere): (bool, Option<IgnoredFact>),
        ignored: &mut Vec<Ignored>,
    ) -> Self {
        jury::parse(fields, settings);
        let mut final_answer = word_for_word::parse(fields);
        let unreviewed = without_reviews.then_some(IgnoredFact::Unreviewed);
        let selects = final_answer == Some(FinalAnswer::Select) && !without_reviews;
        let selected = selects.then_some(IgnoredFact::Selected);
        let mut options = Self {
            roster: Choice::parse(fields, settings, elsewhere.clone().or(unreviewed), ignored),
            early_consensus: fields.take("use_early_consensus", "true or false").unwrap_or(false),
            final_answer: final_answer.unwrap_or_default(),
            chairmen: multi_chairman::parse(fields, settings, elsewhere.or(selected), ignored),
            refinement: RefinementOptions::parse(fields),
            adversary: AdversaryOptions::parse(fields, settings),
        };
        if without_reviews {
            final_answer = final_answer.filter(|choice| *choice == FinalAnswer::Write);
            options.leave_out_ballots(ignored);
        }
        match final_answer {
            Some(FinalAnswer::Write) => options.leave_out_consensus(IgnoredFact::Written, ignored),
            Some(FinalAnswer::Select) => options.leave_out_writing(ignored),
            Some(FinalAnswer::Auto) | None => {}
        }
        options
    }

    /// Reads how often somebody who writes may check, where somebody writes: in any case whoever puts the answers to the
    /// parts of a question together.
    pub(in crate::council) fn checks(
        &self,
        fields: &mut Fields<'_>,
        (by_default, may_take_apart): (bool, bool),
        search: Option<&SearchContext>,
        ignored: &mut Vec<Ignored>,
    ) -> u8 {
        let checks = react::parse(fields, by_default, search);
        let why = match (self.final_answer, &self.roster) {
            (FinalAnswer::Select, _) if may_take_apart => IgnoredFact::PartsOnly,
            (FinalAnswer::Select, _) => IgnoredFact::Selected,
            (_, Choice::Alone { .. }) => IgnoredFact::Alone,
            _ => return checks,
        };
        let left = if may_take_apart { checks } else { 0 };
        if checks > 0 {
            ignored.push(Ignored::because("use_react", why));
        }
        left
    }

    /// The request fields of these options, and whether each is on.
    pub(in crate::council) fn switched_on(&self) -> [(&'static str, bool); 7] {
        let Self { roster, early_consensus, final_answer, chairmen, refinement, adversary } = self;
        [
            ("use_dynamic_routing", matches!(roster, Choice::Routing { .. })),
            ("use_escalation", matches!(roster, Choice::Escalation(_))),
            ("use_early_consensus", *early_consensus),
            ("final", *final_answer != FinalAnswer::default()),
            ("use_multi_chairman", !chairmen.is_empty()),
            ("use_refinement", refinement.is_some()),
            ("use_adversary", adversary.is_some()),
        ]
    }

    /// Switches off every option that is on: returns which were.
    pub(in crate::council) fn take_switched_on(&mut self) -> [(&'static str, bool); 7] {
        std::mem::take(self).switched_on()
    }

    /// Has one seat answer alone: nobody else is chosen, and nobody improves what it says.
    pub(in crate::council) fn ask_alone(&mut self, seat: Alone, ignored: &mut Vec<Ignored>) {
        for (field, _) in self.take_switched_on().into_iter().filter(|(_, on)| *on) {
            ignored.push(Ignored::because(field, IgnoredFact::Alone));
        }
        self.roster = Choice::Alone { seat };
    }

    /// Whether what a chairman has written is the final answer: it is neither chosen from several nor improved.
    #[must_use]
    pub fn keeps_written_answer(&self) -> bool {
        self.chairmen.is_empty() && self.refinement.is_none() && self.adversary.is_none()
    }

    /// Has the final answer written, in a form that only its writer is asked for: no member's own answer is taken for it.
    pub(in crate::council) fn require_written_answer(&mut self, ignored: &mut Vec<Ignored>) {
        self.leave_out_consensus(IgnoredFact::Formed, ignored);
        self.leave_out_choice(IgnoredFact::Formed, ignored);
    }

    /// Leaves out what goes by ballots, where there are none.
    fn leave_out_ballots(&mut self, ignored: &mut Vec<Ignored>) {
        self.leave_out_consensus(IgnoredFact::Unreviewed, ignored);
        self.leave_out_choice(IgnoredFact::Unreviewed, ignored);
        if matches!(self.roster, Choice::Escalation(_)) {
            self.roster = Choice::Everyone;
            ignored.push(Ignored::because("use_escalation", IgnoredFact::Unreviewed));
        }
    }

    fn leave_out_choice(&mut self, why: IgnoredFact, ignored: &mut Vec<Ignored>) {
        if std::mem::take(&mut self.final_answer) != FinalAnswer::Write {
            ignored.push(Ignored::because("final", why));
        }
    }

    fn leave_out_consensus(&mut self, why: IgnoredFact, ignored: &mut Vec<Ignored>) {
        if std::mem::take(&mut self.early_consensus) {
            ignored.push(Ignored::because("use_early_consensus", why));
        }
    }

    /// Leaves out what only serves an answer that somebody writes.
    fn leave_out_writing(&mut self, ignored: &mut Vec<Ignored>) {
        self.leave_out_consensus(IgnoredFact::Selected, ignored);
        let was_on = [
            ("use_multi_chairman", !std::mem::take(&mut self.chairmen).is_empty()),
            ("use_refinement", self.refinement.take().is_some()),
            ("use_adversary", self.adversary.take().is_some()),
        ];
        for (field, _) in was_on.into_iter().filter(|(_, on)| *on) {
            ignored.push(Ignored::because(field, IgnoredFact::Selected));
        }
    }
}
