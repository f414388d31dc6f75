//! A council whose answers have a known quality, and whose reviewers judge it with errors, by the places they read in and
//! with a preference for their own: the same for the same question, whoever asks.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::app::{TestApp, User};
use super::model_server::{AskedFor, RecordedRequest, Script};
use super::ranked::label_of;

pub const MEMBERS: [&str; 4] = ["m/one", "m/two", "m/three", "m/four"];
/// A reviewer's errors, the answers' quality having a standard deviation of 1; what the first place read is worth.
const NOISE: f64 = 2.0;
const POSITION: f64 = 1.2;

/// How much each member prefers its own answer.
pub type Preferences = [f64; 4];

/// Lets the members answer and review so.
pub fn judge(app: &TestApp, preferences: Preferences) {
    app.models.rule(move |request| Some(script(request, preferences)));
}

/// What a model says.
pub fn script(request: &RecordedRequest, preferences: Preferences) -> Script {
    let seat = MEMBERS.iter().position(|member| *member == request.model);
    Script::answer(&match (request.asked_for(), seat) {
        (AskedFor::Answer, Some(_)) => format!("The answer of {}.", request.model),
        (AskedFor::Review, Some(seat)) => review(request, seat, preferences[seat]),
        _ => format!("A scripted text of {}.", request.model),
    })
}

fn review(request: &RecordedRequest, reviewer: usize, preference: f64) -> String {
    let question = question_of(request.prompt());
    let order = request.labels();
    let last = f64::from(u32::try_from(order.len() - 1).expect("a few answers"));
    let mut scored: Vec<(f64, String)> = (0..MEMBERS.len())
        .map(|answer| {
            let label = label_of(request, MEMBERS[answer]);
            let read = order.iter().position(|one| *one == label).expect("a label");
            let late = f64::from(u32::try_from(read).expect("a few answers")) / last;
            let own = if answer == reviewer { preference } else { 0.0 };
            let error = NOISE * normal(&format!("{question}/{reviewer}/{answer}"));
            (quality(&question, answer) + error + POSITION * (1.0 - 2.0 * late) + own, label)
        })
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let lines: Vec<String> =
        (1..).zip(&scored).map(|(place, (_, label))| format!("{place}. {label}")).collect();
    format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n"))
}

/// `question <n>`, wherever it stands in a prompt.
fn question_of(prompt: &str) -> String {
    let number = prompt.split("question no. ").nth(1).expect("a numbered question");
    number.chars().take_while(char::is_ascii_digit).collect()
}

fn quality(question: &str, answer: usize) -> f64 {
    normal(&format!("{question}/{answer}"))
}

/// A standard normal number that belongs to a text (Box & Muller 1958).
fn normal(of: &str) -> f64 {
    let mut rng = ChaCha8Rng::from_seed(Sha256::digest(of.as_bytes()).into());
    let mut unit = || f64::from(rng.next_u32()) / f64::from(u32::MAX);
    (-2.0 * unit().max(1e-9).ln()).sqrt() * (std::f64::consts::TAU * unit()).cos()
}

/// Asks a numbered question in a conversation of its own, with these options, and gives the finished run.
pub async fn ask(user: &User<'_>, number: usize, options: Value) -> Value {
    let conversation = user.conversation().await;
    let mut body = json!({"content": format!("This is question no. {number}.")});
    body.as_object_mut().expect("an object").extend(options.as_object().expect("options").clone());
    user.post(&format!("/api/conversations/{conversation}/message"), body).await.ok()
}

/// The chance that the best answer comes first in this run: a shared first place is shared.
pub fn hit(run: &Value, number: usize) -> f64 {
    share_of_best(rows(run).iter().filter(|row| row["place"] == 1), number)
}

/// The same, had no ballot been corrected.
pub fn uncorrected_hit(run: &Value, number: usize) -> f64 {
    let rank =
        |row: &Value| row["uncorrected_rank"].as_f64().or(row["average_rank"].as_f64()).expect("a rank");
    let least = rows(run).iter().map(rank).fold(f64::INFINITY, f64::min);
    share_of_best(rows(run).iter().filter(|row| rank(row) <= least), number)
}

fn rows(run: &Value) -> &[Value] {
    run["metadata"]["aggregate_rankings"].as_array().expect("a table")
}

fn share_of_best<'r>(firsts: impl Iterator<Item = &'r Value>, number: usize) -> f64 {
    let question = number.to_string();
    let best = (0..MEMBERS.len())
        .max_by(|a, b| quality(&question, *a).total_cmp(&quality(&question, *b)))
        .expect("there are members");
    let firsts: Vec<&str> = firsts.filter_map(|row| row["member"].as_str()).collect();
    if firsts.contains(&MEMBERS[best]) {
        1.0 / f64::from(u32::try_from(firsts.len()).expect("a few"))
    } else {
        0.0
    }
}
