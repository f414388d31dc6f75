//! The end of a debate: the chairman writes the answer that it allows, streamed, or the next in the chain where it
//! fails. It knows the speakers only by the names that they had for each other.

use serde_json::json;

use super::Debate;
use super::material::{self, Need, Piece};
use super::statement::LeftOut;
use super::{JUDGMENT, MIN_SPEAKERS};
use crate::council::ask::rejects_the_system_prompt;
use crate::council::pricing::tokens;
use crate::council::prompts::fence;
use crate::council::prompts::template::Template;
use crate::council::stages::synthesis::{self, Author, HeadingFact, NoteFact, Synthesis};
use crate::council::stages::verdict;
use crate::council::token::TokenHead;
use crate::council::view::View;
use crate::llm::{CallError, ChatMessage, ChatRequest, ErrorKind, Reason, Reply, Role};

/// What a chairman is asked.
pub static PROMPT: Template = Template {
    name: "debate_judgment",
    text: "You are the chairman of a debate. You know its speakers only by the names that they had for each \
        other.\n\n{material}\n\n{rule}\n\n\
        Write the best answer to the question that this debate allows. Build on what held against criticism, \
        wherever it stands; correct what is wrong; do not smooth over what stayed in dispute. Write for the \
        person who asked: speak to the question, not about the speakers.\n\n{notes}",
    places: &["material", "rule", "notes"],
};

/// How often a prompt that a model finds too long is halved.
const MOST_CUTS: u32 = 4;

