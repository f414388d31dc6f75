//! The chairman's choice among the drafts: asked for, read, and made the answer.

use serde::Deserialize;
use serde_json::json;

use super::calls::{LETTER, PROMPT, SELECTION};
use super::event::{MultiChairmanEvent, Selection};
use super::info::SynthesisDraft;
use super::selection::{self, Choice};
use crate::council::ask::Ask;
use crate::council::context;
use crate::council::formed;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history::{self, Turn};
use crate::council::prompts::structured;
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::stages::editorial::{self, Editorial};
use crate::council::stages::synthesis::{self, Author, HeadingFact, NoteFact, Synthesis};
use crate::council::token::TokenHead;
use crate::council::tool_use::joined::both;
use crate::council::view::{Unfiltered, View};
use crate::llm::{CallError, Reply, Schema};

/// How much of its text the chairman is shown again when it is asked for the letter alone.
const LETTER_CHARS: usize = 6000;
const KEY: &str = "multi_chairman/select";

/// Lets the chairman choose, or the next in its chain. When nobody can, the first draft stands.
pub(super) async fn choose(run: &Run, round: &Round<'_>, drafts: &[&SynthesisDraft]) -> Synthesis {
    let mut failures: Vec<(String, CallError)> = Vec::new();
    let mut chosen = None;
    for model in synthesis::chain(round) {
        let key = format!("{KEY}/{model}");
        let start = MultiChairmanEvent::SelectionStart { model: model.clone() };
        run.emit(&format!("{key}/start"), start).await;
        match ask(run, round, &model, &key, drafts).await {
            Ok(reply) => {
                chosen = Some(read(run, round, &model, &key, drafts, reply).await);
                break;
            }
            Err(error) => {
                let event = MultiChairmanEvent::SelectionError {
                    model: model.clone(),
                    error: error.message.clone(),
                    error_kind: error.kind,
                    error_fact: error.fact.clone(),
                };
                run.emit(&format!("{key}/error"), event).await;
                failures.push((model, error));
            }
        }
    }
    let count = drafts.len();
    let by = match &chosen {
        None => Author::NobodyChose { drafts: count },
        Some(chosen) if !chosen.selection.is_read => Author::ChoiceUnread { drafts: count },
        Some(_) if failures.is_empty() => Author::Chosen { drafts: count },
        Some(_) => Author::ChosenByStandIn { drafts: count },
    };
    let is_own = chosen.as_ref().is_some_and(|chosen| chosen.own.is_some());
    let mut synthesis = match chosen {
        Some(chosen) => chosen.synthesis(),
        None => Synthesis { cost: Some(0.0), ..taken(drafts[0]) },
    };
    // A draft that stands as written was not written by a stand-in, whoever chose it.
    synthesis.fallback_for =
        Some(round.brief().settings.chairman_model.clone()).filter(|_| is_own && !failures.is_empty());
    synthesis.name(HeadingFact::of(round, Some(by)));
    for loss in synthesis::losses(round) {
        synthesis.note(loss);
    }
    for (model, error) in failures {
        synthesis.note(NoteFact::NoChoice { model, reason: error.reason() });
    }
    synthesis
}

/// What a chairman chose, and what becomes the answer.
struct Chosen<'d> {
    selection: Selection,
    draft: &'d SynthesisDraft,
    /// The answer is the chairman's own text; else the draft's.
    own: Option<(String, Option<Editorial>)>,
    notes: Vec<NoteFact>,
}

impl Chosen<'_> {
    fn synthesis(self) -> Synthesis {
        let Self { selection, draft, own, notes } = self;
        let mut synthesis = taken(draft);
        if let Some((response, disagreement)) = own {
            synthesis.model.clone_from(&selection.model);
            synthesis.served_by.clone_from(&selection.served_by);
            synthesis.response = response;
            synthesis.truncated = false;
            // Improving the wording does not change where the members disagree.
            synthesis.disagreement = disagreement.or(synthesis.disagreement);
        }
        for note in notes {
            synthesis.note(note);
        }
        synthesis.selected_by = Some(selection.model);
        synthesis.selection_reasoning = selection.selection_reasoning;
        synthesis.evaluation = Some(selection.evaluation);
        synthesis.usage = selection.usage;
        synthesis.cost = selection.cost;
        synthesis.latency_ms = selection.latency_ms;
        synthesis
    }
}

