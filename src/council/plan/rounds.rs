//! What a request says of its reviews and of waiting for members, and which of that applies to it.

use serde_json::Value;

use crate::council::features::Options;
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::formats::list::Format;
use crate::council::options::rubric::{self, Rubric};
use crate::council::ranking::self_votes::SelfVotes;
use crate::council::run_event::{Ignored, IgnoredFact};

/// The longest wait for stragglers once the quorum has answered.
const MAX_GRACE_MS: i64 = 600_000;

/// See the module. What does not apply is taken out by [`Rounds::leave_out`].
pub(super) struct Rounds {
    /// Whether ballots count by their reviewers' records; `None` where the request does not say.
    pub weighted: Option<bool>,
    pub self_votes: SelfVotes,
    pub reviews_per_answer: Option<usize>,
    pub second_reading: bool,
    pub rubric: Option<Rubric>,
    pub quorum: Option<usize>,
    pub straggler_grace_ms: u64,
    /// How many models are named to review instead of the members.
    reviewers_named: usize,
}

/// What decides which fields apply to a request.
#[derive(Clone, Copy)]
pub(super) struct Circumstances {
    pub format: Format,
    /// The request switches reviews off.
    pub is_unreviewed: bool,
    /// One seat is asked alone.
    pub is_alone: bool,
    /// It is answered as a council without reviews: switched off, or one seat alone.
    pub without_reviews: bool,
}

/// Fields of a request, and whether each is switched on.
type Switches<const N: usize> = [(&'static str, bool); N];

impl Rounds {
    /// Reads the fields. There are at most `members` members, and they review where nobody is named to do so
    /// (`reviewers_named` models).
    pub(super) fn parse(
        fields: &mut Fields<'_>,
        (members, reviewers_named): (usize, usize),
        count_self_votes: Option<bool>,
        rubric_of_library: Option<&Rubric>,
    ) -> Self {
        let reviewers = if reviewers_named == 0 { members } else { reviewers_named };
        Self {
            weighted: fields.take("use_weighted_consensus", "true or false"),
            self_votes: SelfVotes::parse(fields, count_self_votes),
            reviews_per_answer: at_most(fields, "reviews_per_answer", (reviewers, "reviewers")),
            second_reading: fields.take("use_second_reading", "true or false").unwrap_or(false),
            rubric: Rubric::parse(fields, rubric_of_library),
            quorum: at_most(fields, "quorum", (members, "members")),
            straggler_grace_ms: straggler_grace_ms(fields),
            reviewers_named,
        }
    }

    /// Takes out what does not apply in these circumstances, here and among the options, and adds what was switched on
    /// in vain to `ignored`, each with its reason.
    pub(super) fn leave_out(
        &mut self,
        fields: &mut Fields<'_>,
        options: &mut Options,
        circumstances: Circumstances,
        ignored: &mut Vec<Ignored>,
    ) {
        let Circumstances { format, is_unreviewed, is_alone, without_reviews } = circumstances;
        let is_council = format.may_be_the_councils();
        if without_reviews {
            add(ignored, &IgnoredFact::Unreviewed, self.take_reviews(fields, format));
        }
        if is_alone {
            add(ignored, &IgnoredFact::Alone, self.take_waiting());
        }
        if !is_council {
            let fact = IgnoredFact::CouncilOnly { mode: format.mode().to_owned() };
            add(ignored, &fact, options.take_switched_on());
            let reviews = [
                ("use_reviews", is_unreviewed),
                ("use_weighted_consensus", self.weighted == Some(true)),
                ("use_second_reading", std::mem::take(&mut self.second_reading)),
            ];
            add(ignored, &fact, reviews);
            add(ignored, &fact, self.take_waiting());
        }
        let are_reviewers_named = fields.has("reviewer_models") && self.reviewers_named > 0;
        if format.may_take_apart() {
            // Whether the question is taken apart shows only in the run, so nothing is taken out.
            add(ignored, &IgnoredFact::TakenApart, options.switched_on());
            let others = [
                ("use_reviews", is_unreviewed),
                ("use_weighted_consensus", self.weighted == Some(true) && !without_reviews),
                ("reviewer_models", are_reviewers_named && !without_reviews),
                ("reviews_per_answer", self.reviews_per_answer.is_some()),
                ("use_second_reading", self.second_reading),
                (rubric::FIELD, self.rubric.is_some() && !format.ranks_parts()),
                ("quorum", self.quorum.is_some()),
                ("straggler_grace_ms", self.straggler_grace_ms > 0),
            ];
            add(ignored, &IgnoredFact::TakenApart, others);
            if without_reviews && self.rubric.is_some() {
                ignored.push(Ignored::because(rubric::FIELD, IgnoredFact::PartsOnly));
            }
        }
        if !is_council && !format.has_ballots() {
            let others = [
                ("reviewer_models", are_reviewers_named),
                ("reviews_per_answer", self.reviews_per_answer.take().is_some()),
                (rubric::FIELD, self.rubric.take().is_some()),
            ];
            add(ignored, &IgnoredFact::Unreviewed, others);
        }
    }

    fn take_reviews(&mut self, fields: &mut Fields<'_>, format: Format) -> Switches<5> {
        let reviewers = fields.take::<Vec<Value>>("reviewer_models", "a list of models").unwrap_or_default();
        [
            ("use_weighted_consensus", self.weighted == Some(true)),
            ("reviewer_models", !reviewers.is_empty()),
            ("reviews_per_answer", self.reviews_per_answer.take().is_some()),
            ("use_second_reading", std::mem::take(&mut self.second_reading)),
            // Ballots on the answers to the parts use it.
            (rubric::FIELD, !format.ranks_parts() && self.rubric.take().is_some()),
        ]
    }

    fn take_waiting(&mut self) -> Switches<2> {
        [
            ("quorum", self.quorum.take().is_some()),
            ("straggler_grace_ms", std::mem::take(&mut self.straggler_grace_ms) > 0),
        ]
    }
}

/// Adds those that are switched on.
fn add(
    ignored: &mut Vec<Ignored>,
    fact: &IgnoredFact,
    switches: impl IntoIterator<Item = (&'static str, bool)>,
) {
    let on = switches.into_iter().filter(|(_, on)| *on);
    ignored.extend(on.map(|(field, _)| Ignored::because(field, fact.clone())));
}

/// Reads a number from 1 to that of these (`who`).
fn at_most(fields: &mut Fields<'_>, field: &str, (all, who): (usize, &str)) -> Option<usize> {
    let given: i64 = fields.take(field, "a whole number")?;
    let some = usize::try_from(given).ok().filter(|some| (1..=all).contains(some));
    if some.is_none() {
        let message = format!("must be from 1 to {all}, the number of {who}; it is {given}");
        fields.refuse(field, FieldErrorKind::Value, message);
    }
    some
}

fn straggler_grace_ms(fields: &mut Fields<'_>) -> u64 {
    let given: i64 = fields.take("straggler_grace_ms", "a whole number").unwrap_or_default();
    if !(0..=MAX_GRACE_MS).contains(&given) {
        let message = format!("must be from 0 to {MAX_GRACE_MS} milliseconds; it is {given}");
        fields.refuse("straggler_grace_ms", FieldErrorKind::Value, message);
    }
    u64::try_from(given).unwrap_or_default()
}
