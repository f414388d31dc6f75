//! Escalation: the models of a first tier answer. When they are unsure, or their reviewers disagree,
//! those of a second tier answer too, and everybody reviews everything.
//!
//! Where the first tier's confidences alone decide, it is not reviewed by itself: nobody would read
//! those reviews, and every token is paid for.

pub mod facts;
pub mod info;
mod notes;
pub mod settings;
pub mod view;

use std::borrow::Cow;
use std::collections::BTreeMap;

pub use facts::EscalationFact;
pub use info::{EscalationInfo, Metrics, Triggers};
pub use notes::EscalationNote;
use serde::{Deserialize, Serialize};

use crate::council::failure::Failure;
use crate::council::field::{FieldError, FieldErrorKind};
use crate::council::pass::Pass;
use crate::council::quorum::Stragglers;
use crate::council::ranking::ballots::{OwnPlace, counted_tiers};
use crate::council::ranking::label::Label;
use crate::council::ranking::methods::count;
use crate::council::round::{self, Round};
use crate::council::run::Run;
use crate::council::seat::{Seat, seats};
use crate::council::settings::{MAX_MEMBERS, Member, Settings};
use crate::council::stages::answers::{self, Answer, AnswersMetadata, Late};
use crate::council::stages::reviews::Reviewed;
use crate::council::task::Task;
use crate::llm::CallFact;

/// The thresholds below which the second tier is asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Thresholds {
    /// The average confidence, 1 to 10.
    pub confidence_threshold: f64,
    /// The lowest confidence of a single member, 1 to 10.
    pub min_confidence_threshold: u8,
    /// The share of the ballots that agree on the first place, 0 to 1.
    pub agreement_threshold: f64,
}

impl Thresholds {
    /// The thresholds of the settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let settings = &settings.options.escalation;
        Self {
            confidence_threshold: settings.escalation_confidence_threshold,
            min_confidence_threshold: settings.escalation_min_confidence_threshold,
            agreement_threshold: settings.escalation_agreement_threshold,
        }
    }
}

/// Who is asked first, who may be asked then, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tiers {
    pub first: Vec<Member>,
    pub second: Vec<Member>,
    pub thresholds: Thresholds,
}

impl Tiers {
    /// The tiers of the settings; no model sits in both.
    ///
    /// # Errors
    /// When one of them is empty, or they have more models than a council.
    pub fn of(settings: &Settings) -> Result<Self, Vec<FieldError>> {
        let options = &settings.options.escalation;
        let tiers = [("tier1_models", &options.tier1_models), ("tier2_models", &options.tier2_models)];
        let empty = |(setting, _): &(&str, &Vec<String>)| FieldError {
            field: "use_escalation".to_owned(),
            kind: FieldErrorKind::Unavailable,
            message: format!("the setting {setting} names no models; name some, or switch this off"),
        };
        let problems: Vec<FieldError> =
            tiers.iter().filter(|(_, models)| models.is_empty()).map(empty).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let models: Vec<String> = options.tier1_models.iter().chain(&options.tier2_models).cloned().collect();
        let (first, second): (Vec<Member>, Vec<Member>) = seats(&settings.council_models, &models)
            .into_iter()
            .partition(|member| options.tier1_models.contains(&member.model));
        // They may be of two layers, which were checked when they were saved and not when the one below changed.
        let asked = first.len() + second.len();
        let problem = if second.is_empty() {
            "all models of the setting tier2_models are in tier1_models too".to_owned()
        } else if asked > MAX_MEMBERS {
            format!(
                "the settings tier1_models and tier2_models name {asked} models together, and at most {MAX_MEMBERS} are \
                 asked"
            )
        } else {
            return Ok(Self { first, second, thresholds: Thresholds::of(settings) });
        };
        Err(vec![FieldError::value("use_escalation", problem)])
    }
}

