//! The end of a debate: the chairman writes the answer that it allows. It knows the speakers only by the names that
//! they had for each other.

use async_trait::async_trait;
use serde_json::json;

use super::kind::{JUDGMENT, MIN_SPEAKERS};
use super::material::{self, Need, Piece};
use super::transcript::Debate;
use crate::council::any_event::AnyEvent;
use crate::council::prompts::fence;
use crate::council::prompts::template::Template;
use crate::council::stages::ending::{self, Ending};
use crate::council::stages::synthesis::{Author, HeadingFact, NoteFact, Synthesis, facts};
use crate::council::stages::verdict;
use crate::council::token::TokenHead;
use crate::council::view::TextFilter;
use crate::llm::{CallError, Purpose, Reason};

/// What a chairman is asked.
pub static PROMPT: Template = Template {
    name: "debate_judgment",
    about: "What the chairman of a debate or an arena is asked.",
    text: "You are the chairman of a debate. You know its speakers only by the names that they had for each \
        other.\n\n{material}\n\n{rule}\n\n\
        Write the best answer to the question that this debate allows. Build on what held against criticism, \
        wherever it stands; correct what is wrong; do not smooth over what stayed in dispute. Write for the \
        person who asked: speak to the question, not about the speakers.\n\n{notes}",
    places: &["material", "rule", "notes"],
    marks: &[],
};

impl Debate<'_> {
    /// Lets the chairman conclude, and tells what came of it.
    pub async fn judge(&self) -> Synthesis {
        let judgment = Judgment { debate: self, pieces: self.for_the_chairman() };
        let mut synthesis = ending::write(self.run, self.brief(), &judgment).await;
        let failures = std::mem::take(&mut synthesis.note_facts);
        synthesis.notes.clear();
        for note in self.losses().into_iter().chain(failures) {
            synthesis.note(note);
        }
        synthesis.name(self.heading(&synthesis));
        for (place, event) in
            self.dialect.judged(&synthesis, &self.speakers, &self.rounds).into_iter().enumerate()
        {
            self.run.emit(&format!("stage3/complete/{place}"), event).await;
        }
        synthesis
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

    /// What was missing or failed on the way.
    fn losses(&self) -> Vec<NoteFact> {
        let mut notes = facts::not_looked_up(self.brief());
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
        let (rounds, planned) = (self.rounds.len(), self.planned());
        if rounds < planned {
            notes.push(if self.can_continue() {
                NoteFact::NothingToAnswer { rounds, planned }
            } else {
                NoteFact::DebateEndedEarly { rounds, planned }
            });
        }
        notes
    }

    fn heading(&self, synthesis: &Synthesis) -> HeadingFact {
        if synthesis.error.is_some() {
            return HeadingFact::NoAnswer;
        }
        let by = synthesis.fallback_for.is_some().then_some(Author::StandIn);
        let (left, asked) = (self.remaining().count(), self.speakers.len());
        if left < MIN_SPEAKERS {
            HeadingFact::BrokenOffDebate { by }
        } else if left < asked {
            HeadingFact::PartOfDebate { left, asked, by }
        } else {
            HeadingFact::Debate { by }
        }
    }
}

struct Judgment<'d> {
    debate: &'d Debate<'d>,
    pieces: Vec<Piece>,
}

#[async_trait]
impl Ending for Judgment<'_> {
    fn purpose(&self) -> &'static Purpose {
        &JUDGMENT
    }

    async fn budget(&self, model: &str) -> Option<u64> {
        self.debate.budget(model, &JUDGMENT, &self.pieces).await
    }

    fn prompt(&self, budget: Option<u64>) -> (String, usize) {
        let brief = self.debate.brief();
        let fence = self.debate.fence();
        let (debate, left_out) = material::fit(&fence, &self.pieces, budget);
        let question = brief.quoted_question(&fence);
        let cited = self.debate.transcript().map(|(_, one)| (one.label.as_str(), one.cited()));
        let sources = self.debate.run.sources_for_the_writer(brief, cited);
        let material = [Some(question), sources, Some(debate)].into_iter().flatten().collect::<Vec<_>>();
        // Notes would break an answer that must be one document.
        let notes = if brief.form.is_some() { "" } else { brief.prompts.text(&verdict::INSTRUCTIONS) };
        let prompt = brief.prompts.fill(
            &PROMPT,
            &[
                ("material", &material.join("\n\n")),
                ("rule", brief.prompts.text(&fence::RULE)),
                ("notes", notes),
            ],
        );
        (prompt, left_out.len())
    }

    fn stand_ins(&self) -> Vec<String> {
        self.debate.remaining().map(|speaker| speaker.member.model.clone()).collect()
    }

    fn filter(&self) -> Box<dyn TextFilter> {
        Box::new(verdict::filter())
    }

    fn read(&self, synthesis: &mut Synthesis) {
        (synthesis.response, synthesis.verdict) = verdict::parse(&synthesis.response);
    }

    fn start(&self, model: &str, started_at: String) -> AnyEvent {
        self.debate.dialect.judgment_start(model, started_at)
    }

    fn token(&self, model: &str) -> TokenHead {
        self.debate.dialect.judgment_token(model)
    }

    fn reasoning_token(&self, model: &str) -> TokenHead {
        TokenHead::new("synthesis_reasoning_token", &json!({ "model": model }))
    }

    fn error(&self, model: &str, error: &CallError) -> AnyEvent {
        self.debate.dialect.judgment_error(model, error)
    }
}
