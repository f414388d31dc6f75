//! Decomposition: a question with parts is taken apart, every member answers every part, and the chairman puts the
//! best answers together. A question without parts is the council's.

pub mod complexity;
mod event;
pub mod facts;
mod merge;
mod notes;
mod simulated;
pub mod split;
mod stored;
mod sub_council;
pub mod view;

pub use event::DecompositionEvent;
pub use notes::DecompositionNote;
pub use stored::StoredDecomposition;

use std::collections::BTreeMap;

use futures_util::stream::{FuturesOrdered, StreamExt as _};
use serde::{Deserialize, Serialize};

use super::council;
use crate::council::estimate::{ExpectedCall, Expecting, FENCE, Kept};
use crate::council::failure::Failure;
use crate::council::field::Fields;
use crate::council::options::confidence;
use crate::council::plan::Plan;
use crate::council::prompts::fence;
use crate::council::prompts::template::Template;
use crate::council::ranking::aggregate::AggregateRow;
use crate::council::ranking::label::Label;
use crate::council::run::Run;
use crate::council::settings::Member;
use crate::council::stage::Stage;
use crate::council::stages::answers::Answer;
use crate::council::stages::reviews::{self, Review};
use crate::council::stages::{synthesis, title};
use crate::council::task::Task;
use crate::llm::Purpose;
use complexity::{Complexity, THRESHOLD};
use event::PartResult;
use facts::SkipFact;
use split::MAX_PARTS;
use sub_council::{Part, PickedBy};

/// What requests call this format.
pub const MODE: &str = "decomposition";
/// The flag by which older clients ask for it.
pub const FLAG: &str = "use_decomposition";

/// Where the question is judged and taken apart.
pub static STAGE: Stage = Stage::named("decomposition");
/// Where its parts are answered, in order.
pub static PARTS: [Stage; MAX_PARTS] = [
    Stage::named("sub1"),
    Stage::named("sub2"),
    Stage::named("sub3"),
    Stage::named("sub4"),
    Stage::named("sub5"),
];

/// Whether the question has parts.
pub static COMPLEXITY: Purpose =
    Purpose { name: "complexity", usual_tokens: 80, simulated: simulated::complexity };
/// What they are.
pub static SPLIT: Purpose = Purpose { name: "split", usual_tokens: 150, simulated: simulated::split };
/// A member's answer to a part.
pub static SUB_ANSWER: Purpose =
    Purpose { name: "sub_answer", usual_tokens: 800, simulated: simulated::sub_answer };
/// A member's ranking of the answers to a part.
pub static PICK: Purpose = Purpose { name: "sub_ballot", usual_tokens: 60, simulated: simulated::ballot };
/// The answer that is put together from the parts.
pub static MERGE: Purpose = Purpose { name: "merge", usual_tokens: 2_000, simulated: simulated::merge };
/// What its calls are for.
pub static PURPOSES: [&Purpose; 5] = [&COMPLEXITY, &SPLIT, &SUB_ANSWER, &PICK, &MERGE];

/// Everything that this asks models with, besides the council that answers where it is skipped.
pub static TEMPLATES: &[&Template] = &[
    &complexity::PROMPT,
    &split::PROMPT,
    &sub_council::ANSWER_PROMPT,
    &sub_council::BALLOT_PROMPT,
    &merge::PROMPT,
    &fence::RULE,
    &reviews::REPAIR,
    &confidence::SUFFIX,
];

/// The stage of a part, from 0.
fn stage(index: usize) -> Stage {
    PARTS[index.min(MAX_PARTS - 1)].clone()
}

/// How the best answer to a part is found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// The members rank the answers blind.
    #[default]
    Ballot,
    /// It is that of the most confident member.
    Confidence,
}

/// What a plan says of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecompositionOptions {
    #[serde(default)]
    pub pick: Pick,
}

impl DecompositionOptions {
    /// Reads a request's fields.
    pub(in crate::council) fn parse(fields: &mut Fields<'_>) -> Self {
        Self { pick: fields.take("pick", "ballot or confidence").unwrap_or_default() }
    }
}

/// What came of one part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SubResult {
    /// From 0.
    pub index: usize,
    pub sub_question: String,
    /// One per member, failed ones included.
    pub responses: Vec<Answer>,
    /// The members' ballots, where the best answer was found by them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ballots: Vec<Review>,
    /// `Response A` → the seat's name, as the ballots have it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, String>)]
    pub label_to_member: BTreeMap<Label, String>,
    /// What the ballots add up to, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<AggregateRow>,
    /// Absent where no member answered.
    pub best_answer: Option<String>,
    pub best_model: Option<String>,
    #[serde(default)]
    pub best_member: Option<String>,
    #[serde(default)]
    pub picked_by: Option<PickedBy>,
}

