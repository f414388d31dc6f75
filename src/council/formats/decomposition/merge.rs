//! The chairman puts the parts together.

use async_trait::async_trait;
use serde_json::json;

use super::event::DecompositionEvent;
use super::part::SubResult;
use super::purposes::MERGE;
use crate::council::any_event::AnyEvent;
use crate::council::brief::Brief;
use crate::council::context;
use crate::council::debate::material::{self, Need, Piece};
use crate::council::debate::statement::LeftOut;
use crate::council::pricing::tokens;
use crate::council::prompts::fence::Fence;
use crate::council::prompts::template::Template;
use crate::council::prompts::{fence, history};
use crate::council::run::Run;
use crate::council::stages::ending::{self, Ending};
use crate::council::stages::synthesis::{Author, HeadingFact, NoteFact, Synthesis, facts};
use crate::council::token::TokenHead;
use crate::council::view::{TextFilter, Unfiltered};
use crate::llm::{CallError, Purpose};

/// What a chairman is asked.
pub static PROMPT: Template = Template {
    name: "decomposition_merge",
    about: "What the chairman is asked that makes one answer of those to the parts.",
    text: "You are the chairman of a council. A question was taken apart, and the best answer to each of its parts was \
        found.\n\n{material}\n\n{rule}\n\n\
        Write one answer to the whole question from them: in one piece, without repeating yourself, with what the parts \
        have to do with each other. Correct what is wrong, say where parts contradict each other, and fill in what \
        is missing. Write for the person who asked: speak to the question, not about its parts.",
    places: &["material", "rule"],
    marks: &[],
};

/// Writes the answer from what the parts came to.
pub async fn write(run: &Run, brief: &Brief, results: &[SubResult]) -> Synthesis {
    let merge = Merge {
        run,
        brief,
        pieces: pieces(brief, results),
        cited: cited(results),
        stand_ins: stand_ins(results),
    };
    let mut synthesis = ending::write(run, brief, &merge).await;
    let answered = results.iter().filter(|result| result.best_answer.is_some()).count();
    for lost in facts::not_looked_up(brief) {
        synthesis.note(lost);
    }
    for result in results.iter().filter(|result| result.best_answer.is_none()) {
        synthesis.note(NoteFact::PartUnanswered { sub_question: result.sub_question.clone() });
    }
    let by = synthesis.fallback_for.is_some().then_some(Author::StandIn);
    synthesis.name(if synthesis.error.is_some() {
        HeadingFact::NoAnswer
    } else {
        HeadingFact::Merged { answered, parts: results.len(), by }
    });
    synthesis
}

fn pieces(brief: &Brief, results: &[SubResult]) -> Vec<Piece> {
    let conversation = (!brief.history.is_empty()).then(|| Piece {
        title: "Conversation so far".to_owned(),
        text: history::quoted(&brief.history),
        source: LeftOut { label: None, round_number: 0, shortened: false },
        need: Need::Background,
    });
    let part = |result: &SubResult| {
        let number = result.index + 1;
        let answer = result.best_answer.as_ref()?;
        Some(Piece {
            title: format!("Part {number} and the best answer to it"),
            text: format!("{}\n\n{answer}", result.sub_question),
            source: LeftOut {
                label: Some(format!("Part {number}")),
                round_number: u32::try_from(number).unwrap_or(u32::MAX),
                shortened: false,
            },
            need: Need::Own,
        })
    };
    conversation.into_iter().chain(results.iter().filter_map(part)).collect()
}

/// Who cites which sources.
fn cited(results: &[SubResult]) -> Vec<(String, Vec<u32>)> {
    let answers = results.iter().flat_map(|result| &result.responses).filter(|answer| answer.is_good());
    answers.map(|answer| (answer.member.clone(), answer.cited().to_vec())).collect()
}

/// The authors of the best answers, in the order of the parts.
fn stand_ins(results: &[SubResult]) -> Vec<String> {
    results.iter().filter_map(|result| result.best_model.clone()).collect()
}

struct Merge<'m> {
    run: &'m Run,
    brief: &'m Brief,
    pieces: Vec<Piece>,
    /// Who cites which sources.
    cited: Vec<(String, Vec<u32>)>,
    stand_ins: Vec<String>,
}

#[async_trait]
impl Ending for Merge<'_> {
    fn purpose(&self) -> &'static Purpose {
        &MERGE
    }

    async fn budget(&self, model: &str) -> Option<u64> {
        let length = self.pieces.iter().map(|piece| tokens(&piece.text)).sum();
        context::budget(self.run, self.brief, (model, &MERGE), length).await
    }

    fn prompt(&self, budget: Option<u64>) -> (String, usize) {
        let fence = Fence::new(&self.run.marker());
        let (parts, left_out) = material::fit(&fence, &self.pieces, budget);
        let question = self.brief.quoted_question(&fence);
        let sources = self.run.sources_for_the_writer(
            self.brief,
            self.cited.iter().map(|(member, all)| (member.as_str(), all.as_slice())),
        );
        let material = [Some(question), sources, Some(parts)].into_iter().flatten().collect::<Vec<_>>();
        let prompt = self.brief.prompts.fill(
            &PROMPT,
            &[("material", &material.join("\n\n")), ("rule", self.brief.prompts.text(&fence::RULE))],
        );
        (prompt, left_out.len())
    }

    fn stand_ins(&self) -> Vec<String> {
        self.stand_ins.clone()
    }

    fn filter(&self) -> Box<dyn TextFilter> {
        Box::new(Unfiltered)
    }

    fn read(&self, _synthesis: &mut Synthesis) {}

    fn start(&self, model: &str, started_at: String) -> AnyEvent {
        DecompositionEvent::MergeStart {
            model: model.to_owned(),
            chairman_model: model.to_owned(),
            started_at: Some(started_at),
        }
        .into()
    }

    fn token(&self, model: &str) -> TokenHead {
        TokenHead::new("merge_token", &json!({ "model": model }))
    }

    fn reasoning_token(&self, model: &str) -> TokenHead {
        TokenHead::new("merge_reasoning_token", &json!({ "model": model }))
    }

    fn error(&self, model: &str, error: &CallError) -> AnyEvent {
        DecompositionEvent::MergeError {
            model: model.to_owned(),
            error: error.message.clone(),
            error_kind: error.kind,
            error_fact: error.fact.clone(),
        }
        .into()
    }
}
