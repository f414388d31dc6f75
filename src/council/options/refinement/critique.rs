//! A member's critique of a draft: concrete faults, or the sentence that there are none.

use serde::{Deserialize, Serialize};

use super::calls::{CRITIQUE, STAGE};
use crate::council::ask::Ask;
use crate::council::context;
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::history::{self, Turn};
use crate::council::prompts::template::Template;
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::settings::Member;
use crate::council::stages::{abstention, reviews};
use crate::llm::fact::known;
use crate::llm::{CallError, CallFact, ErrorKind, Reply, Usage};

/// A critique of at least this length, in characters, counts as more than praise, whatever it says.
pub const PRAISE_CHARS: usize = 400;

/// Phrases of critics that found nothing. Compared word by word: "incomplete" is not "complete".
pub const PRAISE: [&str; 32] = [
    "no major issues",
    "no significant issues",
    "no serious issues",
    "no notable issues",
    "no issues",
    "no major faults",
    "no faults",
    "no flaws",
    "no errors",
    "no mistakes",
    "no problems",
    "no objections",
    "no changes needed",
    "no changes are needed",
    "nothing to add",
    "nothing to change",
    "nothing to correct",
    "nothing is missing",
    "looks good",
    "well done",
    "well structured",
    "well written",
    "good answer",
    "great answer",
    "excellent",
    "comprehensive",
    "thorough",
    "accurate",
    "complete",
    "satisfactory",
    "adequate",
    "sufficient",
];

/// How many of the phrases above, from the first, are a verdict by themselves.
const VERDICTS: usize = 18;

/// Words that hardly occur in a text that only praises.
const FAULTS: [&str; 43] = [
    "add",
    "although",
    "but",
    "clarify",
    "contradicts",
    "could",
    "error",
    "errors",
    "except",
    "fails",
    "fault",
    "faults",
    "fix",
    "flaw",
    "flaws",
    "forgets",
    "however",
    "ignores",
    "inaccurate",
    "incomplete",
    "incorrect",
    "instead",
    "issue",
    "issues",
    "lack",
    "lacks",
    "misleading",
    "misses",
    "missing",
    "mistake",
    "mistakes",
    "must",
    "needs",
    "not",
    "omits",
    "outdated",
    "problem",
    "problems",
    "should",
    "though",
    "unclear",
    "unsupported",
    "wrong",
];

/// What one member holds against a draft.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Critique {
    pub model: String,
    /// The seat's name, unique in the council.
    pub member: String,
    /// The critic's text as it came; of a failed one what had arrived.
    pub critique: String,
    /// Whether it names faults; praise does not count.
    pub is_substantive: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// USD; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The error as a fact, where it is this server's own.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub error_fact: Option<CallFact>,
}

/// What a critic is asked.
pub static PROMPT: Template = Template {
    name: "critique",
    about: "What a critic of a draft is asked.",
    text: "You are a critic of the draft of an answer, before it is given to the person who asked.\n\n\
        {material}\n\n{rule}\n\n\
        Critique the draft: find errors of fact or of reasoning, gaps that matter, passages that mislead \
        or cannot be understood, parts of the question that are left unanswered. For each fault, the \
        gravest first and five at most: where it stands, why it is one, and what should stand there \
        instead. Do not praise, do not sum up, do not write the answer anew, and leave matters of taste \
        alone. At most 250 words.\n\n\
        If there is no such fault, write this sentence and nothing else: No major issues.",
    places: &["material", "rule"],
    marks: &["No major issues"],
};

/// Lets one member criticise the draft. Its own system prompt applies as in review.
pub async fn ask(run: &Run, round: &Round<'_>, member: &Member, key: &str, draft: &str) -> Critique {
    let brief = round.brief();
    let settings = &brief.settings;
    let system = brief.system_prompt_for(member).filter(|_| settings.use_system_prompt_stage2);
    let critic = (member.model.as_str(), &CRITIQUE);
    let prompt = context::quoting(run, brief, critic, system, |turns| prompt(run, round, draft, turns)).await;
    let ask = Ask {
        stage: STAGE,
        key: key.to_owned(),
        model: &member.model,
        member: Some(member.name()),
        purpose: &CRITIQUE,
        system,
        prompt: &prompt,
        schema: None,
    };
    read(member, ask.send(run, settings).await)
}

fn prompt(run: &Run, round: &Round<'_>, draft: &str, turns: &[Turn]) -> String {
    let fence = Fence::new(&run.marker());
    let mut sections = Vec::new();
    sections.extend(history::section(&fence, turns));
    sections.push(round.brief().quoted_question(&fence));
    sections.push(fence.wrap("Draft", draft));
    let prompts = &round.brief().prompts;
    let rule = prompts.text(&fence::RULE);
    prompts.fill(&PROMPT, &[("material", &sections.join("\n\n")), ("rule", rule)])
}