/// Reads the chairman's text, and asks it once more for the letter where it names none.
async fn read<'d>(
    run: &Run,
    round: &Round<'_>,
    model: &str,
    key: &str,
    drafts: &[&'d SynthesisDraft],
    reply: Reply,
) -> Chosen<'d> {
    let labels = labels(drafts);
    let mut choice: Choice = selection::parse(&reply.text, &labels);
    let mut usage = reply.usage;
    let mut notes = Vec::new();
    if choice.selected.is_none() {
        match ask_letter(run, round, model, key, &reply.text, &labels).await {
            Ok(again) => {
                choice.selected = read_letter(&again.text, &labels);
                usage = both(usage, again.usage);
            }
            Err(error) => {
                // What arrived of it was paid for, or nobody knows.
                if error.reached || error.partial.is_some() {
                    usage = both(usage, error.partial.as_ref().and_then(|reply| reply.usage));
                }
                let model = model.to_owned();
                notes.push(NoteFact::NotAskedAgain { model, reason: error.reason() });
            }
        }
    }
    let is_of =
        |draft: &&&SynthesisDraft| choice.selected.is_some_and(|letter| draft.label == letter.to_string());
    let selected = drafts.iter().find(is_of).copied();
    let draft = selected.unwrap_or(drafts[0]);
    if selected.is_none() {
        notes.push(NoteFact::ChoiceUnread { model: model.to_owned(), label: draft.label.clone() });
    }
    let cut = reply.finish_reason.as_deref() == Some("length");
    if cut && choice.response.is_some() {
        notes.push(NoteFact::VersionCut { model: model.to_owned(), label: draft.label.clone() });
    }
    let own = choice.response.filter(|_| selected.is_some() && !cut);
    let own = match &round.brief().form {
        None => own.map(|text| editorial::parse(&text)),
        Some(form) => match own.as_deref().map(|text| form.read(text)).transpose() {
            Ok(document) => document.map(|document| (document, None)),
            Err(problem) => {
                let (model, label) = (model.to_owned(), draft.label.clone());
                notes.push(NoteFact::VersionNotOfForm { model, label, problem });
                None
            }
        },
    };
    let selection = Selection {
        model: model.to_owned(),
        served_by: reply.served_by_another(model),
        selected_synthesis: draft.label.clone(),
        selected_model: draft.model.clone(),
        is_read: selected.is_some(),
        selection_reasoning: choice.reasoning,
        evaluation: choice.deliberation,
        response: own.as_ref().map_or_else(|| draft.response.clone(), |(response, _)| response.clone()),
        usage,
        cost: usage.and_then(|usage| usage.cost_usd),
        latency_ms: Some(reply.latency_ms),
    };
    let event = MultiChairmanEvent::SelectionComplete { data: Box::new(selection.clone()) };
    run.emit("multi_chairman/selected", event).await;
    Chosen { selection, draft, own, notes }
}

fn labels(drafts: &[&SynthesisDraft]) -> Vec<char> {
    drafts.iter().filter_map(|draft| draft.label.chars().next()).collect()
}

/// Asks for the choice, and shows it while it arrives.
async fn ask(
    run: &Run,
    round: &Round<'_>,
    model: &str,
    key: &str,
    drafts: &[&SynthesisDraft],
) -> Result<Reply, CallError> {
    let (chairman, system) = ((model, &SELECTION), round.system_prompt_of(model));
    let prompt =
        context::quoting(run, round.brief(), chairman, system, |turns| prompt(run, round, drafts, turns))
            .await;
    let ask = Ask {
        stage: synthesis::STAGE,
        key: key.to_owned(),
        model,
        member: None,
        purpose: &SELECTION,
        system,
        prompt: &prompt,
        schema: None,
    };
    let token = TokenHead::new("selection_token", &json!({ "model": model }));
    ask.stream(run, &round.brief().settings, || View::new(Unfiltered, token.clone())).await
}

/// The drafts stand in an order of the run's own: the first one read is liked best by some.
fn prompt(run: &Run, round: &Round<'_>, drafts: &[&SynthesisDraft], turns: &[Turn]) -> String {
    let fence = Fence::new(&run.marker());
    let mut shown = drafts.to_vec();
    run.shuffle("multi_chairman/shown", &mut shown);
    let mut sections = Vec::new();
    sections.extend(history::section(&fence, turns));
    sections.push(round.brief().quoted_question(&fence));
    sections.extend(shown.iter().map(|draft| {
        let cut = if draft.truncated { ", cut at its writer's token limit" } else { "" };
        fence.wrap(&format!("Draft {}{cut}", draft.label), &draft.response)
    }));
    let prompts = &round.brief().prompts;
    let rule = prompts.text(&fence::RULE);
    let prompt = prompts.fill(&PROMPT, &[("material", &sections.join("\n\n")), ("rule", rule)]);
    formed::choosing_among(run, round.brief(), prompt)
}

/// The choice as JSON, for models that offer it.
#[derive(Deserialize)]
struct JsonChoice {
    selected: String,
}

/// A short call: the chairman sees the end of its own text, not all the drafts again.
async fn ask_letter(
    run: &Run,
    round: &Round<'_>,
    model: &str,
    key: &str,
    text: &str,
    labels: &[char],
) -> Result<Reply, CallError> {
    let end = text.char_indices().nth_back(LETTER_CHARS).and_then(|(at, _)| text.get(at..)).unwrap_or(text);
    let letters: Vec<String> = labels.iter().map(ToString::to_string).collect();
    let prompt = round.brief().prompts.fill(
        &LETTER,
        &[
            ("comparison", &Fence::new(&run.marker()).wrap("Your comparison", end)),
            ("letter", &labels[0].to_string()),
            ("letters", &letters.join(", ")),
        ],
    );
    let schema = Schema::new(
        "selection",
        json!({
            "type": "object",
            "properties": {"selected": {"type": "string", "enum": letters}},
            "required": ["selected"],
            "additionalProperties": false,
        }),
    );
    let ask = Ask {
        stage: synthesis::STAGE,
        key: format!("{key}/letter"),
        model,
        member: None,
        purpose: &SELECTION,
        system: None,
        prompt: &prompt,
        schema: Some(schema),
    };
    ask.send_after(run, &round.brief().settings, text).await
}

/// Reads a reply that was to be nothing but a choice: as JSON, or in the text form.
fn read_letter(text: &str, labels: &[char]) -> Option<char> {
    structured::read::<JsonChoice>(text)
        .and_then(|choice| selection::letter(&choice.selected, labels))
        .or_else(|| selection::parse(text, labels).selected)
        .or_else(|| selection::letter(text, labels))
}

/// A draft as the final answer.
pub(super) fn taken(draft: &SynthesisDraft) -> Synthesis {
    Synthesis {
        model: draft.model.clone(),
        served_by: draft.served_by.clone(),
        response: draft.response.clone(),
        disagreement: draft.disagreement.clone(),
        truncated: draft.truncated,
        notes: draft.notes.clone(),
        note_facts: draft.note_facts.clone(),
        selected_synthesis: Some(draft.label.clone()),
        selected_model: Some(draft.model.clone()),
        ..Synthesis::default()
    }
}
