//! A judge: a model reads the answer next to the standard, twice, in both orders. Only what is right both times is
//! right, so that a preference for what is read first, or for the word that is offered first, decides nothing.

use super::grader::{Grader, Grading, Verdict};
use crate::bench::question::Question;
use crate::council::prompts::fence::{Fence, RULE};
use crate::llm::Purpose;
use crate::llm::seeded_rng::SeededRng;
use crate::llm::simulated_prompt::Prompt as Simulated;

pub(super) static GRADER: Grader = Grader {
    name: "judge",
    ending: None,
    problem: |question| {
        let has_none = question.answers.is_empty() && question.rubric.is_none();
        has_none.then(|| "it has neither an answer nor a rubric".to_owned())
    },
    grading: Grading::Judge,
};

/// A judge's verdict.
pub static JUDGE: Purpose = Purpose { name: "judge", usual_tokens: 300, simulated };

/// The two ways of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// What it is held against stands first, and "correct" is offered first.
    StandardFirst,
    /// The answer stands first, and "incorrect" is offered first.
    AnswerFirst,
}

/// Both orders, in the order in which they are asked.
pub const ORDERS: [Order; 2] = [Order::StandardFirst, Order::AnswerFirst];

impl Order {
    /// Its name in the key of a call.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::StandardFirst => "standard_first",
            Self::AnswerFirst => "answer_first",
        }
    }
}

/// What the judge is asked. The marker of `fence` must be one that the answer's author could not know.
#[must_use]
pub fn prompt(question: &Question, answer: &str, order: Order, fence: &Fence) -> String {
    let mut standard = String::new();
    if !question.answers.is_empty() {
        standard.push_str(&fence.verbatim("Right answer", &question.answers.join("\nor: ")));
        standard.push_str("\n\n");
    }
    if let Some(rubric) = &question.rubric {
        standard.push_str(&fence.verbatim("What a right answer has to have", rubric));
        standard.push_str("\n\n");
    }
    let answer = format!("{}\n\n", fence.wrap("Answer to judge", answer));
    let (first, second, words) = match order {
        Order::StandardFirst => (standard, answer, "CORRECT or INCORRECT"),
        Order::AnswerFirst => (answer, standard, "INCORRECT or CORRECT"),
    };
    format!(
        "You grade one answer to a question. Hold it against what is given beside it and against nothing else: its \
         style, its length and your own opinion do not count. {rule}\n\n{asked}\n\n{first}{second}Say in one or two \
         sentences why, then end with a line of its own: \"VERDICT: \" and {words}.",
        rule = RULE.text,
        asked = fence.verbatim("Question", &question.text),
    )
}

/// What a judge's reply says; none where it says nothing that can be read.
#[must_use]
pub fn read(reply: &str) -> Option<bool> {
    let upper = reply.to_ascii_uppercase();
    let (_, after) = upper.rsplit_once("VERDICT")?;
    let word = after.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    let word: String = word.chars().take_while(char::is_ascii_alphabetic).collect();
    match word.as_str() {
        "CORRECT" => Some(true),
        "INCORRECT" => Some(false),
        _ => None,
    }
}

/// What two replies say together; none for one that did not come or could not be read.
#[must_use]
pub fn together(said: [Option<bool>; 2]) -> Verdict {
    match said {
        [Some(one), Some(other)] if one == other => Verdict::of(one),
        [Some(_), Some(_)] => Verdict::Undecided,
        _ => Verdict::Ungraded,
    }
}

/// What a simulated judge writes: one verdict or the other, by chance.
fn simulated(_: &Simulated<'_>, rng: &mut SeededRng) -> String {
    let verdict = if rng.below(2) == 0 { "CORRECT" } else { "INCORRECT" };
    format!("No model was asked, so this is drawn by chance.\n\nVERDICT: {verdict}")
}
