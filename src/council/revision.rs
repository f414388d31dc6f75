//! The writer of the draft revises it to meet objections, whichever option raised them.
//!
//! Nobody else rewrites a text: when its writer fails, the draft is complete and stands.

use super::answer_form::AnswerForm;
use super::ask::Ask;
use super::context;
use super::estimate::{ExpectedCall, Expecting};
use super::formed;
use super::prompts::fence::{self, Fence};
use super::prompts::history::{self, Turn};
use super::prompts::template::Template;
use super::round::Round;
use super::run::Run;
use super::stage::Stage;
use super::stages::{editorial, synthesis};
use super::token::TokenHead;
use super::view::{Unfiltered, View};
use crate::invisible::shows_nothing;
use crate::llm::simulated_text::plain;
use crate::llm::{CallError, CallFact, ErrorKind, Purpose, Reason, Reply};

/// A call for the chairman's next version of a draft.
pub static REVISION: Purpose = Purpose { name: "revision", usual_tokens: 2_000, simulated: plain };

/// What the writer is asked.
pub static PROMPT: Template = Template {
    name: "revision",
    about: "What a chairman is asked that revises its answer.",
    text: "You are the chairman of a council of language models and have written its answer to a \
        question. Objections were raised. Revise your answer.\n\n{material}\n\n{rule}\n\n\
        Weigh each objection by itself: follow it where it is right; where it is wrong, leave your \
        text as it is. Keep what is good, and make the answer no longer than the corrections need. \
        Write for the person who asked: not a word about critics, objections or changes.\n\n\
        Write only the revised answer, whole:",
    places: &["material", "rule"],
    marks: &[],
};

/// The length of a prompt around its material, in tokens.
const FRAME: u64 = 240;

/// The call that a revision will probably take, by the chairman, with this many tokens of objections.
pub(super) fn expected_call(expecting: Expecting<'_>, stage: Stage, objections: u64) -> ExpectedCall {
    let chairman = &expecting.brief.settings.chairman_model;
    let draft = synthesis::estimate::quoted(expecting);
    let prompt = expecting.system_of_writer(chairman) + FRAME + expecting.quoted() + draft + objections;
    expecting.call(stage, chairman, &REVISION, prompt)
}

/// A draft, and the objections to it.
pub struct Revision<'a> {
    pub stage: Stage,
    /// The call's place in the deliberation.
    pub key: String,
    /// The model that wrote the draft, and revises it.
    pub writer: &'a str,
    pub draft: &'a str,
    /// Each with its title.
    pub objections: Vec<(String, &'a str)>,
}

/// A revision that takes the draft's place.
#[derive(Debug, Clone, PartialEq)]
pub struct Revised {
    pub text: String,
    /// USD; absent when unknown.
    pub cost: Option<f64>,
    pub latency_ms: u64,
}

/// Why no revision takes the draft's place.
#[derive(Debug, Clone, PartialEq)]
pub struct NotRevised {
    pub message: String,
    pub kind: ErrorKind,
    pub fact: Option<CallFact>,
}

impl NotRevised {
    /// The reason for a note of the process monitor.
    #[must_use]
    pub fn reason(&self) -> Reason {
        Reason::of(Some(self.kind), self.fact.as_ref(), &self.message)
    }
}

