//! One part of a question: every member answers it, and the best answer is found.

use futures_util::stream::{FuturesOrdered, StreamExt as _};

use super::event::DecompositionEvent;
use super::options::Pick;
use super::part::{PickedBy, SubResult};
use super::purposes::{PICK, SUB_ANSWER, stage};
use crate::council::ask::rejects_the_system_prompt;
use crate::council::attached::FilesRead;
use crate::council::context;
use crate::council::options::{confidence, rubric};
use crate::council::prompts::fence::Fence;
use crate::council::prompts::template::Template;
use crate::council::prompts::{fence, history, judges};
use crate::council::ranking::label::Label;
use crate::council::ranking::order;
use crate::council::run::{Run, SpeakingTurn};
use crate::council::seat::Seat;
use crate::council::settings::Member;
use crate::council::stages::abstention;
use crate::council::stages::answers::{self, Answer};
use crate::council::stages::reviews::{self, Labelled, Review, ReviewTask};
use crate::council::task::Task;
use crate::council::tool_use::event::Place;
use crate::council::tool_use::{DialogueOutcome, ToolDialogue, converse};
use crate::llm::{ChatMessage, ChatRequest};

/// What a member is asked.
pub static ANSWER_PROMPT: Template = Template {
    name: "decomposition_answer",
    about: "What a member is asked that answers one part of a question.",
    text: "The question below is one part of a larger one. Answer this part alone, completely and to the point: others \
        answer the other parts, and somebody will put all of it together.\n\n{whole}\n\n{rule}\n\n\
        The part to answer:\n{part}",
    places: &["whole", "rule", "part"],
    marks: &[],
};
/// What a member is asked once all have answered.
pub static BALLOT_PROMPT: Template = Template {
    name: "decomposition_ballot",
    about: "What a member is asked that ranks the answers to one part.",
    text: "You are judging answers to a question. Their authors are hidden from you.\n\n{question}\n\n{answers}\n\n\
        {rule}\n\nRank all of them from best to worst: by what is right, then by what is complete, then by what is clear. Give no \
        reasons. Write nothing but the ranking in exactly this form, with the labels in your order:\n\n\
        FINAL RANKING:\n{example}",
    places: &["question", "answers", "rule", "example"],
    marks: &["FINAL RANKING:"],
};

/// One part of the question.
pub struct Part<'p> {
    /// From 0.
    pub index: usize,
    pub question: &'p str,
}

/// Lets the members answer a part, and finds the best answer.
pub async fn hold(run: &Run, task: &Task, part: Part<'_>, pick: Pick) -> SubResult {
    let key = format!("sub{}", part.index + 1);
    let members = task.brief.members();
    // Before the first await, so that parts are asked in order.
    let turns: Vec<Option<SpeakingTurn<'_>>> = members.iter().map(|_| run.turn()).collect();
    let start = DecompositionEvent::SubCouncilStart {
        index: part.index,
        sub_index: part.index,
        sub_question: part.question.to_owned(),
        members: members.iter().map(Seat::from).collect(),
        started_at: Some(run.now()),
    };
    run.emit(&format!("{key}/start"), start).await;
    let calls =
        members.iter().zip(turns).map(|(member, turn)| answer(run, task, (&part, pick), member, turn));
    let responses: Vec<Answer> = calls.collect::<FuturesOrdered<_>>().collect().await;
    let mut result = SubResult::of(part.index, part.question, responses);
    match pick {
        Pick::Ballot => by_ballot(run, task, &part, &mut result).await,
        Pick::Confidence => by_confidence(&mut result),
    }
    let complete = DecompositionEvent::SubCouncilComplete {
        index: part.index,
        sub_index: part.index,
        sub_question: part.question.to_owned(),
        best_answer: result.best_answer.clone(),
        best_model: result.best_model.clone(),
        data: Box::new(result.clone()),
    };
    run.emit(&format!("{key}/complete"), complete).await;
    result
}

