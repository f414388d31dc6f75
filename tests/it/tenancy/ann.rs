//! The person whose things nobody else may reach.

use llm_council::id::{BenchId, UserId};
use llm_council::store::Scope;
use llm_council::store::benches::{self, ItemRow, NewBench};
use serde_json::{Value, json};

use super::MARK;
use super::probes::{About, device_of};
use crate::attachments::files::{put_into, taken};
use crate::support::app::{Answer, TestApp};
use crate::support::events::Events;
use crate::support::model_server::{AskedFor, Gate, Outcome, Script};

/// Ann, and all that is hers.
pub struct Ann {
    conversations: Vec<String>,
    folders: Vec<String>,
    runs: Vec<String>,
    tokens: Vec<String>,
    presets: Vec<String>,
    entries: Vec<String>,
    benches: Vec<String>,
    cached: Vec<String>,
    files: Vec<String>,
    webhooks: Vec<String>,
    schedules: Vec<String>,
    devices: Vec<String>,
    links: Vec<String>,
    closed: Vec<String>,
    projects: Vec<String>,
    responses: Vec<String>,
    /// Of nothing.
    access: Vec<String>,
    /// Of the webhook.
    delivery: String,
    /// Of the project.
    project_file: String,
    /// The run that goes on while others try to reach it.
    live: Events,
    gate: Gate,
}

/// A bench of Ann's with one answer.
async fn a_bench(app: &TestApp) -> BenchId {
    let suite = json!({"variants": [{"name": MARK, "asks": {"model": {"model": "m/one"}}}]});
    let questions = json!([{"id": "1", "text": MARK, "answers": [MARK], "grader": "exact"}]);
    let outcome = json!({"verdict": "correct", "ending": MARK});
    let new = NewBench {
        id: BenchId::generate(),
        name: MARK,
        suite: &suite,
        questions: &questions,
        question_count: 1,
        variant_count: 1,
        digest: &[],
        max_cost_usd: 1.0,
    };
    let scope = Scope::User(UserId::from_canonical("ann"));
    let mut tx = app.app.db.begin(&scope).await.unwrap();
    assert!(benches::create(&mut tx, &new).await.unwrap());
    benches::save_item(&mut tx, new.id, &ItemRow { question: 0, variant: 0, outcome }).await.unwrap();
    tx.commit().await.unwrap();
    let mine = app.user("ann").get(&format!("/api/bench/{}", new.id)).await.ok();
    assert_eq!(mine["report"]["variants"][0]["right"], 1, "{mine}");
    assert_eq!(app.user("ann").get("/api/bench").await.ok()["benches"][0]["name"], MARK);
    new.id
}