impl EscalationInfo {
    /// What the first tier's answers say.
    #[must_use]
    pub fn of(tiers: &Tiers, answers: &[Answer]) -> Self {
        let Thresholds { confidence_threshold, min_confidence_threshold, agreement_threshold } =
            tiers.thresholds;
        let confidence = answers::summary(answers);
        let mut info = Self {
            tier1_model_count: tiers.first.len(),
            total_model_count: tiers.first.len(),
            metrics: Metrics {
                average_confidence: confidence.average,
                confidence_threshold,
                min_confidence: confidence.min,
                min_confidence_threshold,
                confidence_count: confidence.count,
                agreement_ratio: None,
                agreement_threshold,
            },
            ..Self::default()
        };
        if !answers.iter().any(Answer::is_good) {
            info.triggers.no_answer = true;
            info.escalate(tiers, EscalationFact::NoAnswer);
        }
        if let Some(average) = confidence.average.filter(|average| *average < confidence_threshold) {
            info.triggers.low_avg_confidence = true;
            let threshold = confidence_threshold;
            info.escalate(tiers, EscalationFact::LowAverage { average, threshold });
        }
        if let Some(lowest) = confidence.min.filter(|lowest| *lowest < min_confidence_threshold) {
            info.triggers.low_min_confidence = true;
            let threshold = min_confidence_threshold;
            info.escalate(tiers, EscalationFact::LowConfidence { lowest, threshold });
        }
        info
    }

    /// Takes in how far the first tier's reviewers agree.
    pub fn add_agreement(&mut self, tiers: &Tiers, agreement: Option<f64>) {
        let threshold = tiers.thresholds.agreement_threshold;
        self.metrics.agreement_ratio = agreement;
        if let Some(agreement) = agreement.filter(|agreement| *agreement < threshold) {
            self.triggers.low_agreement = true;
            self.escalate(tiers, EscalationFact::LowAgreement { agreement, threshold });
        }
    }

    fn escalate(&mut self, tiers: &Tiers, fact: EscalationFact) {
        self.escalated = true;
        self.reasons.push(fact.to_string());
        self.reason_facts.push(fact);
        self.tier2_model_count = tiers.second.len();
        self.total_model_count = self.tier1_model_count + self.tier2_model_count;
    }
}

/// The share of the counted ballots whose first place is the most frequent one; tied first places
/// share a vote. A reviewer's vote for its own answer stands where it counts in the ranking, or nowhere.
#[must_use]
pub fn first_place_agreement(reviewed: &Reviewed) -> Option<f64> {
    let Reviewed { reviews, metadata } = reviewed;
    let facts = metadata.aggregate.as_ref();
    let answers = metadata.label_to_member.len();
    let mut votes: BTreeMap<Label, f64> = BTreeMap::new();
    let mut ballots = 0_usize;
    for review in reviews.iter().filter(|review| review.counts) {
        let is_own = |label: &Label| metadata.label_to_member.get(label) == Some(&review.member);
        let own = facts.map_or(OwnPlace::AsCast, |facts| facts.own_place(&review.member, answers));
        let Some(first) = counted_tiers(&review.tiers, is_own, own).into_iter().next() else { continue };
        ballots += 1;
        for label in &first {
            *votes.entry(*label).or_default() += 1.0 / count(first.len());
        }
    }
    let most = votes.into_values().max_by(f64::total_cmp)?;
    // Equal shares must be equal, in whatever order their parts were added.
    Some((most / count(ballots) * 1e9).round() / 1e9)
}

/// The events of escalation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EscalationEvent {
    /// The first tier is asked.
    Tier1Start { models: Vec<String>, members: Vec<Seat> },
    /// The first tier has answered or failed, or its quorum has answered.
    Tier1Complete { data: Vec<Answer>, metadata: AnswersMetadata },
    /// The second tier will be asked as well.
    EscalationTriggered { data: Box<EscalationInfo> },
    /// The second tier is asked. `stage1_complete` follows with the answers of both.
    Tier2Start {
        models: Vec<String>,
        members: Vec<Seat>,
        /// When they are asked (RFC 3339, UTC).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        started_at: Option<String>,
    },
}