impl Debate<'_> {
    /// Lets the chairman conclude, and tells what came of it.
    pub async fn judge(&self) -> Synthesis {
        let settings = &self.brief().settings;
        let mut failures: Vec<(String, CallError)> = Vec::new();
        let mut synthesis = None;
        for model in self.chain() {
            let key = format!("stage3/{model}");
            let start = self.dialect.judgment_start(&model, self.run.now());
            self.run.emit(&format!("{key}/start"), start).await;
            match self.ask_for_judgment(&model, &key).await {
                Ok(whole) => {
                    synthesis = Some(whole);
                    break;
                }
                Err(error) => {
                    let event = self.dialect.judgment_error(&model, &error);
                    self.run.emit(&format!("{key}/error"), event).await;
                    failures.push((model, error));
                }
            }
        }
        let mut synthesis =
            synthesis.unwrap_or_else(|| synthesis::nobody(&settings.chairman_model, &failures));
        if !failures.is_empty() && synthesis.error.is_none() {
            synthesis.fallback_for = Some(settings.chairman_model.clone());
        }
        if synthesis.model == settings.chairman_model {
            synthesis.alias.clone_from(&settings.chairman_alias);
        }
        synthesis.simulated = self.run.is_simulated(&synthesis.model);
        for note in self.losses() {
            synthesis.note(note);
        }
        for (model, error) in failures {
            synthesis.note(NoteFact::NoFinalAnswer { model, reason: error.reason() });
        }
        synthesis.name(self.heading(&synthesis));
        for (place, event) in
            self.dialect.judged(&synthesis, &self.speakers, &self.rounds).into_iter().enumerate()
        {
            self.run.emit(&format!("stage3/complete/{place}"), event).await;
        }
        synthesis
    }

    /// The chairman, the configured fallbacks, then the first speaker that stayed to the end; nobody twice.
    fn chain(&self) -> Vec<String> {
        let settings = &self.brief().settings;
        let mut chain: Vec<String> = Vec::new();
        for model in [&settings.chairman_model].into_iter().chain(&settings.chairman_fallbacks) {
            if !chain.contains(model) {
                chain.push(model.clone());
            }
        }
        let stand_in =
            self.standing().map(|speaker| &speaker.member.model).find(|model| !chain.contains(model));
        let stand_in = stand_in.cloned();
        chain.extend(stand_in);
        chain
    }

    async fn ask_for_judgment(&self, model: &str, key: &str) -> Result<Synthesis, CallError> {
        let pieces = self.for_the_chairman();
        let mut system = self.brief().system_prompt_of_writer(model);
        let mut key = key.to_owned();
        let mut cuts = 0;
        let mut budget = self.budget(model, &JUDGMENT, &pieces).await;
        loop {
            let (prompt, left_out) = self.judgment_prompt(&pieces, budget);
            let length = tokens(&prompt);
            let error = match self.send_for_judgment(model, &key, system, prompt).await {
                Ok(reply) => return Ok(read(model, reply, &left_out)),
                Err(error) => error,
            };
            if system.is_some() && rejects_the_system_prompt(&error) {
                system = None;
                key.push_str("/without_system_prompt");
            } else if error.kind == ErrorKind::ContextTooLong && cuts < MOST_CUTS {
                cuts += 1;
                budget = Some(length / 2);
                key.push_str("/shorter");
            } else {
                return Err(error);
            }
        }
    }

    /// Everything that was said. The last word of each speaker is needed most.
    fn for_the_chairman(&self) -> Vec<Piece> {
        let is_last_word = |label: &str, round_number: u32| {
            !self.transcript().any(|(round, one)| one.label == label && round.round_number > round_number)
        };
        let pieces = self.transcript().map(|(round, statement)| {
            let last = is_last_word(&statement.label, round.round_number);
            self.piece(round, statement, &statement.text, if last { Need::Own } else { Need::Others })
        });
        self.with_conversation(pieces.collect())
    }

    fn judgment_prompt(&self, pieces: &[Piece], budget: Option<u64>) -> (String, Vec<LeftOut>) {
        let prompts = &self.brief().prompts;
        let fence = self.fence();
        let (debate, left_out) = material::fit(&fence, pieces, budget);
        let question = fence.verbatim("Question", &self.brief().question);
        let prompt = prompts.fill(
            &PROMPT,
            &[
                ("material", &format!("{question}\n\n{debate}")),
                ("rule", prompts.text(&fence::RULE)),
                ("notes", prompts.text(&verdict::INSTRUCTIONS)),
            ],
        );
        (prompt, left_out)
    }

    async fn send_for_judgment(
        &self,
        model: &str,
        key: &str,
        system: Option<&str>,
        prompt: String,
    ) -> Result<Reply, CallError> {
        let settings = &self.brief().settings;
        let system = system.map(|content| ChatMessage { role: Role::System, content: content.to_owned() });
        let request = ChatRequest {
            model: model.to_owned(),
            messages: system.into_iter().chain([ChatMessage { role: Role::User, content: prompt }]).collect(),
            purpose: &JUDGMENT,
            sampling: settings.sampling(&JUDGMENT),
            timeouts: settings.timeouts(&JUDGMENT),
            seed: 0,
            schema: None,
        };
        let reasoning = TokenHead::new("synthesis_reasoning_token", &json!({ "model": model }));
        let view = View::new(verdict::filter(), self.dialect.judgment_token(model)).with_reasoning(reasoning);
        self.run.call(synthesis::STAGE, key, request).of_member(model).stream(view).send().await
    }

    /// What was lost on the way.
    fn losses(&self) -> Vec<NoteFact> {
        let mut notes = Vec::new();
        for round in &self.rounds {
            for statement in round.responses.iter().filter(|statement| !statement.is_good()) {
                let error = statement.error.as_deref().unwrap_or_default();
                notes.push(NoteFact::LeftDebate {
                    member: statement.member.clone(),
                    round: round.round_number,
                    reason: Reason::of(statement.error_kind, statement.error_fact.as_ref(), error),
                });
            }
        }
        if self.rounds.len() < self.planned() {
            notes.push(NoteFact::DebateEndedEarly { rounds: self.rounds.len(), planned: self.planned() });
        }
        notes
    }

    fn heading(&self, synthesis: &Synthesis) -> HeadingFact {
        if synthesis.error.is_some() {
            return HeadingFact::NoAnswer;
        }
        let by = synthesis.fallback_for.is_some().then_some(Author::StandIn);
        let (left, asked) = (self.standing().count(), self.speakers.len());
        if left < MIN_SPEAKERS {
            HeadingFact::BrokenOffDebate { by }
        } else if left < asked {
            HeadingFact::PartOfDebate { left, asked, by }
        } else {
            HeadingFact::Debate { by }
        }
    }
}

fn read(model: &str, reply: Reply, left_out: &[LeftOut]) -> Synthesis {
    let (response, verdict) = verdict::parse(&reply.text);
    let mut synthesis = Synthesis {
        model: model.to_owned(),
        served_by: reply.served_by_another(model),
        response,
        verdict,
        truncated: reply.finish_reason.as_deref() == Some("length"),
        cost: reply.usage.and_then(|usage| usage.cost_usd),
        usage: reply.usage,
        latency_ms: Some(reply.latency_ms),
        ttft_ms: reply.ttft_ms,
        reasoning: reply.reasoning,
        ..Synthesis::default()
    };
    if !left_out.is_empty() {
        synthesis.note(NoteFact::WithoutAllOfDebate { model: model.to_owned(), statements: left_out.len() });
    }
    synthesis
}