async fn answer(
    run: &Run,
    task: &Task,
    (part, pick): (&Part<'_>, Pick),
    member: &Member,
    turn: Option<SpeakingTurn<'_>>,
) -> Answer {
    let speaking_turn = turn.as_ref();
    let key = format!("sub{}/{}", part.index + 1, member.name());
    let system = task.brief.system_prompt_for(member);
    let (mut outcome, mut files_read) =
        send(run, task, (part, pick), (member, system), speaking_turn, &key).await;
    let mut dropped = false;
    if system.is_some() && outcome.result.as_ref().is_err_and(rejects_the_system_prompt) {
        dropped = true;
        let key = format!("{key}/without_system_prompt");
        (outcome, files_read) = send(run, task, (part, pick), (member, None), speaking_turn, &key).await;
    }
    // The next member need not wait until this one's events are sent.
    drop(turn);
    let found: Vec<u32> = outcome.found().collect();
    let mut answer = read(task, member, outcome, pick);
    answer.citations = task.brief.citations(&answer.response, found);
    answer.files_read = files_read;
    answer.system_prompt_dropped = dropped;
    answer.simulated = run.is_simulated(&member.model);
    let event = DecompositionEvent::SubCouncilResponse {
        index: part.index,
        sub_index: part.index,
        model: answer.model.clone(),
        member: answer.member.clone(),
        response: answer.response.clone(),
        error: answer.error.clone(),
        data: Box::new(answer.clone()),
    };
    run.emit(&format!("{key}/complete"), event).await;
    answer
}

async fn send(
    run: &Run,
    task: &Task,
    (part, pick): (&Part<'_>, Pick),
    (member, system): (&Member, Option<&str>),
    turn: Option<&SpeakingTurn<'_>>,
    key: &str,
) -> (DialogueOutcome, Option<FilesRead>) {
    let brief = &task.brief;
    let whole = Fence::new(&run.marker()).verbatim("Question", &brief.question);
    let values =
        [("whole", whole.as_str()), ("rule", brief.prompts.text(&fence::RULE)), ("part", part.question)];
    let mut prompt = brief.prompts.fill(&ANSWER_PROMPT, &values);
    answers::ask_for_steps(task, &mut prompt);
    if pick == Pick::Confidence {
        prompt.push_str(brief.prompts.text(&confidence::SUFFIX));
    }
    let fitted = context::fitted(run, brief, (member.model.as_str(), &SUB_ANSWER), system, &prompt).await;
    let before = if brief.fits_contexts() { fitted.turns } else { brief.history.as_slice() };
    let system = system.map(ChatMessage::system);
    let request = ChatRequest {
        sampling: brief.settings.sampling(&SUB_ANSWER),
        timeouts: brief.settings.timeouts(&SUB_ANSWER),
        ..ChatRequest::new(
            &member.model,
            &SUB_ANSWER,
            system.into_iter().chain(history::messages(before, fitted.question)).collect(),
        )
    };
    let place = Place::Round(u32::try_from(part.index + 1).unwrap_or(u32::MAX));
    let dialogue = ToolDialogue {
        stage: stage(part.index),
        key,
        request,
        member: member.name(),
        turn,
        place,
        view: None,
    };
    (converse(run, brief, task.tools, dialogue).await, fitted.files_read)
}

fn read(task: &Task, member: &Member, outcome: DialogueOutcome, pick: Pick) -> Answer {
    let mut answer = answers::whole(member, outcome);
    if pick == Pick::Confidence {
        answer.read_confidence();
    }
    answer.fail_if_silent();
    answers::read_steps(task, &mut answer);
    answer.addresses_judges = judges::addresses_judges(&answer.response);
    answer
}

/// The members who have answered rank the answers blind, each in an order of its own.
async fn by_ballot(run: &Run, task: &Task, part: &Part<'_>, result: &mut SubResult) {
    let good: Vec<&Answer> = result.responses.iter().filter(|answer| answer.is_good()).collect();
    if good.len() < 2 {
        let only = good.first().map(|answer| answer.member.clone());
        result.choose(only.as_deref(), PickedBy::Only);
        return;
    }
    let key = format!("sub{}", part.index + 1);
    let ranked: Vec<Answer> = good.into_iter().cloned().collect();
    let labelled = reviews::label_by(run, &format!("{key}/labels"), &ranked);
    let (able, abstained) = abstention::reviewers(task, task.brief.members(), &result.responses, |_| false);
    let mut labels: Vec<Label> = labelled.iter().map(|entry| entry.label).collect();
    run.shuffle(&format!("{key}/orders"), &mut labels);
    let orders = order::orders(able.len(), &labels);
    let review_tasks: Vec<ReviewTask> = able
        .iter()
        .zip(&orders)
        .map(|(member, order)| review_task(run, task, part, &labelled, (member, order)))
        .collect();
    let calls = able.iter().zip(review_tasks).zip(&orders).map(|((member, review_task), order)| {
        reviews::cast(run, &task.brief, member, review_task, &labels, order.clone())
    });
    let ballots: Vec<Review> = calls.collect::<FuturesOrdered<_>>().collect().await;
    let metadata = reviews::summary(task, &labelled, &ballots, abstained);
    let counted = ballots.iter().any(|ballot| ballot.counts);
    let first = metadata.aggregate_rankings.first().filter(|_| counted).map(|row| row.member.clone());
    let picked_by = if first.is_some() { PickedBy::Ballot } else { PickedBy::First };
    let first = first.or_else(|| ranked.first().map(|answer| answer.member.clone()));
    result.ballots = ballots;
    result.label_to_member = metadata.label_to_member;
    result.ranking = metadata.aggregate_rankings;
    result.choose(first.as_deref(), picked_by);
}

fn review_task(
    run: &Run,
    task: &Task,
    part: &Part<'_>,
    labelled: &[Labelled<'_>],
    (member, order): (&Member, &[Label]),
) -> ReviewTask {
    let prompts = &task.brief.prompts;
    let fence = Fence::new(&run.marker());
    let example: Vec<String> =
        order.iter().enumerate().map(|(at, label)| format!("{}. {label}", at + 1)).collect();
    let criteria = task.rubric.as_ref();
    let question = task.brief.after_files(&fence, fence.wrap("Question", part.question));
    let rule = match rubric::instruction(criteria, prompts, &rubric::BALLOT) {
        "" => prompts.text(&fence::RULE).to_owned(),
        instruction => format!("{}\n\n{instruction}", prompts.text(&fence::RULE)),
    };
    let prompt = prompts.fill_text(
        &BALLOT_PROMPT,
        &[
            ("question", &rubric::behind(criteria, &fence, question).into()),
            ("answers", &reviews::in_order(labelled, order)),
            ("rule", &rule.into()),
            ("example", &example.join("\n").into()),
        ],
    );
    let key = format!("sub{}/ballot/{}", part.index + 1, member.name());
    ReviewTask { stage: stage(part.index), purpose: &PICK, key, prompt }
}

/// The most confident of those that answered; the first of several.
fn by_confidence(result: &mut SubResult) {
    let good: Vec<&Answer> = result.responses.iter().filter(|answer| answer.is_good()).collect();
    let highest = good.iter().filter_map(|answer| answer.confidence).max();
    let most_sure = good.iter().find(|answer| highest.is_some() && answer.confidence == highest);
    let picked_by = match (good.len(), most_sure) {
        (0 | 1, _) => PickedBy::Only,
        (_, Some(_)) => PickedBy::Confidence,
        (_, None) => PickedBy::First,
    };
    let best = most_sure.or(good.first()).map(|answer| answer.member.clone());
    result.choose(best.as_deref(), picked_by);
}
