//! A council of three whose reviewers rank as they are told.

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use super::app::{TestApp, User};
use super::events::Event;
use super::model_server::{AskedFor, RecordedRequest, Script};

pub const MEMBERS: [&str; 3] = ["m/one", "m/two", "m/three"];

/// A council of three whose reviewers rank as they are told, by member, best first.
pub struct Council {
    pub app: TestApp,
    pub conversation: String,
}

/// The label under which a reviewer sees a member's answer.
pub fn label_of(request: &RecordedRequest, member: &str) -> String {
    let told = |label: &String| {
        let start = request.prompt().split(&format!("[{label}] BEGIN ")).nth(1).expect("the answer");
        start.split("\nEND ").next().is_some_and(|answer| answer.contains(&format!("answer of {member}.")))
    };
    request.labels().into_iter().find(told).unwrap_or_else(|| panic!("{member} is not shown"))
}

/// A usage of 10 and 5 tokens, with a cost if the model says one.
pub fn usage(cost: Option<f64>) -> Value {
    let mut usage = json!({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15});
    if let Some(cost) = cost {
        usage["cost"] = json!(cost);
    }
    usage
}

impl Council {
    pub async fn settle() -> Self {
        let app = TestApp::start().await;
        let conversation = app.user("ann").conversation().await;
        Self { app, conversation }
    }

    pub fn ann(&self) -> User<'_> {
        self.app.user("ann")
    }

    /// Lets the reviewers rank so, in the members' order; `cost` is what each call says it costs.
    pub fn rank(
        &self,
        ballots: [[&'static str; 3]; 3],
        confidence: [&'static str; 3],
        cost: fn(&RecordedRequest) -> Option<f64>,
    ) {
        self.app.models.rule(move |request| {
            let seat = MEMBERS.iter().position(|member| *member == request.model);
            let text = match (request.asked_for(), seat) {
                (AskedFor::Answer, Some(seat)) => {
                    format!("The answer of {}.\n\n{}", request.model, confidence[seat])
                }
                (AskedFor::Review, Some(seat)) => {
                    let lines: Vec<String> = (1..)
                        .zip(ballots[seat])
                        .map(|(place, member)| format!("{place}. {}", label_of(request, member)))
                        .collect();
                    format!("All were read.\n\nFINAL RANKING:\n{}", lines.join("\n"))
                }
                _ => format!("A scripted text of {}.", request.model),
            };
            Some(Script::answer(&text).usage(usage(cost(request))))
        });
    }

    /// Asks, and gives the finished run.
    pub async fn ask(&self) -> Value {
        let path = format!("/api/conversations/{}/message", self.conversation);
        self.ann()
            .post(&path, json!({"content": "Why?", "models": MEMBERS, "self_votes": "left_out"}))
            .await
            .ok()
    }

    pub async fn sql(&self, sql: &str) {
        let mut superuser = self.app.db.superuser().await;
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned())).execute(&mut superuser).await.unwrap();
    }
}

/// A request to the council of three with these options.
pub fn body(options: &Value) -> Value {
    let mut body = json!({"content": "Why?", "models": MEMBERS});
    body.as_object_mut().expect("an object").extend(options.as_object().expect("options").clone());
    body
}

/// Asks so in a new conversation, and gives the events and the message that is stored.
pub async fn ask_with(app: &TestApp, options: Value) -> (Vec<Event>, Value) {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let events = ann.ask(&id, body(&options)).await.rest().await;
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1].clone();
    assert_eq!(events.last().expect("an event").kind(), "complete");
    (events, stored)
}

/// Self-votes are left out, so of each ballot the two other members count.
/// The first run: m/one first alone; Borda 1, ½, 0; average ranks 1, 1.5, 2.
pub const CLEAR: [[&str; 3]; 3] =
    [["m/two", "m/three", "m/one"], ["m/one", "m/three", "m/two"], ["m/one", "m/two", "m/three"]];
/// The second: a circle, all three share the first place with an average rank of 1.5.
pub const CIRCLE: [[&str; 3]; 3] =
    [["m/two", "m/three", "m/one"], ["m/three", "m/one", "m/two"], ["m/one", "m/two", "m/three"]];

/// Only the answers of m/one say what they cost.
pub fn only_one_says(request: &RecordedRequest) -> Option<f64> {
    (request.model == "m/one" && request.asked_for() == AskedFor::Answer).then_some(0.25)
}

pub fn all_say(_: &RecordedRequest) -> Option<f64> {
    Some(0.25)
}

/// The two runs in one conversation; the second needs no title.
pub async fn two_runs() -> (Council, [String; 2]) {
    let council = Council::settle().await;
    council.rank(CLEAR, ["CONFIDENCE: 9", "Sure.", "CONFIDENCE: 4"], only_one_says);
    let first = council.ask().await;
    council.rank(CIRCLE, ["CONFIDENCE: 7", "Sure.", "CONFIDENCE: 6"], only_one_says);
    let second = council.ask().await;
    let id = |run: &Value| run["run_id"].as_str().unwrap().to_owned();
    let ids = [id(&first), id(&second)];
    (council, ids)
}

/// Some fields of an object.
pub fn pick(value: &Value, fields: &[&str]) -> Value {
    fields.iter().map(|field| value[*field].clone()).collect()
}
