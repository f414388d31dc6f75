//! A rubric that a model drafts from a question, for a person to change: nobody else saves it.

use super::{MAX_CHARS, simulated};
use crate::council::prompts::fence::{self, Fence};
use crate::council::prompts::template::{Prompts, Template};
use crate::council::settings::Settings;
use crate::llm::{ChatMessage, ChatRequest, Purpose};

/// Criteria for a question.
pub static DRAFT: Purpose = Purpose { name: "rubric_draft", usual_tokens: 400, simulated: simulated::draft };

/// How much of a question is read for it, in characters.
const QUOTED_CHARS: usize = 20_000;

/// What the model is asked that drafts one.
pub static PROMPT: Template = Template {
    name: "rubric_draft",
    about: "What the model is asked that drafts a rubric from a question.",
    text: "Several models will answer the question below, and others will judge their answers. Write the criteria by which they \
        are to judge: three to seven, what matters most first, each on a line of its own that begins with \"- \", says in a few \
        words what is judged, and then, after a colon, how a good answer is told from a bad one. Be particular to this \
        question, and let no two criteria judge the same.\n\n{question}\n\n{rule}\n\n\
        Do not answer the question. Write in its language, and nothing but the criteria.",
    places: &["question", "rule"],
    marks: &[],
};

/// Everything that a draft is asked for with.
pub static TEMPLATES: &[&Template] = &[&PROMPT, &fence::RULE];

/// What `model` is asked.
#[must_use]
pub fn request(
    settings: &Settings,
    prompts: &Prompts,
    fence: &Fence,
    question: &str,
    model: &str,
) -> ChatRequest {
    let question: String = question.chars().take(QUOTED_CHARS).collect();
    let values = [
        ("question", fence.verbatim("Question", &question)),
        ("rule", prompts.text(&fence::RULE).to_owned()),
    ];
    let values = values.each_ref().map(|(place, value)| (*place, value.as_str()));
    ChatRequest {
        sampling: settings.sampling(&DRAFT),
        timeouts: settings.timeouts(&DRAFT),
        ..ChatRequest::new(model, &DRAFT, vec![ChatMessage::user(prompts.fill(&PROMPT, &values))])
    }
}

/// The draft in a reply, no longer than a rubric may be; none where the reply says nothing.
#[must_use]
pub fn read(reply: &str) -> Option<String> {
    let text: String = reply.trim().chars().filter(|c| *c != '\0').take(MAX_CHARS).collect();
    (!text.is_empty()).then_some(text)
}
