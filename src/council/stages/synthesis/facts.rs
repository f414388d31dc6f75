//! What stands above an answer: what it is, and what was lost on the way to it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::council::brief::Brief;
use crate::council::round::Round;
use crate::council::searching::material::NotFound;
use crate::llm::Reason;

/// What the answer is. It never says "the council" of anything less than the whole council.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum HeadingFact {
    /// Everybody answered.
    Council {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// Everybody answered, and no ballot counts.
    Unranked,
    /// Everybody answered, and nobody was to review.
    Unreviewed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// Not everybody answered.
    SomeMembers {
        good: usize,
        asked: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// Only one member answered.
    OneMember {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// It is a member's own: the council agreed on it.
    Agreed { member: String },
    /// It is a member's own: those who answered agreed on it, but not everybody answered.
    SomeAgreed { good: usize, asked: usize, member: String },
    /// It is a member's own, taken word for word: the ballots put it first of those that could be taken.
    Selected { member: String },
    /// It is a member's own, taken word for word, where not everybody answered.
    SomeSelected { good: usize, asked: usize, member: String },
    /// It is a member's own: nobody else was asked.
    MemberAlone { member: String },
    /// It is the chairman's own: the council was not asked.
    ChairmanAlone,
    /// It comes of a debate in which everybody stayed to the end.
    Debate {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// Not everybody stayed to the end of the debate.
    PartOfDebate {
        left: usize,
        asked: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// Fewer than two speakers were left before its end.
    BrokenOffDebate {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// It is put together from answers to parts of the question.
    Merged {
        answered: usize,
        parts: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<Author>,
    },
    /// Nobody could write it.
    NoAnswer,
    /// The run ended before it was whole.
    Unfinished,
}

/// Who wrote it, where it was not simply the chairman.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Author {
    StandIn,
    /// The chairman chose it.
    Chosen {
        drafts: usize,
    },
    ChosenByStandIn {
        drafts: usize,
    },
    /// Everybody who was to choose failed: it is the first one.
    NobodyChose {
        drafts: usize,
    },
    /// The choice could not be read: it is the first one.
    ChoiceUnread {
        drafts: usize,
    },
    /// The other chairmen failed.
    OnlyDraft {
        drafts: usize,
    },
}

impl HeadingFact {
    /// The heading over what came of a round.
    pub(in crate::council) fn of(round: &Round<'_>, by: Option<Author>) -> Self {
        let (good, asked) = (round.good().count(), round.answers.len());
        let reviews = &round.reviewed.reviews;
        if good == 1 {
            Self::OneMember { by }
        } else if good < asked {
            Self::SomeMembers { good, asked, by }
        } else if round.task.without_reviews {
            Self::Unreviewed { by }
        } else if by.is_none() && !reviews.iter().any(|review| review.counts) {
            Self::Unranked
        } else {
            Self::Council { by }
        }
    }
}

impl fmt::Display for HeadingFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = match self {
            Self::Council { by: None } => {
                f.write_str("Final answer of the council")?;
                &None
            }
            Self::Council { by } => {
                f.write_str("Answer of the council")?;
                by
            }
            Self::Unranked => {
                f.write_str("Answer of the council, without a ranking")?;
                &None
            }
            Self::Unreviewed { by } => {
                f.write_str("Answer of the council, without peer review")?;
                by
            }
            Self::SomeMembers { good, asked, by } => {
                write!(f, "Answer of {good} of {asked} members")?;
                by
            }
            Self::OneMember { by } => {
                f.write_str("Answer after a single member's reply, without peer review")?;
                by
            }
            Self::Agreed { member } => return write!(f, "The council agreed: the answer of {member}"),
            Self::SomeAgreed { good, asked, member } => {
                return write!(
                    f,
                    "The {good} of {asked} members that answered agreed: the answer of {member}"
                );
            }
            Self::Selected { member } => {
                return write!(f, "Chosen by the ballots: the answer of {member}");
            }
            Self::SomeSelected { good, asked, member } => {
                return write!(
                    f,
                    "Chosen by the ballots of the {good} of {asked} members that answered: the answer of {member}"
                );
            }
            Self::MemberAlone { member } => {
                return write!(f, "Answer of {member} alone, without the council");
            }
            Self::ChairmanAlone => return f.write_str("Answer of the chairman alone, without the council"),
            Self::Debate { by } => {
                f.write_str("Answer after the debate")?;
                by
            }
            Self::PartOfDebate { left, asked, by } => {
                write!(f, "Answer after a debate that {left} of {asked} speakers saw to its end")?;
                by
            }
            Self::BrokenOffDebate { by } => {
                f.write_str("Answer after a debate that broke off")?;
                by
            }
            Self::Merged { answered, parts, by } if answered == parts => {
                write!(f, "Answer put together from {parts} parts of the question")?;
                by
            }
            Self::Merged { answered, parts, by } => {
                write!(f, "Answer put together from {answered} of {parts} parts of the question")?;
                by
            }
            Self::NoAnswer => return f.write_str("No final answer: the chairman and its stand-ins failed"),
            Self::Unfinished => return f.write_str("Not finished"),
        };
        by.map_or(Ok(()), |by| write!(f, ", {by}"))
    }
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandIn => f.write_str("written by a stand-in for the chairman"),
            Self::Chosen { drafts } => write!(f, "chosen from {drafts} drafts"),
            Self::ChosenByStandIn { drafts } => {
                write!(f, "chosen from {drafts} drafts by a stand-in for the chairman")
            }
            Self::NobodyChose { drafts } => write!(f, "the first of {drafts} drafts: nobody could choose"),
            Self::ChoiceUnread { drafts } => {
                write!(f, "the first of {drafts} drafts: no choice could be read")
            }
            Self::OnlyDraft { drafts } => write!(f, "by the only one of {drafts} chairmen that did not fail"),
        }
    }
}

