//! Going on without a member at a person's request: which calls are open, and the request itself.
//!
//! A request names a stage and a seat, never a call: it applies to everything that this seat is asked in the stage from
//! then on. A call that already has its result keeps it.

use serde::{Deserialize, Serialize};

use super::any_event::AnyEvent;
use super::asking::Asking;
use super::seat::Seat;
use super::stage::Stage;

/// A request to go on without a member in a stage.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Skip {
    pub stage: Stage,
    /// The seat's name; for a chairman, the model.
    pub member: String,
}

/// A seat that is being waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaited {
    pub stage: Stage,
    pub member: String,
    pub model: String,
}

/// Who is being asked for what at one moment of a run, folded from its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Awaiting {
    /// The seats whose calls are open.
    pub open: Vec<Awaited>,
    /// All seats that have been asked so far.
    pub seats: Vec<String>,
}

impl Awaiting {
    /// The state of a run after these events.
    #[must_use]
    pub fn after<'e>(events: impl IntoIterator<Item = &'e AnyEvent>) -> Self {
        let mut awaiting = Self::default();
        for asking in events.into_iter().filter_map(AnyEvent::asking) {
            match asking {
                Asking::Begins { stage, seats } => awaiting.begin(&stage, &seats),
                Asking::Again { stage, seat } => awaiting.begin(&stage, &[seat]),
                Asking::Ends { stage, member } => awaiting.end(&stage, &member),
                Asking::Over { stage } => awaiting.open.retain(|awaited| awaited.stage != stage),
            }
        }
        awaiting
    }

    fn begin(&mut self, stage: &Stage, seats: &[Seat]) {
        for Seat { model, member, .. } in seats {
            if !self.seats.contains(member) {
                self.seats.push(member.clone());
            }
            let awaited = Awaited { stage: stage.clone(), member: member.clone(), model: model.clone() };
            if !self.open.contains(&awaited) {
                self.open.push(awaited);
            }
        }
    }

    fn end(&mut self, stage: &Stage, member: &str) {
        self.open.retain(|awaited| awaited.stage != *stage || awaited.member != member);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::council::options::escalation::EscalationEvent;
    use crate::council::stages::answers::{self, Answer, AnswersEvent};
    use crate::council::stages::reviews::ReviewsEvent;
    use crate::council::stages::synthesis::{self, SynthesisEvent};

    fn seat(name: &str) -> Seat {
        Seat { model: format!("m/{name}"), member: name.to_owned(), alias: None }
    }

    fn answered(name: &str) -> AnyEvent {
        let Seat { model, member, .. } = seat(name);
        AnswersEvent::Stage1ModelComplete { model, member, data: Box::new(Answer::default()) }.into()
    }

    #[test]
    fn who_is_awaited_follows_from_what_was_told() {
        let members = vec![seat("one"), seat("two")];
        let start = EscalationEvent::Tier1Start { models: vec![], members: members.clone() };
        let reviews = ReviewsEvent::Stage2Start { members, abstained: vec![], started_at: None };
        let chairman = SynthesisEvent::Stage3Start {
            model: "chair".into(),
            use_multi_chairman: false,
            started_at: None,
        };
        let mut events: Vec<AnyEvent> = vec![start.into(), answered("two")];
        let open = |events: &[AnyEvent]| {
            let awaiting = Awaiting::after(events);
            awaiting.open.into_iter().map(|it| (it.stage, it.member)).collect::<Vec<_>>()
        };
        assert_eq!(open(&events), [(answers::STAGE, "one".to_owned())]);
        events.extend([answered("one"), reviews.into()]);
        assert_eq!(open(&events).len(), 2);
        events.push(chairman.into());
        assert!(open(&events).contains(&(synthesis::STAGE, "chair".to_owned())));
        assert_eq!(Awaiting::after(&events).seats, ["one", "two", "chair"]);
    }
}