/// Lets the first tier answer, and the second one where that is called for.
///
/// # Errors
/// When not one member of either answered.
pub async fn hold<'p>(run: &Run, task: &'p Task, tiers: &'p Tiers) -> Result<Round<'p>, Failure> {
    let (models, members) = named(&tiers.first);
    run.emit("tier1/start", EscalationEvent::Tier1Start { models, members }).await;
    let (mut answers, late) = answers::ask_all(run, task, &tiers.first, Some(1)).await;
    let metadata =
        AnswersMetadata { aggregate_confidence: answers::summary(&answers), escalation_info: None };
    run.emit("tier1/complete", EscalationEvent::Tier1Complete { data: answers.clone(), metadata }).await;

    let mut info = EscalationInfo::of(tiers, &answers);
    if info.escalated {
        return widen(run, task, tiers, (answers, late), info, None).await;
    }
    answers::complete(run, Pass::First, &answers, Some(&info)).await;
    let settle = |reviewed: &mut Reviewed| {
        info.add_agreement(tiers, first_place_agreement(reviewed));
        reviewed.metadata.escalation_info = Some(Box::new(info.clone()));
    };
    let first = (tiers.first.as_slice(), [].as_slice());
    let corrected = round::corrected(run, task).await;
    let reviewed = round::review(run, &corrected, Pass::First, first, &mut answers, late, settle).await?;
    if info.escalated {
        return widen(run, task, tiers, (answers, Late::new()), info, Some(reviewed)).await;
    }
    Ok(Round { task: corrected, members: tiers.first.clone(), answers, reviewed })
}

/// Lets the second tier answer as well, while stragglers of the first may still come in, and
/// everybody review everything. When nobody of it answers, reviews that were held stand.
async fn widen<'p>(
    run: &Run,
    task: &'p Task,
    tiers: &'p Tiers,
    (mut answers, late): (Vec<Answer>, Late<'_>),
    mut info: EscalationInfo,
    reviewed: Option<Reviewed>,
) -> Result<Round<'p>, Failure> {
    // Once there are reviews nothing more is added to the question, so the second tier is asked with what was.
    let asked = if reviewed.is_some() { round::corrected(run, task).await } else { Cow::Borrowed(task) };
    run.emit("escalation", EscalationEvent::EscalationTriggered { data: Box::new(info.clone()) }).await;
    let (models, seats) = named(&tiers.second);
    let start = EscalationEvent::Tier2Start { models, members: seats, started_at: Some(run.now()) };
    run.emit("tier2/start", start).await;
    let answered = answers.iter().filter(|answer| answer.is_good()).count();
    let stragglers = Stragglers {
        stage: answers::STAGE,
        waiting: late,
        // The reviews are still to come, so no answer is too late for them.
        marked: false,
        fact: CallFact::WentOnWithout { answers: answered },
    };
    let asking = answers::ask_all(run, &asked, &tiers.second, Some(2));
    let ((more, late), arrivals) = run.with_stragglers("tier1/late", stragglers, asking).await;
    answers::put(&mut answers, arrivals);
    let in_vain = !more.iter().any(Answer::is_good);
    answers.extend(more);
    if in_vain {
        let fact = EscalationFact::InVain { reviewed: reviewed.is_some() };
        info.note = Some(fact.to_string());
        info.note_fact = Some(fact);
    } else {
        answers.iter_mut().filter(|answer| answer.tier == Some(1)).for_each(|answer| answer.late = false);
    }

    let pass = if reviewed.is_some() { Pass::Widened } else { Pass::First };
    answers::complete(run, pass, &answers, Some(&info)).await;
    let task = round::corrected(run, task).await;
    let members: Vec<Member> = tiers.first.iter().chain(&tiers.second).cloned().collect();
    let reviewed = match reviewed {
        Some(stands) if in_vain => stands,
        before => {
            let before = before.map(|reviewed| reviewed.reviews).unwrap_or_default();
            round::review(run, &task, pass, (&members, &before), &mut answers, late, |_| {}).await?
        }
    };
    Ok(Round { task, members, answers, reviewed })
}

/// The models of these, and their seats.
fn named(members: &[Member]) -> (Vec<String>, Vec<Seat>) {
    members.iter().map(|member| (member.model.clone(), Seat::from(member))).unzip()
}

#[cfg(test)]
mod tests;
