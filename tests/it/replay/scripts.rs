//! What the models do in each feature, and who of them waits.

use llm_council::llm::{
    CallError, ChatRequest, Embedding, ErrorKind, Reply, Role, ToolCall, simulated_embedding,
};
use llm_council::runs::memory::MemoryStore;

use crate::support::models::{labels_in, prompt_of, reply, sensible};

pub type Script = fn(&ChatRequest) -> Result<Reply, CallError>;
/// Whether a call waits, as far as the journal tells: so that who is late is the same each time.
pub type Hold = fn(&ChatRequest, &MemoryStore) -> bool;

pub fn fine(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.embeds {
        let vector = simulated_embedding::vector(&request.messages[0].content.whole());
        return Ok(Reply { embedding: Some(Embedding::new(vector).unwrap()), ..Reply::default() });
    }
    Ok(sensible(request))
}

pub fn a_member_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "b/two" { Err(CallError::new(ErrorKind::Overloaded, "down")) } else { fine(request) }
}

pub fn the_chairman_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "a/chair" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else {
        fine(request)
    }
}

fn is_told_again(request: &ChatRequest) -> bool {
    prompt_of(request).starts_with("The text below was to be one JSON document.")
}

pub fn the_chairman_needs_two_tries_at_json(request: &ChatRequest) -> Result<Reply, CallError> {
    match request.purpose.name {
        "synthesis" if is_told_again(request) => Ok(reply(r#"{"answer": "So."}"#)),
        "revision" => Ok(reply("```json\n{\"answer\": \"Better.\"}\n```")),
        "attack" => Ok(reply("It is wrong.\n\nSEVERITY: critical")),
        _ => fine(request),
    }
}

pub fn the_chairman_writes_no_json(request: &ChatRequest) -> Result<Reply, CallError> {
    let is_stand_in = request.model == "b/stand-in";
    if is_stand_in && is_told_again(request) { Ok(reply("{}")) } else { fine(request) }
}

pub fn a_ballot_needs_repair(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "review" && request.model == "c/three" {
        Ok(reply("I like Response B and also Response B, then Response A."))
    } else {
        fine(request)
    }
}

pub fn system_prompts_are_rejected(request: &ChatRequest) -> Result<Reply, CallError> {
    let with_system = request.messages.iter().any(|message| message.role == llm_council::llm::Role::System);
    if with_system && request.model == "a/one" {
        let mut error = CallError::new(ErrorKind::Refused, "no system prompts");
        error.status = Some(400);
        Err(error)
    } else {
        fine(request)
    }
}

pub fn the_utility_model_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "u/small" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else {
        fine(request)
    }
}

pub fn reviewers_differ(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "review" && request.model == "c/three" {
        Ok(reply("FINAL RANKING:\n1. Response C\n2. Response B\n3. Response A"))
    } else {
        fine(request)
    }
}

pub fn no_ballot_is_readable(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "review" { Ok(reply("I will not rank them.")) } else { fine(request) }
}

pub fn is_second_tier(request: &ChatRequest) -> bool {
    request.model == "d/four" || request.model == "e/five"
}

pub fn answers_are_unsure(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "answer" { Ok(reply("Perhaps.\n\nCONFIDENCE: 3")) } else { fine(request) }
}

pub fn reviewers_disagree(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "review" {
        let labels = labels_in(&request.messages.last().unwrap().content.whole());
        Ok(reply(format!("All alike.\n\nFINAL RANKING:\n1. {}", labels.join(" = "))))
    } else {
        fine(request)
    }
}

pub fn reviewers_disagree_and_nobody_else_answers(request: &ChatRequest) -> Result<Reply, CallError> {
    if is_second_tier(request) { nobody_answers(request) } else { reviewers_disagree(request) }
}

pub fn only_the_second_tier_answers(request: &ChatRequest) -> Result<Reply, CallError> {
    if is_second_tier(request) || request.purpose.name != "answer" {
        fine(request)
    } else {
        nobody_answers(request)
    }
}

/// After the first tier's quorum, before anybody of the second answers.
pub fn one_comes_while_the_second_tier_answers(request: &ChatRequest, store: &MemoryStore) -> bool {
    let is_there = store.events.iter().any(|(key, _)| key == "stage1/b/two/complete");
    (is_answer_of_two(request) && !store.decisions.contains_key("stage1/quorum"))
        || (is_second_tier(request) && request.purpose.name == "answer" && !is_there)
}

pub fn without(failing: &[&str], request: &ChatRequest) -> Result<Reply, CallError> {
    if failing.contains(&request.model.as_str()) {
        Err(CallError::new(ErrorKind::Overloaded, "down"))
    } else {
        fine(request)
    }
}

pub fn a_drafter_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    without(&["d/one"], request)
}