/// What went wrong on the way to an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum NoteFact {
    NoAnswer {
        member: String,
        reason: Reason,
    },
    /// What it had written is there.
    UnfinishedAnswer {
        member: String,
        reason: Reason,
    },
    /// It is too long.
    CutAnswer {
        member: String,
    },
    /// It came after the reviews had begun.
    Late {
        member: String,
    },
    NoReview {
        member: String,
        reason: Reason,
    },
    /// Its review holds none that counts.
    NoBallot {
        member: String,
    },
    /// A chairman failed.
    NoFinalAnswer {
        model: String,
        reason: Reason,
    },
    /// The reviews' texts do not fit into its context: it read only what they add up to.
    WithoutReviews {
        model: String,
    },
    /// One of several chairmen failed.
    NoDraft {
        model: String,
        label: String,
        reason: Reason,
    },
    /// There was only one draft.
    NothingToChoose,
    NoChoice {
        model: String,
        reason: Reason,
    },
    /// A chairman named no draft, and failed when it was asked again.
    NotAskedAgain {
        model: String,
        reason: Reason,
    },
    /// It named no draft: the first one stands.
    ChoiceUnread {
        model: String,
        label: String,
    },
    /// Its own version of the answer broke off: the draft stands as it was written.
    VersionCut {
        model: String,
        label: String,
    },
    /// Its own version is not of the form that was asked for: the draft stands as it was written.
    VersionNotOfForm {
        model: String,
        label: String,
        problem: String,
    },
    /// The answer that is taken word for word shares its place with others.
    SharedPlace {
        /// All who share it, in the ranking's order.
        members: Vec<String>,
        /// Whose is taken.
        member: String,
    },
    /// An answer could have been taken, but was cut at its token limit.
    NotTakenCut {
        member: String,
    },
    /// An answer could have been taken, but speaks to its reviewers.
    NotTakenAddressesJudges {
        member: String,
    },
    /// None of the answers could be taken.
    NothingToTake,
    /// No ballot counts: none of several answers is the first.
    NoBallots,
    /// A speaker failed, and was out of the debate from this round on.
    LeftDebate {
        member: String,
        round: u32,
        reason: Reason,
    },
    /// Fewer than two speakers were left.
    DebateEndedEarly {
        rounds: usize,
        planned: usize,
    },
    /// The speakers that were left had nothing to answer: their critics had failed.
    NothingToAnswer {
        rounds: usize,
        planned: usize,
    },
    /// No member answered this part of the question.
    PartUnanswered {
        sub_question: String,
    },
    /// What was to be looked up before anybody answered was not found.
    NotLookedUp {
        query: String,
        reason: Reason,
    },
    /// Some of the texts do not fit into the chairman's context.
    WithoutAllOfDebate {
        model: String,
        statements: usize,
    },
}

