//! The course of a debate: openings, rounds, judgment.

use futures_util::stream::{FuturesOrdered, StreamExt as _};

use super::ballots;
use super::kind::Kind;
use super::neutral_event::{RoundStart, SpeakerSeat};
use super::options::DebateOptions;
use super::speaker::Speaker;
use super::statement::DebateRound;
use super::transcript::{Debate, Speech};
use crate::council::failure::Failure;
use crate::council::prompts::template::Template;

impl Debate<'_> {
    /// Lets everybody open.
    ///
    /// # Errors
    /// When fewer than two have.
    pub async fn open(&mut self, kind: &'static Kind, prompt: &'static Template) -> Result<(), Failure> {
        let speech = |speaker: &Speaker| Speech {
            speaker: speaker.clone(),
            prompt,
            values: vec![("label", speaker.label.clone()), ("question", self.brief().question.clone())],
            material: Vec::new(),
            replies_to: Vec::new(),
            critique_of: None,
            read: None,
        };
        self.round(kind, self.speakers.iter().map(speech).collect()).await;
        let openings = self.openings();
        let good = openings.iter().filter(|statement| statement.is_good()).count();
        match good {
            0 => Err(Failure::no_answers(openings.iter().map(|statement| statement.error_kind))),
            1 => Err(Failure::TooFewSpeakers { asked: openings.len() }),
            _ => Ok(()),
        }
    }

    /// Holds the rounds after the openings, and the judgment; at the same time the ballots over the openings, where
    /// there are any. `speeches` says what each speaker is asked in a round.
    pub async fn hold_rounds(
        mut self,
        options: DebateOptions,
        speeches: impl Fn(&Self, &'static Kind) -> Vec<Speech> + Send,
    ) {
        let openings = self.openings().to_vec();
        let (run, task) = (self.run, self.task);
        let debate = async {
            while let Some(kind) = self.next() {
                let speeches = speeches(&self, kind);
                // None of the remaining speakers was criticised.
                if speeches.is_empty() {
                    break;
                }
                self.round(kind, speeches).await;
            }
            self.judge().await;
        };
        let ballots = async {
            if options.ballots {
                ballots::hold(run, task, &openings).await;
            }
        };
        futures_util::join!(debate, ballots);
    }

    /// Holds a round: everybody who is asked speaks, at the same time or one after another.
    pub async fn round(&mut self, kind: &'static Kind, speeches: Vec<Speech>) {
        let round_number = u32::try_from(self.rounds.len() + 1).unwrap_or(u32::MAX);
        let seat = |speech: &Speech| SpeakerSeat {
            replies_to: speech.replies_to.clone(),
            ..SpeakerSeat::from(&speech.speaker)
        };
        let start = RoundStart {
            round_number,
            round_type: kind.round_type.to_owned(),
            speakers: speeches.iter().map(seat).collect(),
            started_at: Some(self.run.now()),
        };
        self.run.emit(&format!("round{round_number}/start"), self.dialect.round_start(start)).await;
        // Each is polled only when it was woken itself, not for every token of the others.
        let speaking = speeches.iter().map(|speech| self.speak(round_number, kind, speech, self.run.turn()));
        let responses = speaking.collect::<FuturesOrdered<_>>().collect().await;
        let round = DebateRound { round_number, round_type: kind.round_type.to_owned(), responses };
        let complete = self.dialect.round_complete(&round);
        self.run.emit(&format!("round{round_number}/complete"), complete).await;
        self.rounds.push(round);
    }
}
