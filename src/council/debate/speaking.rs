//! One speaker's part in a round: asked, shown while it speaks, read.

use super::dialect::Turn;
use super::kind::{Kind, SHORTER, stage};
use super::material::{self, Need, Piece};
use super::position;
use super::statement::{LeftOut, Statement};
use super::transcript::{Debate, Speech};
use crate::council::ask::rejects_the_system_prompt;
use crate::council::attached::FilesRead;
use crate::council::context;
use crate::council::options::cot;
use crate::council::pricing::tokens;
use crate::council::prompts::{fence, history, judges};
use crate::council::run::SpeakingTurn;
use crate::council::stages::ending::MOST_CUTS;
use crate::council::token::TokenHead;
use crate::council::tool_use::event::Place;
use crate::council::tool_use::{DialogueOutcome, ToolDialogue, converse};
use crate::council::view::{Unfiltered, View};
use crate::llm::{ChatMessage, ChatRequest, ErrorKind, Purpose};

/// How the key of a try without a system prompt ends.
const WITHOUT_SYSTEM_PROMPT: &str = "/without_system_prompt";

/// A reply with what its prompt was.
struct Spoken {
    outcome: DialogueOutcome,
    left_out: Vec<LeftOut>,
    files_read: Option<FilesRead>,
    system_prompt_dropped: bool,
}