fn read(member: &Member, result: Result<Reply, CallError>) -> Critique {
    let (reply, error) = match result {
        Ok(reply) => (reply, None),
        Err(mut error) => (error.partial.take().map(|reply| *reply).unwrap_or_default(), Some(error)),
    };
    Critique {
        model: member.model.clone(),
        member: member.name().to_owned(),
        is_substantive: error.is_none() && is_substantive(&reply.text),
        critique: reply.text,
        usage: reply.usage,
        cost: reply.usage.and_then(|usage| usage.cost_usd),
        latency_ms: Some(reply.latency_ms).filter(|_| reply.tries > 0),
        error: error.as_ref().map(|error| error.message.clone()),
        error_kind: error.as_ref().map(|error| error.kind),
        error_fact: error.and_then(|error| error.fact),
    }
}

/// Whether a critique names faults. It does not when it is empty; or short, and either opens with
/// the verdict that there are none, or praises without a word that usually names faults.
#[must_use]
pub fn is_substantive(critique: &str) -> bool {
    let text = words(critique);
    if text.trim().is_empty() || critique.chars().count() >= PRAISE_CHARS {
        return !text.trim().is_empty();
    }
    let first = critique.trim_start().split_inclusive(['.', '!', '\n', ';']).next().unwrap_or_default();
    let first = words(first);
    let opens_with_it = PRAISE
        .iter()
        .take(VERDICTS)
        .any(|verdict| first.trim_start().starts_with(verdict) && !names_a_fault(&without_praise(&first)));
    let rest = without_praise(&text);
    let praises = rest.len() < text.len();
    !opens_with_it && (!praises || names_a_fault(&rest))
}

/// Its words in lower case, with one space around each.
fn words(text: &str) -> String {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    if words.is_empty() { String::new() } else { format!(" {} ", words.join(" ")) }
}

fn without_praise(words: &str) -> String {
    PRAISE.iter().fold(words.to_owned(), |text, phrase| text.replace(&format!(" {phrase} "), " "))
}

fn names_a_fault(words: &str) -> bool {
    words.split(' ').any(|word| FAULTS.contains(&word))
}

/// Whom to ask for a critique. `before` are the critiques of earlier iterations.
#[must_use]
pub(super) fn critics<'a>(round: &'a Round<'_>, before: &[&Critique]) -> Vec<&'a Member> {
    let Round { task, members, answers, reviewed } = round;
    if !task.failed_are_done {
        return abstention::not_hopeless(members, answers);
    }
    let failed = |name: &str| {
        reviews::has_failed(&reviewed.reviews, name)
            || before.iter().any(|critique| critique.member == name && critique.error.is_some())
    };
    members
        .iter()
        .zip(answers)
        .filter(|(member, answer)| answer.is_good() && !failed(member.name()))
        .map(|(member, _)| member)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn praise_alone_is_not_substantive() {
        for text in [
            "No major issues.",
            "**No major issues**",
            "No major issues",
            "no issues found!",
            "No major issues. The draft is accurate, complete and clear.",
            "No major issues. One could wish for an example.",
            "Looks good to me.",
            "The answer is comprehensive and well-structured.",
            "_Simulated answer: no model was asked._\n\nNo major issues. The draft is accurate, complete and clear.",
            "No errors. Nothing to add.",
            "",
            " \n",
            "…",
        ] {
            assert!(!is_substantive(text), "{text}");
        }
    }

    #[test]
    fn faults_are_substantive_however_short_or_kind() {
        for text in [
            "Wrong year: it was 1969.",
            "Incomplete.",
            "The draft is inaccurate about the year.",
            "Well written, but the second step is missing.",
            "It is accurate. The cost should be given.",
            "No issues with the arithmetic, but the premise is wrong.",
            "Das Jahr ist falsch.",
            "It leaves out the case of an empty list, and gives no figure for the cost. Add both.",
        ] {
            assert!(is_substantive(text), "{text}");
        }
    }

    #[test]
    fn a_long_text_is_more_than_praise() {
        let praise = "The draft is excellent and complete. ".repeat(20);
        assert!(praise.chars().count() >= PRAISE_CHARS && is_substantive(&praise));
        let shorter: String = praise.chars().take(PRAISE_CHARS - 1).collect();
        assert!(!is_substantive(&shorter));
    }

    #[test]
    fn the_verdicts_come_first_among_the_praise() {
        assert!(PRAISE[..VERDICTS].iter().all(|phrase| phrase.starts_with("no")));
        assert!(!PRAISE[VERDICTS..].iter().any(|phrase| phrase.starts_with("no")));
    }

    proptest! {
        #[test]
        fn any_text_is_judged(text in any::<String>()) {
            let nothing = !text.chars().any(char::is_alphanumeric);
            prop_assert!(!nothing || !is_substantive(&text));
        }

        #[test]
        fn a_named_fault_is_never_praise(before in "[a-z ]{0,40}", praise in 18usize..32) {
            let text = format!("{} {before} however this is wrong", PRAISE[praise]);
            prop_assert!(is_substantive(&text));
        }
    }
}
