//! What the simulated provider writes from: plain, plausible text. What a call of some purpose is answered with
//! stands with the feature that makes the call ([`Purpose::simulated`](super::Purpose::simulated)).

use super::dice::Dice;
use super::request::{ChatRequest, Role};
use super::schema::Schema;
use super::simulated_json;

/// The line that every simulated answer begins with.
pub const LABEL: &str = "_Simulated answer: no model was asked._";

/// The whole text of a reply.
#[must_use]
pub fn write(request: &ChatRequest) -> String {
    let mut dice = Dice::new(request.seed, &request.model);
    let text = (request.purpose.simulated)(&Prompt::of(request), &mut dice);
    match &request.schema {
        Some(Schema { schema, .. }) => simulated_json::fitting(schema, &text, &mut dice).to_string(),
        None => text,
    }
}

/// What a reasoning model shows before its answer.
pub(super) fn reasoning(request: &ChatRequest) -> String {
    let topic = Prompt::of(request).topic();
    format!(
        "This is simulated reasoning. The question is about {topic}. First I would settle what is asked, \
         then list what is certain, then weigh what is not, and only then write.\n"
    )
}

/// What a request asks.
pub struct Prompt<'a> {
    /// The last thing the user said: the question, or the council's instructions.
    last: &'a str,
}

impl<'a> Prompt<'a> {
    fn of(request: &'a ChatRequest) -> Self {
        let last = request.messages.iter().rev().find(|message| message.role == Role::User);
        Self { last: last.map_or("", |message| message.content.as_str()) }
    }

    /// Whether the request has these words.
    #[must_use]
    pub fn asks_for(&self, words: &str) -> bool {
        self.last.contains(words)
    }

    /// A few words of the question, safe to repeat inside Markdown.
    #[must_use]
    pub fn topic(&self) -> String {
        let words = self.question_words(8);
        if words.is_empty() { "the question".to_owned() } else { format!("“{}”", words.join(" ")) }
    }

    /// The first words of the question: from its fence or after a line that names it, as in the
    /// council's own prompts.
    #[must_use]
    pub fn question_words(&self, max: usize) -> Vec<&'a str> {
        let inside = |text: &'a str| text.split_once("\nEND ").map_or(text, |(inside, _)| inside);
        let fenced = self.last.split_once("[Question] BEGIN").and_then(|(_, rest)| rest.split_once('\n'));
        let fenced = fenced.map(|(marker, rest)| (marker, inside(rest)));
        let named = || ["Question:", "question:"].iter().find_map(|name| self.last.split_once(name));
        let text = fenced.or_else(named).map_or(self.last, |(_, rest)| rest);
        text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’' | '-' | '+' | '#'))
            .filter(|word| word.chars().any(char::is_alphanumeric) && word.chars().count() <= 30)
            .take(max)
            .collect()
    }

    /// The answers under review. Where there are fences, those with the marker of the first one
    /// decide: an answer may hold some of its own. Then headings; only a prompt without any is
    /// searched for mentions, since instructions name labels as examples.
    #[must_use]
    pub fn labels(&self) -> Vec<char> {
        let mut labels = Vec::new();
        let fence = self.last.lines().find_map(|line| line.strip_prefix('[')?.split_once("] BEGIN "));
        let marker = fence.map(|(_, marker)| marker);
        let fenced = |line: &str| {
            let (title, with) = line.strip_prefix('[')?.split_once("] BEGIN ")?;
            if Some(with) == marker { title.strip_prefix("Response ").and_then(leading_label) } else { None }
        };
        labels.extend(self.last.lines().filter_map(fenced));
        if !labels.is_empty() {
            return labels;
        }
        for line in self.last.lines() {
            if let Some(label) = heading_label(line)
                && !labels.contains(&label)
            {
                labels.push(label);
            }
        }
        if labels.is_empty() {
            for mention in self.last.split("Response ").skip(1) {
                if let Some(label) = leading_label(mention)
                    && !labels.contains(&label)
                {
                    labels.push(label);
                }
            }
        }
        labels
    }
}

/// `A` of text that begins with `A`, not with a word.
fn leading_label(text: &str) -> Option<char> {
    let mut chars = text.chars();
    let label = chars.next().filter(char::is_ascii_uppercase)?;
    (!chars.next().is_some_and(char::is_alphanumeric)).then_some(label)
}

/// The label of a line that is a heading of an answer: `## Response A`, `**Response B:**`,
/// `<answer label="Response C">`, `--- Response D 81f3 ---`.
fn heading_label(line: &str) -> Option<char> {
    let line = line.trim();
    let (before, after) = line.split_once("Response ")?;
    let label = leading_label(after)?;
    let is_marked = ["#", "<", "==", "--", "[", "**"].iter().any(|mark| line.starts_with(mark));
    let bare = before.is_empty()
        && after.chars().nth(1).is_none_or(|next| matches!(next, ':' | ' ' if after.trim_end().len() <= 2));
    (bare || is_marked && before.len() < 60).then_some(label)
}

const OPENINGS: &[&str] = &[
    "There are two honest ways to look at {topic}, and they lead to nearly the same place.",
    "The short answer on {topic}: it depends on what you can afford to get wrong.",
    "Most advice about {topic} skips the part that decides the matter, so that comes first here.",
    "For {topic} the simplest approach that could work deserves the first try.",
];
const POINTS: &[&str] = &[
    "**Start from the constraint.** Whatever is hardest to change later should be settled first.",
    "**Measure before choosing.** A small experiment costs an afternoon; a wrong assumption costs a month.",
    "**Prefer what can be undone.** Two reversible steps are safer than one large one.",
    "**Write the trade-off down.** The next person needs the reason more than the result.",
    "**Look for the missing case.** What happens at nought, at one, and at a thousand?",
    "**Ask who carries the cost.** A saving in one place is often a bill in another.",
];
const CLOSINGS: &[&str] = &[
    "If only one thing is kept from this, let it be the first point.",
    "With more detail about the situation the advice would become sharper.",
    "The exceptions are real but rare; begin with the rule.",
];

/// A text about the question: an opening, three points, a closing.
pub fn body(prompt: &Prompt<'_>, dice: &mut Dice) -> String {
    let mut points = POINTS.to_vec();
    dice.shuffle(&mut points);
    points.truncate(3);
    format!(
        "{}\n\n1. {}\n2. {}\n3. {}\n\n{}",
        dice.pick(OPENINGS).replace("{topic}", &prompt.topic()),
        points[0],
        points[1],
        points[2],
        dice.pick(CLOSINGS)
    )
}

/// That text under its label.
pub fn plain(prompt: &Prompt<'_>, dice: &mut Dice) -> String {
    format!("{LABEL}\n\n{}", body(prompt, dice))
}

/// What can be held against a text.
pub const OBJECTIONS: &[&str] = &[
    "The first step assumes that a small experiment is possible. Where it is not, the advice leaves the reader alone; say what to do then.",
    "It never says who decides. Name the person, or the rule, that ends the discussion.",
    "The closing sentence takes back what the second point promised. One of the two should go.",
    "There is no figure in it. A rough cost for each path would let the reader choose.",
];