impl Ann {
    /// A conversation with an answer, one whose run is under way, one that is deleted, settings,
    /// a token and a preset.
    pub async fn settle(app: &TestApp) -> Self {
        let ann = app.user("ann").with("remote-email", "ann@quokka.example");
        let file = taken(&ann, &format!("{MARK}.txt"), format!("A {MARK} in a file.").as_bytes()).await;
        let unused = taken(&ann, &format!("{MARK}.md"), format!("# A {MARK}").as_bytes()).await;
        let question = json!({
            "content": format!("Why is the {MARK} scripted?"), "system_prompt": MARK
        });
        let mut kept = question.clone();
        kept["attachments"] = json!([file]);
        kept["use_cache"] = json!(true);
        app.models.rule(|request| {
            let text = format!("The {MARK} of {}.", request.model);
            (!request.prompt().contains("FINAL RANKING")).then(|| Script::answer(&text))
        });
        ann.get("/api/user").await.ok();
        for other in ["bob", "carl"] {
            app.user(other).get("/api/user").await.ok();
        }
        ann.put("/api/config", json!({"chairman_alias": format!("The {MARK}")})).await.ok();
        let token = ann.post("/api/tokens", json!({"name": MARK})).await.ok();
        let preset = ann.post("/api/settings/presets", json!({"name": MARK})).await.ok();

        let entry = json!({"kind": "rubric", "name": MARK, "text": format!("A {MARK}.")});
        let entry = ann.post("/api/library", entry).await.ok()["id"].as_str().unwrap().to_owned();
        let changed = json!({"version": 1, "text": format!("A new {MARK}.")});
        ann.put(&format!("/api/library/{entry}"), changed).await.ok();

        let bench = a_bench(app).await;
        let address = json!({"url": format!("https://hooks.example.com/{MARK}")});
        let webhook = ann.post("/api/webhooks", address).await.ok();
        let test = format!("/api/webhooks/{}/test", webhook["id"].as_str().unwrap());
        let delivery = ann.post(&test, json!({})).await.ok();

        let schedule = json!({"name": MARK, "cron": "@yearly", "request": question});
        let schedule = ann.post("/api/schedules", schedule).await.ok();
        let mut device = device_of("ann");
        device["name"] = json!(MARK);
        let device = ann.post("/api/push/devices", device).await.ok();

        let answered = ann.conversation().await;
        let keyed = ann.clone().with("idempotency-key", "the-key-of-ann");
        let run = keyed.post(&format!("/api/conversations/{answered}/message"), kept).await.ok();
        ann.put(&format!("/api/conversations/{answered}/tags"), json!({"tags": [MARK]})).await.ok();

        let feedback =
            json!({"thumb": "down", "better": {"member": "m/one"}, "comment": format!("No {MARK} in it.")});
        let of_run = format!("/api/runs/{}/feedback", run["run_id"].as_str().unwrap());
        ann.put(&of_run, feedback).await.ok();

        let shares = format!("/api/conversations/{answered}/shares");
        let link = ann.post(&shares, json!({})).await.json()["id"].as_str().unwrap().to_owned();
        let withdrawn = ann.post(&shares, json!({})).await.json()["id"].as_str().unwrap().to_owned();
        ann.send("DELETE", &format!("/api/shares/{withdrawn}"), None).await.ok();

        let project = json!({"name": MARK, "instructions": format!("Speak of the {MARK}.")});
        let project = ann.post("/api/projects", project).await.ok()["id"].as_str().unwrap().to_owned();
        let for_members = ann.post(&shares, json!({"project_id": project})).await.json();
        let for_members = for_members["id"].as_str().unwrap().to_owned();
        let in_project = format!("A {MARK} in the project's file.");
        let project_file = put_into(&ann, &project, &format!("{MARK}.txt"), in_project.as_bytes()).await.ok();
        let folder =
            ann.post("/api/folders", json!({"name": MARK})).await.ok()["id"].as_str().unwrap().to_owned();
        let moved = json!({"project_id": project, "folder_id": folder});
        ann.send("PATCH", &format!("/api/conversations/{answered}"), Some(&moved)).await.ok();

        let cached =
            ann.get("/api/cache/entries").await.ok()["entries"][0]["id"].as_str().unwrap().to_owned();

        let response = json!({"model": "council", "input": format!("Who is the {MARK}?")});
        let response = ann.post("/v1/responses", response).await.ok();

        let deleted = ann.conversation().await;
        let gone = ann.post(&format!("/api/conversations/{deleted}/message"), question.clone()).await.ok();
        ann.send("DELETE", &format!("/api/conversations/{deleted}"), None).await.ok();

        let gate = Gate::new();
        let held = gate.clone();
        app.models.rule(move |request| {
            let late = || Script::answer("").hold(&held).text(&format!("A late {MARK}."));
            (request.asked_for() != AskedFor::Routing).then(late)
        });
        let asking = ann.conversation().await;
        let mut live = ann.ask(&asking, question).await;
        let started = live.until("run_started").await;
        // From here on nothing moves until the gate opens.
        live.until("stage1_start").await;
        app.models
            .until(|records| records.iter().filter(|one| one.outcome == Outcome::Open).count() == 5)
            .await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            conversations: vec![answered, deleted, asking],
            folders: vec![folder],
            runs: vec![text(&run["run_id"]), text(&gone["run_id"]), text(&started.json["run_id"])],
            tokens: vec![text(&token["id"])],
            presets: vec![text(&preset["preset"]["id"])],
            entries: vec![entry],
            benches: vec![bench.to_string()],
            cached: vec![cached],
            files: vec![file, unused],
            webhooks: vec![text(&webhook["id"])],
            schedules: vec![text(&schedule["id"])],
            devices: vec![text(&device["id"])],
            links: vec![link],
            closed: vec![for_members, withdrawn],
            projects: vec![project],
            responses: vec![text(&response["id"])],
            access: vec![uuid::Uuid::now_v7().to_string()],
            delivery: text(&delivery["id"]),
            project_file: text(&project_file["id"]),
            live,
            gate,
        }
    }

    pub fn ids(&self, about: About) -> &[String] {
        match about {
            About::Conversation => &self.conversations,
            About::Folder => &self.folders,
            About::Run => &self.runs,
            About::Token => &self.tokens,
            About::Preset => &self.presets,
            About::Entry => &self.entries,
            About::Bench => &self.benches,
            About::Cached => &self.cached,
            About::File => &self.files,
            About::Webhook => &self.webhooks,
            About::Schedule => &self.schedules,
            About::Device => &self.devices,
            About::Link => &self.links,
            About::Closed => &self.closed,
            About::Project => &self.projects,
            About::Response => &self.responses,
            About::Access => &self.access,
            About::Own | About::Unconfirmed | About::Malformed | About::NoForm | About::Admin => &[],
        }
    }

    /// The path of one thing.
    pub fn in_place(&self, path: &str, id: &str) -> String {
        path.replace("{id}", id)
            .replace("{delivery}", &self.delivery)
            .replace("{version}", "1")
            .replace("{conversation}", &self.conversations[0])
            .replace("{file}", &self.project_file)
    }

    /// Nothing that Ann or her models wrote, and none of her ids, stands in an answer.
    #[track_caller]
    pub fn is_not_in(&self, answer: &Answer) {
        let text = answer.text.to_lowercase();
        assert!(!text.contains(MARK), "{text}");
        for id in [
            &self.conversations,
            &self.folders,
            &self.runs,
            &self.tokens,
            &self.presets,
            &self.entries,
            &self.benches,
            &self.cached,
            &self.files,
            &self.links,
            &self.closed,
            &self.schedules,
            &self.projects,
        ]
        .into_iter()
        .flatten()
        {
            assert!(!text.contains(id), "{id} is in {text}");
        }
    }

    /// Lets the held run end, which nobody else has touched.
    pub async fn ends_well(mut self, app: &TestApp) {
        self.gate.open();
        assert_eq!(self.live.rest().await.last().unwrap().kind(), "complete");
        app.models.rule(|_| None);
    }
}