impl Debate<'_> {
    /// `speaking_turn` is when it speaks, where speakers do so one after another.
    pub(super) async fn speak(
        &self,
        round_number: u32,
        kind: &Kind,
        speech: &Speech,
        speaking_turn: Option<SpeakingTurn<'_>>,
    ) -> Statement {
        let turn = Turn { round_number, round_type: kind.round_type, speaker: &speech.speaker };
        let key = format!("round{round_number}/{}", speech.speaker.member.name());
        if let Some(event) = self.dialect.asked(turn) {
            self.run.emit(&format!("{key}/start"), event).await;
        }
        let spoken = self.ask(turn, kind, &key, speech, speaking_turn.as_ref()).await;
        // The next speaker need not wait until this one's events are sent.
        drop(speaking_turn);
        let statement = self.read(kind, speech, spoken);
        let event = if statement.error.is_some() {
            self.dialect.failed(turn, &statement)
        } else {
            self.dialect.said(turn, &statement)
        };
        self.run.emit(&format!("{key}/complete"), event).await;
        statement
    }

    async fn ask(
        &self,
        turn: Turn<'_>,
        kind: &Kind,
        key: &str,
        speech: &Speech,
        speaking_turn: Option<&SpeakingTurn<'_>>,
    ) -> Spoken {
        let member = &speech.speaker.member;
        let mut system = self.brief().system_prompt_for(member);
        let mut system_prompt_dropped = false;
        let mut key = key.to_owned();
        let mut cuts = 0;
        let budget = self.budget(&member.model, kind.purpose, &speech.material).await;
        let (mut prompt, mut left_out) = self.prompt(kind, speech, budget);
        let mut before: &[history::Turn] = &[];
        let mut files_read = None;
        // Speakers who have read nobody yet are asked as in a conversation; later the conversation is part of the
        // material.
        let opens = speech.material.is_empty();
        if opens {
            let brief = self.brief();
            let seat = (member.model.as_str(), kind.purpose);
            let fitted = context::fitted(self.run, brief, seat, system, &prompt).await;
            before = if brief.fits_contexts() { fitted.turns } else { brief.history.as_slice() };
            (prompt, files_read) = (fitted.question, fitted.files_read);
        }
        loop {
            let outcome = self.send(turn, kind, &key, (system, before, prompt.clone()), speaking_turn).await;
            match &outcome.result {
                Err(error) if system.is_some() && rejects_the_system_prompt(error) => {
                    system = None;
                    system_prompt_dropped = true;
                    key.push_str(WITHOUT_SYSTEM_PROMPT);
                }
                Err(error) if error.kind == ErrorKind::ContextTooLong && cuts < MOST_CUTS && !opens => {
                    let shorter = self.prompt(kind, speech, Some(tokens(&prompt) / 2));
                    // Where nothing more may be left out, the same request would be refused again.
                    if shorter.0 == prompt {
                        return Spoken { outcome, left_out, files_read, system_prompt_dropped };
                    }
                    (prompt, left_out) = shorter;
                    cuts += 1;
                    key.push_str(SHORTER);
                }
                Ok(_) | Err(_) => return Spoken { outcome, left_out, files_read, system_prompt_dropped },
            }
        }
    }

    /// How many tokens of material this model can read, where it may matter and its context is known.
    pub(super) async fn budget(&self, model: &str, purpose: &Purpose, material: &[Piece]) -> Option<u64> {
        let length = material.iter().map(|piece| tokens(&piece.text)).sum();
        context::budget(self.run, self.brief(), (model, purpose), length).await
    }

    /// What the speaker is asked, with as much of the debate as fits, and what was left out. What is read before an
    /// opening is not in it.
    fn prompt(&self, kind: &Kind, speech: &Speech, budget: Option<u64>) -> (String, Vec<LeftOut>) {
        let prompts = &self.brief().prompts;
        let fence = self.fence();
        let (material, left_out) = material::fit(&fence, &speech.material, budget);
        let mut values: Vec<(&str, &str)> =
            speech.values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let question = self.brief().quoted_question(&fence);
        let with_question = format!("{question}\n\n{material}");
        if !speech.material.is_empty() {
            values.extend([("material", with_question.as_str()), ("rule", prompts.text(&fence::RULE))]);
        }
        let mut prompt = prompts.fill(speech.prompt, &values);
        if speech.material.is_empty() && self.task.chain_of_thought {
            prompt.push_str(prompts.text(&cot::SUFFIX));
        }
        if kind.asks_position {
            prompt.push_str(prompts.text(&position::SUFFIX));
        }
        (prompt, left_out)
    }

    /// What this speaker reads: these pieces, and the conversation before the question.
    #[must_use]
    pub fn with_conversation(&self, pieces: Vec<Piece>) -> Vec<Piece> {
        self.conversation().into_iter().chain(pieces).collect()
    }

    /// What a speaker reads of the whole debate so far: `answered` is what it has to answer.
    #[must_use]
    pub fn everything_for(&self, label: &str, answered: impl Fn(&Statement, u32) -> bool) -> Vec<Piece> {
        let pieces = self.transcript().map(|(round, statement)| {
            let need = if answered(statement, round.round_number) {
                Need::Whole
            } else if statement.label == label {
                Need::Own
            } else {
                Need::Others
            };
            self.piece(round, statement, &statement.text, need)
        });
        self.with_conversation(pieces.collect())
    }

    async fn send(
        &self,
        turn: Turn<'_>,
        kind: &Kind,
        key: &str,
        (system, before, prompt): (Option<&str>, &[history::Turn], String),
        speaking_turn: Option<&SpeakingTurn<'_>>,
    ) -> DialogueOutcome {
        let brief = self.brief();
        let system = system.map(ChatMessage::system);
        let model = &turn.speaker.member.model;
        let request = ChatRequest {
            sampling: brief.settings.sampling(kind.purpose),
            timeouts: brief.settings.timeouts(kind.purpose),
            ..ChatRequest::new(
                model,
                kind.purpose,
                system.into_iter().chain(history::messages(before, prompt)).collect(),
            )
        };
        let view = || {
            let text = self.dialect.token(turn);
            let view = if kind.asks_position {
                View::new(position::Filter::default(), text)
            } else {
                View::new(Unfiltered, text)
            };
            view.with_reasoning(TokenHead::new("reasoning_token", &turn.fields()))
        };
        let dialogue = ToolDialogue {
            stage: stage(turn.round_number),
            key,
            request,
            member: turn.speaker.member.name(),
            turn: speaking_turn,
            place: Place::Round(turn.round_number),
            view: Some(&view),
        };
        converse(self.run, brief, self.task.tools.filter(|_| kind.tools), dialogue).await
    }

    fn read(&self, kind: &Kind, speech: &Speech, spoken: Spoken) -> Statement {
        let found: Vec<u32> = spoken.outcome.found().collect();
        let mut statement = Statement {
            pending: false,
            replies_to: speech.replies_to.clone(),
            critique_of: speech.critique_of.clone(),
            left_out: spoken.left_out,
            files_read: spoken.files_read,
            system_prompt_dropped: spoken.system_prompt_dropped,
            tool_calls_made: spoken.outcome.made,
            tools_refused: spoken.outcome.refused,
            simulated: self.run.is_simulated(&speech.speaker.member.model),
            ..Statement::pending(&speech.speaker)
        };
        let reply = match spoken.outcome.result {
            Ok(reply) => reply,
            Err(mut error) => {
                let partial = error.partial.take();
                statement.fail(error);
                partial.map(|reply| *reply).unwrap_or_default()
            }
        };
        let labels: Vec<&str> = self.speakers.iter().map(|speaker| speaker.label.as_str()).collect();
        let others: Vec<&str> = labels.into_iter().filter(|label| *label != speech.speaker.label).collect();
        statement.served_by = reply.served_by_another(&statement.model);
        statement.text = reply.text;
        let mut moved = None;
        if kind.asks_position {
            let (shown, position) = position::parse(&statement.text, &others);
            statement.text = shown;
            moved = Some(position);
        }
        statement.fail_if_silent();
        statement.position = moved.filter(|_| statement.error.is_none());
        if speech.material.is_empty() && self.task.chain_of_thought {
            statement.cot = cot::parse(&statement.text);
        }
        statement.citations = self.brief().citations(&statement.text, found);
        statement.addresses_judges = judges::addresses_judges(&statement.text);
        statement.truncated = reply.finish_reason.as_deref() == Some("length");
        statement.cost = reply.usage.and_then(|usage| usage.cost_usd);
        statement.usage = reply.usage;
        statement.latency_ms = Some(reply.latency_ms).filter(|_| reply.tries > 0);
        statement.ttft_ms = reply.ttft_ms;
        statement.reasoning = reply.reasoning;
        statement.reasoning_details = reply.reasoning_details;
        if let (Some(read), true) = (speech.read, statement.error.is_none()) {
            read(&mut statement, &others);
        }
        statement
    }
}