/// Takes the question apart and answers it, or lets the council answer it.
///
/// # Errors
/// When not one member answered.
pub(in crate::council) async fn hold(
    run: &Run,
    plan: &Plan,
    options: DecompositionOptions,
) -> Result<(), Failure> {
    let brief = plan.brief();
    let model = brief.settings.utility_model.clone();
    run.emit("decomposition/start", DecompositionEvent::DecompositionStart { model }).await;
    let sub_questions = match take_apart(run, plan).await {
        Ok(sub_questions) => sub_questions,
        Err((why, confidence)) => {
            let event = DecompositionEvent::DecompositionSkip {
                reason: why.to_string(),
                reason_fact: Some(why),
                confidence,
            };
            run.emit("decomposition/skip", event).await;
            return council::hold(run, plan).await;
        }
    };
    // What reviewers' records say of whole answers says little of rankings without a reason.
    let task = Task { weighing: None, ..plan.task.clone() };
    let parts = sub_questions.iter().enumerate().map(|(index, question)| Part { index, question });
    let councils = parts.map(|part| sub_council::hold(run, &task, part, options.pick));
    let results: Vec<SubResult> = councils.collect::<FuturesOrdered<_>>().collect().await;
    let in_short: Vec<PartResult> = results.iter().map(PartResult::from).collect();
    let all = DecompositionEvent::AllSubCouncilsComplete { results: in_short.clone() };
    run.emit("decomposition/answered", all).await;
    if results.iter().all(|result| result.best_answer.is_none()) {
        let answers = results.iter().flat_map(|result| &result.responses);
        return Err(Failure::no_answers(answers.map(|answer| answer.error_kind)));
    }

    let synthesis = merge::write(run, brief, &results).await;
    let complete = DecompositionEvent::MergeComplete {
        model: synthesis.model.clone(),
        response: synthesis.response.clone(),
        data: Box::new(synthesis.clone()),
    };
    run.emit("stage3/complete", complete).await;
    let complete = DecompositionEvent::DecompositionComplete {
        sub_questions,
        sub_results: in_short,
        final_response: synthesis.response,
        chairman_model: synthesis.model,
        total_cost: run.costs().total_cost,
    };
    run.emit("decomposition/complete", complete).await;
    Ok(())
}

/// The parts of the question; else why it is not taken apart, and how sure that is.
async fn take_apart(run: &Run, plan: &Plan) -> Result<Vec<String>, (SkipFact, Option<f64>)> {
    let brief = plan.brief();
    let model = || brief.settings.utility_model.clone();
    let mut complexity =
        Complexity { indicators: complexity::indicators(&brief.question), ..Complexity::default() };
    let skip = match complexity::ask(run, brief).await {
        Err(error) => Some(SkipFact::NotJudged { model: model(), reason: error.reason() }),
        Ok(None) => Some(SkipFact::JudgmentUnread { model: model() }),
        Ok(Some(judged)) => {
            complexity.confidence = judged.confidence;
            complexity.reasoning = judged.reasoning;
            complexity.is_complex = judged.yes && judged.confidence.is_some_and(|share| share >= THRESHOLD);
            let not_sure = SkipFact::NotSure { confidence: judged.confidence };
            (!complexity.is_complex).then_some(if judged.yes { not_sure } else { SkipFact::NotComplex })
        }
    };
    let (should_decompose, confidence) = (complexity.is_complex, complexity.confidence);
    let analyzed = DecompositionEvent::ComplexityAnalyzed { complexity, should_decompose };
    run.emit("decomposition/complexity", analyzed).await;
    if let Some(why) = skip {
        return Err((why, confidence));
    }
    let parts = split::ask(run, brief).await.map_err(|why| (why, confidence))?;
    let generated = DecompositionEvent::SubQuestionsGenerated {
        count: parts.sub_questions.len(),
        sub_questions: parts.sub_questions.clone(),
        cost: parts.cost,
    };
    run.emit("decomposition/split/complete", generated).await;
    Ok(parts.sub_questions)
}

/// Each course that a run may take when it goes well: the council's, or as many parts as there can be.
pub(in crate::council) fn courses(
    plan: &Plan,
    kept: &Kept,
    options: DecompositionOptions,
) -> Vec<Vec<ExpectedCall>> {
    let expecting = Expecting::of(plan.brief());
    let utility = &plan.brief().settings.utility_model;
    let judging = expecting.call(STAGE.clone(), utility, &COMPLEXITY, 180 + expecting.quoted());
    let splitting = expecting.call(STAGE.clone(), utility, &SPLIT, 150 + expecting.quoted());
    let mut apart = vec![judging.clone(), splitting];
    let members = plan.brief().members();
    for index in 0..MAX_PARTS {
        let answer = |member: &Member| {
            let prompt = expecting.system_of(member) + 120 + expecting.quoted() + expecting.history;
            expecting.call(stage(index), &member.model, &SUB_ANSWER, prompt)
        };
        apart.extend(members.iter().map(answer));
        let ballot = |member: &Member| {
            let answers = members.len() as u64 * (expecting.text(&SUB_ANSWER) + FENCE);
            expecting.call(
                stage(index),
                &member.model,
                &PICK,
                expecting.system_of_judge(member) + 150 + answers,
            )
        };
        apart.extend(members.iter().filter(|_| options.pick == Pick::Ballot).map(ballot));
    }
    let chairman = &plan.brief().settings.chairman_model;
    let parts = MAX_PARTS as u64 * (expecting.text(&SUB_ANSWER) + FENCE);
    let prompt = expecting.system_of_writer(chairman) + 150 + expecting.quoted() + parts;
    apart.push(expecting.call(synthesis::STAGE, chairman, &MERGE, prompt));
    apart.extend(plan.title.then(|| title::expected_call(expecting)));
    let skipped =
        council::courses(plan, kept).into_iter().map(|calls| [vec![judging.clone()], calls].concat());
    skipped.chain([apart]).collect()
}
