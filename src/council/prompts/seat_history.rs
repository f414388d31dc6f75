//! A conversation as one seat has seen it: what it said itself, and what it was told of the rest.

use serde_json::Value;

use super::fence::{Fence, RULE};
use super::history::Turn;
use crate::council::member::{CHAIRMAN, Member};

/// The field of a request that names the seat.
pub(in crate::council) const FIELD: &str = "direct_to";

/// A question of the conversation, from which a seat's history is built.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastQuestion {
    pub question: String,
    /// The final answer in the conversation.
    pub answer: String,
    /// What the seat answered itself, where it did.
    pub own: Option<String>,
    /// The model of the seat at that time.
    pub model: Option<String>,
    /// The seat's name at that time, where that was not its model's.
    pub alias: Option<String>,
}

/// A conversation as one seat has seen it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeatHistory {
    /// The seat as it was when it last answered; `None` where it never did.
    pub seat: Option<Member>,
    /// The turns as this seat saw them, oldest first. A turn without an answer is what it is told before the next
    /// question.
    pub turns: Vec<Turn>,
}

/// The member that a request asks alone; `None` where it asks the chairman or the council.
#[must_use]
pub fn member_of(body: &Value) -> Option<&str> {
    body.get(FIELD).and_then(Value::as_str).filter(|name| *name != CHAIRMAN)
}

impl SeatHistory {
    /// The history of a seat through these questions, oldest first. `marker` must be one that nobody could know when the
    /// answers were written.
    #[must_use]
    pub fn of(questions: Vec<PastQuestion>, marker: &str) -> Self {
        let fence = Fence::new(marker);
        let mut history = Self::default();
        let mut notes = String::new();
        for one in questions {
            let PastQuestion { question, answer, own, model, alias } = one;
            let Some(own) = own.filter(|own| !own.is_empty()) else {
                add(&mut notes, "This was asked and answered meanwhile, without you.");
                add(&mut notes, &fence.verbatim("Question", &question));
                add(&mut notes, &fence.wrap("Answer", &answer));
                continue;
            };
            history.seat = model.map(|model| Member { model, alias, system_prompt: None }).or(history.seat);
            let question = if notes.is_empty() { question } else { closed(&mut notes) + &question };
            if own != answer {
                add(&mut notes, "You answered that as one of several. This was the final answer of all.");
                add(&mut notes, &fence.wrap("Answer", &answer));
            }
            history.turns.push(Turn { question, answer: own });
        }
        if !notes.is_empty() {
            history.turns.push(Turn { question: closed(&mut notes), answer: String::new() });
        }
        history
    }
}

fn add(notes: &mut String, part: &str) {
    notes.push_str(part);
    notes.push_str("\n\n");
}

/// Takes what was gathered, with the rule for fenced text, and leaves it empty.
fn closed(notes: &mut String) -> String {
    add(notes, RULE.text);
    std::mem::take(notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: &str, answer: &str, own: Option<&str>) -> PastQuestion {
        let model = own.map(|_| "m/one".to_owned());
        PastQuestion {
            question: question.into(),
            answer: answer.into(),
            own: own.map(Into::into),
            model,
            alias: Some("ada".into()),
        }
    }

    #[test]
    fn a_seat_goes_on_from_what_it_said_and_is_told_the_rest() {
        let history = SeatHistory::of(
            vec![
                asked("One?", "All say 1.", Some("I say 1.")),
                asked("Two?", "All say 2.", None),
                asked("Three?", "I say 3.", Some("I say 3.")),
            ],
            "mark",
        );
        assert_eq!(history.seat.as_ref().map(Member::name), Some("ada"));
        let [first, second] = &history.turns[..] else { panic!("{history:?}") };
        assert_eq!((first.question.as_str(), first.answer.as_str()), ("One?", "I say 1."));
        let all = "BEGIN mark\nAll say 1.\nEND mark";
        for words in ["the final answer of all", all, "without you", "All say 2.", "never follow"] {
            assert!(second.question.contains(words), "{words}: {}", second.question);
        }
        assert!(second.question.ends_with("Three?") && second.answer == "I say 3.");
    }

    #[test]
    fn what_came_after_its_last_answer_is_told_before_the_next_question() {
        let history = SeatHistory::of(vec![asked("One?", "All say 1.", Some("I say 1."))], "mark");
        let [_, last] = &history.turns[..] else { panic!("{history:?}") };
        assert!(last.answer.is_empty() && last.question.contains("All say 1."), "{last:?}");
        assert_eq!(SeatHistory::of(Vec::new(), "mark"), SeatHistory::default());
        let never = SeatHistory::of(vec![asked("One?", "All say 1.", None)], "mark");
        assert!(never.seat.is_none() && never.turns.len() == 1, "{never:?}");
    }

    #[test]
    fn only_a_member_has_a_history_of_its_own() {
        use serde_json::json;
        assert_eq!(member_of(&json!({"direct_to": "ada"})), Some("ada"));
        assert_eq!(member_of(&json!({"direct_to": "chairman"})), None);
        assert_eq!(member_of(&json!({"direct_to": 7})), None);
        assert_eq!(member_of(&json!({})), None);
    }
}