pub fn drafters_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    without(&["d/one", "d/three"], request)
}

pub fn all_drafters_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    without(&["d/one", "d/two", "d/three"], request)
}

pub fn a_choice_is_unreadable(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "selection" && request.schema.is_none() {
        Ok(reply("I like them all."))
    } else {
        fine(request)
    }
}

pub fn nobody_answers(_: &ChatRequest) -> Result<Reply, CallError> {
    Err(CallError::new(ErrorKind::Overloaded, "down"))
}

pub fn most_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.model == "c/three" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else {
        a_member_fails(request)
    }
}

/// One critic fails, two find faults; the second time nobody does.
pub fn a_critic_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    let second = request.messages.last().unwrap().content.whole().contains("with figures");
    if request.purpose.name != "critique" {
        fine(request)
    } else if request.model == "b/two" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else if second {
        Ok(reply("No major issues."))
    } else {
        fine(request)
    }
}

/// Nor is the attack's severity said before it is asked for.
pub fn revisions_fail(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "revision" {
        Err(CallError::new(ErrorKind::Timeout, "too slow"))
    } else if request.purpose.name == "adversary" {
        let alone = request.schema.is_some();
        Ok(reply(if alone { r#"{"severity": "critical"}"# } else { "It is wrong." }))
    } else {
        fine(request)
    }
}

pub fn the_attack_is_grave(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "adversary" {
        Ok(reply("It is wrong.\n\nSEVERITY: critical"))
    } else {
        system_prompts_are_rejected(request)
    }
}

/// Unsure enough that the council does not agree early, and nothing is said before it is asked for.
pub fn every_option_has_its_part(request: &ChatRequest) -> Result<Reply, CallError> {
    match request.purpose.name {
        "answer" => Ok(reply(
            "**THINKING:**\nHm.\n\n**ANALYSIS:**\nIt is short.\n\n**CONCLUSION:**\nSo it is.\n\nCONFIDENCE: 6",
        )),
        "selection" => a_choice_is_unreadable(request),
        "adversary" => revisions_fail(request),
        "revision" => {
            let again = request.messages.last().unwrap().content.whole().contains("with figures");
            Ok(reply(if again { "Better, with figures." } else { "The council says so, with figures." }))
        }
        _ => fine(request),
    }
}

pub fn every_option_and_a_ballot_to_repair(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "review" {
        a_ballot_needs_repair(request)
    } else {
        every_option_has_its_part(request)
    }
}

pub fn every_option_and_reviewers_that_disagree(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "review" {
        reviewers_disagree(request)
    } else {
        every_option_has_its_part(request)
    }
}

pub fn every_option_and_members_that_are_unsure(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "answer" {
        answers_are_unsure(request)
    } else {
        every_option_has_its_part(request)
    }
}

/// One member looks two things up before it answers, and once more before it says anything else.
pub fn a_member_searches(request: &ChatRequest) -> Result<Reply, CallError> {
    let turn = request.messages.iter().filter(|message| !message.tool_calls.is_empty()).count();
    if request.model != "a/one" || request.tools.is_empty() || turn > 1 {
        return fine(request);
    }
    let queries: &[&str] = if turn == 0 { &["one thing", "another"] } else { &["a third"] };
    Ok(Reply { tool_calls: searches(queries), ..reply("Let me look.") })
}

/// One member does nothing else, as long as it can.
pub fn a_member_searches_without_end(request: &ChatRequest) -> Result<Reply, CallError> {
    let turn = request.messages.iter().filter(|message| !message.tool_calls.is_empty()).count();
    if request.model != "a/one" || request.tools.is_empty() {
        return fine(request);
    }
    Ok(Reply { tool_calls: searches(&[&format!("try {turn}")]), ..reply("") })
}

pub fn a_member_searches_in_vain(request: &ChatRequest) -> Result<Reply, CallError> {
    if request.purpose.name == "search" {
        Err(CallError::new(ErrorKind::Overloaded, "down"))
    } else {
        a_member_searches(request)
    }
}

/// Two searches are named; one of them fails.
pub fn half_of_the_research_fails(request: &ChatRequest) -> Result<Reply, CallError> {
    match request.purpose.name {
        "research_split" => Ok(reply("RESEARCH: yes\n- Facts: the facts\n- Practice: how it is done")),
        "search" if request.messages.last().is_some_and(|asked| asked.content == "the facts") => {
            Err(CallError::new(ErrorKind::Overloaded, "down"))
        }
        _ => fine(request),
    }
}

/// The chairman looks something up in words, then by a call, then writes.
pub fn the_chairman_checks(request: &ChatRequest) -> Result<Reply, CallError> {
    if !["synthesis", "debate_judgment", "decomposition_merge"].contains(&request.purpose.name) {
        return fine(request);
    }
    let turns = request.messages.iter().filter(|message| message.role == Role::Assistant).count();
    match turns {
        0 => Ok(reply("Thought: Is it so?\nAction: search_web(\"is it so\")")),
        1 => Ok(Reply { tool_calls: searches(&["once more", "and again"]), ..reply("Hm.") }),
        _ => Ok(reply("Thought: Enough.\nAction: synthesize()\n\nIt is so [1].")),
    }
}

/// It never stops looking things up, until it is told to.
pub fn the_chairman_checks_without_end(request: &ChatRequest) -> Result<Reply, CallError> {
    let last = request.messages.last().unwrap().content.whole();
    if request.purpose.name != "synthesis" || last.contains("Write now") {
        return fine(request);
    }
    let turns = request.messages.len();
    Ok(reply(format!("Thought: Is it?\nAction: search_web(\"try {turns}\")")))
}

fn searches(queries: &[&str]) -> Vec<ToolCall> {
    let call = |(at, query): (usize, &&str)| ToolCall {
        id: format!("call_{at}"),
        name: "search_web".into(),
        arguments: serde_json::json!({ "query": query }).to_string(),
    };
    queries.iter().enumerate().map(call).collect()
}

pub fn nobody_waits(_: &ChatRequest, _: &MemoryStore) -> bool {
    false
}

pub fn is_answer_of_two(request: &ChatRequest) -> bool {
    request.model == "b/two" && request.purpose.name == "answer"
}

pub fn one_never_answers(request: &ChatRequest, _: &MemoryStore) -> bool {
    is_answer_of_two(request)
}

fn is_answer_of_three(request: &ChatRequest) -> bool {
    request.model == "c/three" && request.purpose.name == "answer"
}

pub fn the_last_never_answers(request: &ChatRequest, _: &MemoryStore) -> bool {
    is_answer_of_three(request)
}

pub fn the_last_comes_late(request: &ChatRequest, store: &MemoryStore) -> bool {
    is_answer_of_three(request) && !store.decisions.contains_key("stage1/quorum")
}

/// After the quorum, before the first ballot.
pub fn one_comes_late(request: &ChatRequest, store: &MemoryStore) -> bool {
    let others_wait = !store.events.iter().any(|(key, _)| key == "stage1/b/two/complete");
    (is_answer_of_two(request) && !store.decisions.contains_key("stage1/quorum"))
        || (request.purpose.name == "review" && others_wait)
}

pub fn one_comes_after_the_others(request: &ChatRequest, store: &MemoryStore) -> bool {
    let there = |key| store.calls.contains_key(key);
    is_answer_of_two(request) && !(there("stage1/a/one") && there("stage1/c/three"))
}

/// Whether somebody is asked to speak in a debate after the openings.
fn is_later_speech(request: &ChatRequest) -> bool {
    ["debate_critique", "debate_reply"].contains(&request.purpose.name)
}

/// After its opening.
pub fn a_speaker_fails_later(request: &ChatRequest) -> Result<Reply, CallError> {
    if is_later_speech(request) { a_member_fails(request) } else { fine(request) }
}

pub fn only_one_opens(request: &ChatRequest) -> Result<Reply, CallError> {
    without(&["a/one", "b/two"], request)
}

pub fn nobody_speaks_again(request: &ChatRequest) -> Result<Reply, CallError> {
    if is_later_speech(request) { nobody_answers(request) } else { fine(request) }
}

/// Whatever one of them is to read of the debate is too long for it.
pub fn a_memory_is_short(request: &ChatRequest) -> Result<Reply, CallError> {
    let length = request.messages.last().unwrap().content.len();
    if request.model == "c/three" && is_later_speech(request) && length > 1_200 {
        Err(CallError::new(ErrorKind::ContextTooLong, "too long"))
    } else {
        system_prompts_are_rejected(request)
    }
}

/// The ballots are asked for beside the rounds, and come after all of them.
pub fn ballots_come_last(request: &ChatRequest, store: &MemoryStore) -> bool {
    request.purpose.name == "review" && !store.events.iter().any(|(key, _)| key == "stage3/complete/0")
}

/// And before any of them.
pub fn ballots_come_first(request: &ChatRequest, store: &MemoryStore) -> bool {
    is_later_speech(request) && !store.events.iter().any(|(key, _)| key == "ballots/complete")
}