impl fmt::Display for NoteFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer { member, reason } => {
                write!(f, "{member} gave no answer: {}.", Unended(reason))
            }
            Self::UnfinishedAnswer { member, reason } => {
                write!(f, "{member} did not finish its answer: {}.", Unended(reason))
            }
            Self::CutAnswer { member } => {
                write!(f, "{member} did not finish its answer: it is too long and was cut.")
            }
            Self::Late { member } => write!(f, "{member} answered late: its answer was not reviewed."),
            Self::NoReview { member, reason } => {
                write!(f, "{member} gave no review: {}.", Unended(reason))
            }
            Self::NoBallot { member } => write!(f, "{member}'s review holds no ballot that counts."),
            Self::NoFinalAnswer { model, reason } => {
                write!(f, "{model} could not write the final answer: {}.", Unended(reason))
            }
            Self::WithoutReviews { model } => write!(
                f,
                "The reviews did not fit into {model}'s context: it wrote from the answers and the ranking."
            ),
            Self::NoDraft { model, label, reason } => {
                write!(f, "{model} could not write draft {label}: {}.", Unended(reason))
            }
            Self::NothingToChoose => f.write_str("There was nothing to choose from: nobody was asked to."),
            Self::NoChoice { model, reason } => {
                write!(f, "{model} could not choose among the drafts: {reason}")
            }
            Self::NotAskedAgain { model, reason } => {
                write!(f, "{model} could not be asked again for its choice: {reason}")
            }
            Self::ChoiceUnread { model, label } => {
                write!(f, "{model}'s choice could not be read: draft {label} stands, the first one.")
            }
            Self::VersionCut { model, label } => write!(
                f,
                "{model}'s own version of the answer broke off at its token limit: draft {label} stands as it was \
                 written."
            ),
            Self::VersionNotOfForm { model, label, problem } => write!(
                f,
                "{model}'s own version of the answer is not of the form that was asked for ({problem}): draft {label} \
                 stands as it was written."
            ),
            Self::SharedPlace { members, member } => write!(
                f,
                "{} share their place in the ranking: the answer of {member} is taken, which it lists first.",
                members.join(", ")
            ),
            Self::NotTakenCut { member } => {
                write!(f, "{member}'s answer was cut at its token limit: it is not taken as it is.")
            }
            Self::NotTakenAddressesJudges { member } => {
                write!(f, "{member}'s answer speaks to its reviewers: it is not taken as it is.")
            }
            Self::NothingToTake => {
                f.write_str("No answer can be taken as it is, so the chairman was asked to write.")
            }
            Self::NoBallots => {
                f.write_str("No ballot counts, so no answer is the first: the chairman was asked to write.")
            }
            Self::LeftDebate { member, round, reason } => {
                write!(f, "{member} left the debate in round {round}: {}.", Unended(reason))
            }
            Self::DebateEndedEarly { rounds, planned } => write!(
                f,
                "Fewer than two speakers were left: the debate ended after round {rounds} of {planned}."
            ),
            Self::NothingToAnswer { rounds, planned } => write!(
                f,
                "None of the speakers that were left had been criticised: the debate ended after round {rounds} of \
                 {planned}."
            ),
            Self::PartUnanswered { sub_question } => {
                write!(f, "No member answered this part of the question: {sub_question}")
            }
            Self::NotLookedUp { query, reason } => {
                write!(
                    f,
                    "The search for “{query}” failed, and the run went on without it: {}.",
                    Unended(reason)
                )
            }
            Self::WithoutAllOfDebate { model, statements } => write!(
                f,
                "Not everything fitted into {model}'s context: {statements} texts were left out or cut."
            ),
        }
    }
}

/// A reason without its final full stop, if any.
struct Unended<'r>(&'r Reason);

impl fmt::Display for Unended<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.error.trim_end_matches('.'))
    }
}

/// What was to be looked up and was not found.
pub(in crate::council) fn not_looked_up(brief: &Brief) -> Vec<NoteFact> {
    let note =
        |lost: &NotFound| NoteFact::NotLookedUp { query: lost.query.clone(), reason: lost.reason.clone() };
    brief.background.not_found.iter().map(note).collect()
}

/// What was lost on the way to the answer.
pub(in crate::council) fn losses(round: &Round<'_>) -> Vec<NoteFact> {
    let Round { answers, reviewed, .. } = round;
    let mut notes = not_looked_up(round.brief());
    for answer in answers.iter().filter(|answer| !answer.is_good()) {
        let member = answer.member.clone();
        let error = answer.error.as_deref().unwrap_or_default();
        let reason = Reason::of(answer.error_kind, answer.error_fact.as_ref(), error);
        notes.push(if answer.response.is_empty() {
            NoteFact::NoAnswer { member, reason }
        } else if answer.truncated {
            NoteFact::CutAnswer { member }
        } else {
            NoteFact::UnfinishedAnswer { member, reason }
        });
    }
    for answer in answers.iter().filter(|answer| answer.late) {
        notes.push(NoteFact::Late { member: answer.member.clone() });
    }
    for review in &reviewed.reviews {
        let member = review.member.clone();
        if let Some(error) = &review.error {
            let reason = Reason::of(review.error_kind, review.error_fact.as_ref(), error);
            notes.push(NoteFact::NoReview { member, reason });
        } else if !review.counts {
            notes.push(NoteFact::NoBallot { member });
        }
    }
    notes
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
