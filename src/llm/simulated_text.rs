//! Plain, plausible text for the simulated provider. What it answers for each purpose is defined by the feature that
//! makes the call ([`Purpose::simulated`](super::Purpose::simulated)).

use super::request::ChatRequest;
use super::schema::Schema;
use super::seeded_rng::SeededRng;
use super::simulated_json;
use super::simulated_prompt::Prompt;

/// The line that every simulated answer begins with.
pub const LABEL: &str = "_Simulated answer: no model was asked._";

/// The whole text of a reply.
#[must_use]
pub fn write(request: &ChatRequest) -> String {
    let mut rng = SeededRng::new(request.seed, &request.model);
    let text = (request.purpose.simulated)(&Prompt::new(&request.last_of_user()), &mut rng);
    match &request.schema {
        // A text that is JSON already was written for the schema.
        Some(_) if serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(&text).is_ok() => text,
        Some(Schema { schema, .. }) => simulated_json::fitting(schema, &text, &mut rng).to_string(),
        None => text,
    }
}

/// What a reasoning model shows before its answer.
pub(super) fn reasoning(request: &ChatRequest) -> String {
    let topic = Prompt::new(&request.last_of_user()).topic();
    format!(
        "This is simulated reasoning. The question is about {topic}. First I would settle what is asked, \
         then list what is certain, then weigh what is not, and only then write.\n"
    )
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
pub fn body(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    let mut points = POINTS.to_vec();
    rng.shuffle(&mut points);
    points.truncate(3);
    let cited: String = prompt.sources().into_iter().take(2).map(|n| format!(" [{n}]")).collect();
    format!(
        "{}\n\n1. {}{cited}\n2. {}\n3. {}\n\n{}",
        rng.pick(OPENINGS).replace("{topic}", &prompt.topic()),
        points[0],
        points[1],
        points[2],
        rng.pick(CLOSINGS)
    )
}

/// [`body`] under [`LABEL`].
pub fn plain(prompt: &Prompt<'_>, rng: &mut SeededRng) -> String {
    format!("{LABEL}\n\n{}", body(prompt, rng))
}

/// Objections to a text.
pub const OBJECTIONS: &[&str] = &[
    "The first step assumes that a small experiment is possible. Where it is not, the advice leaves the reader alone; say what to do then.",
    "It never says who decides. Name the person, or the rule, that ends the discussion.",
    "The closing sentence takes back what the second point promised. One of the two should go.",
    "There is no figure in it. A rough cost for each path would let the reader choose.",
];
