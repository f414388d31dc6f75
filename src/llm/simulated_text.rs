//! What the simulated provider writes: plain, plausible text for each purpose of a call.

use super::dice::Dice;
use super::request::{ChatRequest, Purpose, Role};
use super::schema::Schema;
use super::simulated_json;

/// The line that every simulated answer begins with.
pub const LABEL: &str = "_Simulated answer: no model was asked._";

/// The whole text of a reply.
pub(super) fn write(request: &ChatRequest) -> String {
    let mut dice = Dice::new(request.seed, &request.model);
    let text = plain(request, &mut dice);
    match &request.schema {
        Some(Schema { schema, .. }) => simulated_json::fitting(schema, &text, &mut dice).to_string(),
        None => text,
    }
}

fn plain(request: &ChatRequest, dice: &mut Dice) -> String {
    let prompt = Prompt::of(request);
    match request.purpose {
        Purpose::Answer => answer(&prompt, dice),
        Purpose::Review => format!("{LABEL}\n\n{}", review(&prompt, dice)),
        Purpose::BallotRepair => format!("{LABEL}\n\n{}", ballot(&prompt.labels(), dice)),
        Purpose::Synthesis => synthesis(&prompt, dice),
        Purpose::Title => title(&prompt),
        Purpose::Routing => routing(&prompt),
        Purpose::Selection => selection(&prompt, dice),
        Purpose::Critique => critique(dice),
        Purpose::Revision => format!("{LABEL}\n\n{}", body(&prompt, dice)),
        Purpose::Adversary => attack(dice),
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

struct Prompt<'a> {
    /// The last thing the user said: the question, or the council's instructions.
    last: &'a str,
}

impl<'a> Prompt<'a> {
    fn of(request: &'a ChatRequest) -> Self {
        let last = request.messages.iter().rev().find(|message| message.role == Role::User);
        Self { last: last.map_or("", |message| message.content.as_str()) }
    }

    fn asks_for(&self, words: &str) -> bool {
        self.last.contains(words)
    }

    /// A few words of the question, safe to repeat inside Markdown.
    fn topic(&self) -> String {
        let words = self.question_words(8);
        if words.is_empty() { "the question".to_owned() } else { format!("“{}”", words.join(" ")) }
    }

    /// The first words of the question: from its fence or after a line that names it, as in the
    /// council's own prompts.
    fn question_words(&self, max: usize) -> Vec<&'a str> {
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
    fn labels(&self) -> Vec<char> {
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

fn body(prompt: &Prompt<'_>, dice: &mut Dice) -> String {
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

fn answer(prompt: &Prompt<'_>, dice: &mut Dice) -> String {
    let body = body(prompt, dice);
    let mut text = if prompt.asks_for("THINKING") && prompt.asks_for("CONCLUSION") {
        format!(
            "{LABEL}\n\n**THINKING:**\nThe question is about {}. What matters is what is fixed and what is free.\n\n\
             **ANALYSIS:**\nThe candidates differ in cost, in risk, and in how easily they can be undone.\n\n\
             **CONCLUSION:**\n{body}",
            prompt.topic()
        )
    } else {
        format!("{LABEL}\n\n{body}")
    };
    if prompt.asks_for("CONFIDENCE:") {
        text.push_str(&format!("\n\nCONFIDENCE: {}", 5 + dice.below(5)));
    }
    text
}

const PRAISE: &[&str] = &[
    "answers the question directly and gives its reasons",
    "is well ordered and names the trade-off that matters",
    "is careful about what it does not know",
];
const BLAME: &[&str] = &[
    "stays general where an example would have helped",
    "leaves out the case that usually goes wrong",
    "is longer than what it says",
];

fn review(prompt: &Prompt<'_>, dice: &mut Dice) -> String {
    let labels = prompt.labels();
    let mut text = String::new();
    for label in &labels {
        text.push_str(&format!("Response {label} {}, but {}.\n\n", dice.pick(PRAISE), dice.pick(BLAME)));
    }
    text + &ballot(&labels, dice)
}

fn ballot(labels: &[char], dice: &mut Dice) -> String {
    let mut order = labels.to_vec();
    dice.shuffle(&mut order);
    let lines: Vec<String> =
        order.iter().enumerate().map(|(at, label)| format!("{}. Response {label}", at + 1)).collect();
    format!("FINAL RANKING:\n{}", lines.join("\n"))
}

fn synthesis(prompt: &Prompt<'_>, dice: &mut Dice) -> String {
    let mut text = format!("{LABEL}\n\n{}", body(prompt, dice));
    if prompt.asks_for("COUNCIL NOTES:") {
        text.push_str(
            "\n\nCOUNCIL NOTES:\n\
             AGREEMENT: The members agree that the hardest constraint should be settled first.\n\
             AGREEMENT: All of them prefer steps that can be undone.\n\
             CONTRADICTION: They disagree on whether to measure first or to begin at once.\n\
             ONLY ONE: Only one member asks who carries the cost.\n\
             NOT COVERED: None of them gives figures.\n\
             MINORITY: One member would do nothing at all for now.",
        );
    }
    text
}

/// A guess from the question's words, in the form that is asked for.
fn routing(prompt: &Prompt<'_>) -> String {
    let words = prompt.question_words(60).join(" ").to_lowercase();
    let about = |hints: &[&str]| hints.iter().any(|hint| words.contains(hint));
    let category = if about(&["code", "function", "bug", "program", "rust", "python", "sql"]) {
        "CODING"
    } else if about(&["poem", "story", "write a", "song", "slogan"]) {
        "CREATIVE"
    } else if about(&["compare", "why", "should", "analy", "trade"]) {
        "ANALYSIS"
    } else if about(&["when", "who", "where", "how many", "what year"]) {
        "FACTUAL"
    } else {
        "GENERAL"
    };
    format!("CATEGORY: {category}\nCONFIDENCE: 0.8\nREASONING: Simulated: by single words of the question.")
}

fn selection(prompt: &Prompt<'_>, dice: &mut Dice) -> String {
    let drafts: Vec<char> = ('A'..='G')
        .filter(|label| {
            prompt.asks_for(&format!("[Draft {label}")) || prompt.asks_for(&format!("Draft {label}]"))
        })
        .collect();
    let selected = drafts.get(dice.below(drafts.len().max(1))).copied().unwrap_or('A');
    format!(
        "EVALUATION:\nEach draft is right in the main; they differ in order and in what they leave out. (Simulated.)\n\n\
         SELECTED: {selected}\n\nREASONING:\nIt names the hardest constraint first.\n\nFINAL RESPONSE:\n{LABEL}\n\n{}",
        body(prompt, dice)
    )
}

const OBJECTIONS: &[&str] = &[
    "The first step assumes that a small experiment is possible. Where it is not, the advice leaves the reader alone; say what to do then.",
    "It never says who decides. Name the person, or the rule, that ends the discussion.",
    "The closing sentence takes back what the second point promised. One of the two should go.",
    "There is no figure in it. A rough cost for each path would let the reader choose.",
];

fn critique(dice: &mut Dice) -> String {
    // Now and then there is nothing to say, so that a demonstration also shows an end.
    if dice.below(3) == 0 {
        return format!("{LABEL}\n\nNo major issues. The draft is accurate, complete and clear.");
    }
    format!("{LABEL}\n\n{} {}", dice.pick(OBJECTIONS), dice.pick(OBJECTIONS))
}

fn attack(dice: &mut Dice) -> String {
    let severity = dice.pick(&["major", "minor", "none"]);
    let text = if severity == "none" { "No significant issues found." } else { dice.pick(OBJECTIONS) };
    format!("{LABEL}\n\n{text}\n\nSEVERITY: {severity}")
}

/// Three to five words of the question.
fn title(prompt: &Prompt<'_>) -> String {
    let mut words: Vec<String> = prompt.question_words(5).into_iter().map(str::to_owned).collect();
    for filler in ["A", "Simulated", "Question"] {
        if words.len() >= 3 {
            break;
        }
        words.push(filler.to_owned());
    }
    if let Some(first) = words.first_mut() {
        let mut chars = first.chars();
        if let Some(initial) = chars.next() {
            *first = initial.to_uppercase().chain(chars).collect();
        }
    }
    words.join(" ")
}