impl Revision<'_> {
    /// Asks for the revision, and shows it as pieces of `token`.
    ///
    /// # Errors
    /// When the writer fails, writes nothing, or is cut at its token limit: the draft stands.
    pub async fn write(&self, run: &Run, round: &Round<'_>, token: TokenHead) -> Result<Revised, NotRevised> {
        let brief = round.brief();
        let (writer, system) = ((self.writer, &REVISION), round.system_prompt_of(self.writer));
        let prompt =
            context::quoting(run, brief, writer, system, |turns| self.prompt(run, round, turns)).await;
        let ask = Ask {
            stage: self.stage.clone(),
            key: self.key.clone(),
            model: self.writer,
            member: None,
            purpose: &REVISION,
            system,
            prompt: &prompt,
            schema: brief.form.as_ref().map(AnswerForm::schema),
        };
        let Some(form) = &brief.form else {
            let view = || View::new(editorial::filter(), token.clone());
            return read(ask.stream(run, &brief.settings, view).await);
        };
        let view = || View::new(Unfiltered, token.clone());
        read_formed(form, ask.stream(run, &brief.settings, view).await)
    }

    fn prompt(&self, run: &Run, round: &Round<'_>, turns: &[Turn]) -> String {
        let fence = Fence::new(&run.marker());
        let mut sections = Vec::new();
        sections.extend(history::section(&fence, turns));
        sections.push(round.brief().quoted_question(&fence));
        sections.push(fence.wrap("Your answer", self.draft));
        sections.extend(self.objections.iter().map(|(title, text)| fence.wrap(title, text)));
        let prompts = &round.brief().prompts;
        let rule = prompts.text(&fence::RULE);
        let prompt = prompts.fill(&PROMPT, &[("material", &sections.join("\n\n")), ("rule", rule)]);
        formed::asking_for(run, round.brief(), prompt)
    }
}

/// Reads a revision that must have this form. If it does not, it is not asked for again, since the draft has the form.
fn read_formed(form: &AnswerForm, result: Result<Reply, CallError>) -> Result<Revised, NotRevised> {
    let revised = whole(result, str::to_owned)?;
    let text = form.read(&revised.text).map_err(|problem| {
        let fact = CallFact::NotOfForm { problem };
        NotRevised { message: fact.to_string(), kind: ErrorKind::BadResponse, fact: Some(fact) }
    })?;
    Ok(Revised { text, ..revised })
}

fn read(result: Result<Reply, CallError>) -> Result<Revised, NotRevised> {
    // The notes of the draft still hold; a second set of them is not asked for.
    whole(result, |text| editorial::parse(text).0)
}

/// A complete revision, as `said` reads it.
fn whole(result: Result<Reply, CallError>, said: impl FnOnce(&str) -> String) -> Result<Revised, NotRevised> {
    let reply =
        result.map_err(|error| NotRevised { message: error.message, kind: error.kind, fact: error.fact })?;
    let not =
        |message: &str| NotRevised { message: message.to_owned(), kind: ErrorKind::BadResponse, fact: None };
    if reply.finish_reason.as_deref() == Some("length") {
        return Err(not("the revision broke off at the token limit"));
    }
    let text = said(&reply.text);
    if shows_nothing(&text) {
        return Err(not("the revision is empty"));
    }
    let cost = reply.usage.and_then(|usage| usage.cost_usd);
    Ok(Revised { text, cost, latency_ms: reply.latency_ms })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str, finish_reason: &str) -> Result<Reply, CallError> {
        let finish_reason = Some(finish_reason.to_owned());
        Ok(Reply { text: text.to_owned(), finish_reason, ..Reply::default() })
    }

    #[test]
    fn only_a_whole_text_takes_the_drafts_place() {
        assert_eq!(read(reply("Better.", "stop")).unwrap().text, "Better.");
        assert_eq!(read(reply("Better, but", "length")).unwrap_err().kind, ErrorKind::BadResponse);
        assert_eq!(read(reply(" \n", "stop")).unwrap_err().message, "the revision is empty");
        let failed = read(Err(CallError::new(ErrorKind::Timeout, "too slow"))).unwrap_err();
        assert_eq!(failed, NotRevised { message: "too slow".into(), kind: ErrorKind::Timeout, fact: None });
    }

    #[test]
    fn notes_that_nobody_asked_for_are_left_out() {
        let text = read(reply("Better.\n\nCOUNCIL NOTES:\nAGREEMENT: all", "stop")).unwrap().text;
        assert_eq!(text, "Better.");
    }
}
