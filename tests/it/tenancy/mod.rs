//! Nobody reaches what is another's: every route of the API document, asked by people without an
//! identity, by another user, by an administrator and by a token that may only read.
//!
//! A route that the table of probes does not know fails the walk: say there how to ask it.

use std::collections::{BTreeMap, BTreeSet};

use llm_council::id::{BenchId, UserId};
use llm_council::store::Scope;
use llm_council::store::benches::{self, ItemRow, NewBench};
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row as _};

use crate::attachments::files::taken;
use crate::support::app::{Answer, TestApp, User};
use crate::support::device::{Device, PUSH};
use crate::support::events::Events;
use crate::support::model_server::{AskedFor, Gate, Outcome, Script};

/// Words in everything that Ann writes and that is written for her.
const MARK: &str = "quokka";

/// What a route is about, which decides how another user is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
enum About {
    /// The caller's own things: an answer without anything of anybody else.
    Own,
    /// One thing, by its id: not there for another user.
    Conversation,
    /// A folder of her list, with a conversation in it.
    Folder,
    Run,
    Token,
    Preset,
    /// Of the library, in two versions.
    Entry,
    Bench,
    /// An answer that is kept to be given again.
    Cached,
    /// A file that she has uploaded.
    File,
    Webhook,
    /// A question that she wants asked again and again.
    Schedule,
    /// A browser of hers that is told of her runs.
    Device,
    /// A link to a conversation that she shares.
    Link,
    /// A link that she has withdrawn: before that everybody may use it.
    Withdrawn,
    /// A project of hers, with a conversation in it.
    Project,
    /// A run that another program asked for.
    Response,
    /// For administrators, one thing by its id: there is none, such as a request to read somebody's conversations.
    Access,
    /// Refused whoever asks in person: the word that confirms it is wrong, or what a held model would be asked is missing.
    Unconfirmed,
    /// Refused whoever asks: the models are held, and nobody waits for a whole answer here.
    Malformed,
    /// Refused whoever asks: a file comes in a form, and this is none.
    NoForm,
    /// For administrators.
    Admin,
}

struct Probe {
    method: &'static str,
    path: &'static str,
    about: About,
    /// Queries to ask it with.
    queries: &'static [&'static str],
    /// A body that it takes.
    body: Option<Value>,
}

fn probes() -> Vec<Probe> {
    use About::{
        Access, Admin, Bench, Cached, Conversation, Entry, File, Folder, Link, Malformed, NoForm, Own,
        Preset, Project, Response, Run, Schedule, Token, Unconfirmed, Webhook, Withdrawn,
    };
    let ask = || Some(json!({"content": "Why?"}));
    let entry = |method, path, about, queries, body| Probe { method, path, about, queries, body };
    vec![
        entry(
            "GET",
            "/api/conversations",
            Own,
            &[
                "",
                "tag=quokka",
                "archived=true",
                "deleted=true",
                "project_id=01890000-0000-7000-8000-000000000000",
                "folder_id=none",
                "folder_id=01890000-0000-7000-8000-000000000000",
            ],
            None,
        ),
        entry("POST", "/api/conversations", Own, &[""], Some(json!({}))),
        entry("GET", "/api/conversations/{id}", Conversation, &["", "all=true"], None),
        entry("DELETE", "/api/conversations/{id}", Conversation, &["", "purge=true"], None),
        entry(
            "PATCH",
            "/api/conversations/{id}",
            Conversation,
            &[""],
            Some(json!({"title": "Bob's", "archived": true})),
        ),
        entry("POST", "/api/conversations/{id}/restore", Conversation, &[""], None),
        entry(
            "PUT",
            "/api/conversations/{id}/branch",
            Conversation,
            &[""],
            Some(json!({"message_id": "01890000-0000-7000-8000-000000000000"})),
        ),
        entry("PUT", "/api/conversations/{id}/tags", Conversation, &[""], Some(json!({"tags": ["bobs"]}))),
        entry("GET", "/api/conversations/{id}/export", Conversation, &["", "format=json", "all=true"], None),
        entry("GET", "/api/folders", Own, &[""], None),
        entry("POST", "/api/folders", Own, &[""], Some(json!({"name": "Bob's"}))),
        entry("PATCH", "/api/folders/{id}", Folder, &[""], Some(json!({"name": "Bob's own"}))),
        entry("DELETE", "/api/folders/{id}", Folder, &[""], None),
        entry("GET", "/api/tags", Own, &[""], None),
        entry("GET", "/api/search", Own, &["q=quokka", "q=scripted", "q=why"], None),
        entry("POST", "/api/conversations/{id}/message", Conversation, &[""], ask()),
        entry("POST", "/api/conversations/{id}/message/stream", Conversation, &[""], ask()),
        entry("POST", "/api/conversations/{id}/message/estimate", Conversation, &[""], ask()),
        entry("POST", "/api/estimate", Own, &[""], ask()),
        entry("POST", "/api/conversations/{id}/message/cancel", Conversation, &[""], None),
        entry("POST", "/api/conversations/{id}/shares", Conversation, &[""], Some(json!({}))),
        entry("GET", "/api/shares", Own, &["", "limit=1"], None),
        entry("GET", "/api/shares/{id}", Withdrawn, &[""], None),
        entry("DELETE", "/api/shares/{id}", Link, &[""], None),
        entry("POST", "/api/shares/{id}/copy", Withdrawn, &[""], None),
        entry("GET", "/api/projects", Own, &[""], None),
        entry("POST", "/api/projects", Own, &[""], Some(json!({"name": "Bob's"}))),
        entry("GET", "/api/projects/{id}", Project, &[""], None),
        entry("PATCH", "/api/projects/{id}", Project, &[""], Some(json!({"name": "Bob's"}))),
        entry("DELETE", "/api/projects/{id}", Project, &[""], None),
        entry("PUT", "/api/projects/{id}/members", Project, &[""], Some(bob(Some("owner")))),
        entry("DELETE", "/api/projects/{id}/members", Project, &[""], Some(bob(None))),
        entry("POST", "/api/projects/{id}/leave", Project, &[""], None),
        entry("GET", "/api/projects/{id}/conversations", Project, &["", "limit=1"], None),
        entry("GET", "/api/projects/{id}/conversations/{conversation}", Project, &[""], None),
        entry("DELETE", "/api/projects/{id}/conversations/{conversation}", Project, &[""], None),
        entry("POST", "/api/projects/{id}/conversations/{conversation}/copy", Project, &[""], None),
        entry("GET", "/api/schedules", Own, &[""], None),
        entry(
            "POST",
            "/api/schedules",
            Own,
            &[""],
            Some(json!({"name": "Bob's", "cron": "@yearly", "request": {"content": "Why?"}})),
        ),
        entry("GET", "/api/schedules/{id}", Schedule, &[""], None),
        entry("PATCH", "/api/schedules/{id}", Schedule, &[""], Some(json!({"paused": true}))),
        entry("DELETE", "/api/schedules/{id}", Schedule, &[""], None),
        entry("POST", "/api/schedules/{id}/run", Schedule, &[""], None),
        entry("GET", "/api/schedules/{id}/results", Schedule, &["", "limit=1"], None),
        entry(
            "GET",
            "/api/schedule-times",
            Own,
            &["cron=@daily", "cron=@daily&time_zone=Europe/Berlin"],
            None,
        ),
        entry("POST", "/api/attachments", NoForm, &[""], Some(json!({}))),
        entry("GET", "/api/attachments", Own, &["", "limit=1"], None),
        entry("GET", "/api/attachments/{id}", File, &[""], None),
        entry("GET", "/api/attachments/{id}/content", File, &[""], None),
        entry("DELETE", "/api/attachments/{id}", File, &[""], None),
        entry("GET", "/api/runs/{id}", Run, &[""], None),
        entry("GET", "/api/runs/{id}/events", Run, &["", "after=3"], None),
        entry("POST", "/api/runs/{id}/cancel", Run, &[""], None),
        entry("POST", "/api/runs/{id}/retry", Run, &[""], Some(json!({"from": "stage3"}))),
        entry("POST", "/api/runs/{id}/skip", Run, &[""], Some(json!({"member": "m/one"}))),
        entry("POST", "/api/runs/{id}/cache", Run, &[""], Some(json!({"take": true}))),
        entry("GET", "/api/cache/config", Own, &[""], None),
        entry("GET", "/api/embeddings/config", Own, &[""], None),
        entry("GET", "/api/cache/stats", Own, &[""], None),
        entry("GET", "/api/cache/info", Own, &[""], None),
        entry("GET", "/api/cache/entries", Own, &["", "limit=1", "q=quokka"], None),
        entry("DELETE", "/api/cache/entries/{id}", Cached, &[""], None),
        entry("DELETE", "/api/cache", Own, &[""], None),
        entry("DELETE", "/api/cache/stats", Own, &[""], None),
        entry("POST", "/api/cache/search", Own, &["query=why%20is%20the%20quokka%20scripted"], None),
        entry("GET", "/api/runs/{id}/feedback", Run, &[""], None),
        entry(
            "PUT",
            "/api/runs/{id}/feedback",
            Run,
            &[""],
            Some(json!({"thumb": "down", "comment": "Wrong."})),
        ),
        entry("DELETE", "/api/runs/{id}/feedback", Run, &[""], None),
        entry("GET", "/api/analytics", Own, &["", "from=2020-01-01&until=2099-12-31"], None),
        entry("GET", "/api/analytics/days", Own, &[""], None),
        entry("GET", "/api/analytics/chairman", Own, &[""], None),
        entry("GET", "/api/analytics/head-to-head", Own, &[""], None),
        entry("GET", "/api/analytics/reviewers", Own, &[""], None),
        entry("GET", "/api/analytics/leaderboard", Own, &["", "source=people", "tag=quokka"], None),
        entry("GET", "/api/analytics/council", Own, &[""], None),
        entry("GET", "/api/analytics/recent", Own, &["", "limit=1&offset=1"], None),
        entry("DELETE", "/api/analytics", Own, &[""], None),
        entry("GET", "/api/bench", Own, &[""], None),
        entry("GET", "/api/bench/{id}", Bench, &[""], None),
        entry("GET", "/api/config", Own, &[""], None),
        entry("PUT", "/api/config", Own, &[""], Some(json!({"chairman_alias": "Bob's chairman"}))),
        entry("POST", "/api/config/reset", Own, &[""], None),
        entry("GET", "/api/config/models", Own, &[""], None),
        entry("GET", "/api/models", Own, &[""], None),
        entry("GET", "/api/settings/regions", Own, &[""], None),
        entry("GET", "/api/refinement/config", Own, &[""], None),
        entry("GET", "/api/debate/config", Own, &[""], None),
        entry("GET", "/api/decomposition/config", Own, &[""], None),
        entry("GET", "/api/adversary/config", Own, &[""], None),
        entry("GET", "/api/weights", Own, &[""], None),
        entry("GET", "/api/weights/{model}", Own, &[""], None),
        entry("GET", "/api/settings/presets", Own, &[""], None),
        entry("POST", "/api/settings/presets", Own, &[""], Some(json!({"name": "Bob's"}))),
        entry("POST", "/api/settings/presets/{id}/apply", Preset, &[""], None),
        entry("DELETE", "/api/settings/presets/{id}", Preset, &[""], None),
        entry("GET", "/api/library", Own, &["", "kind=rubric", "q=a&limit=200"], None),
        entry(
            "POST",
            "/api/library",
            Own,
            &[""],
            Some(json!({"kind": "prompt", "name": "Bob's", "text": "Why?"})),
        ),
        entry("GET", "/api/library/{id}", Entry, &[""], None),
        entry("PUT", "/api/library/{id}", Entry, &[""], Some(json!({"version": 2, "text": "Bob's"}))),
        entry("DELETE", "/api/library/{id}", Entry, &[""], None),
        entry("GET", "/api/library/{id}/versions/{version}", Entry, &[""], None),
        entry("POST", "/api/library/{id}/restore", Entry, &[""], Some(json!({"from": 1, "version": 2}))),
        entry("POST", "/api/library/rubrics/draft", Unconfirmed, &[""], Some(json!({"question": " "}))),
        entry("GET", "/api/routing/pools", Own, &[""], None),
        entry("POST", "/api/routing/classify", Own, &["query=why"], None),
        entry("GET", "/api/escalation/tiers", Own, &[""], None),
        entry("GET", "/api/escalation/thresholds", Own, &[""], None),
        entry("GET", "/api/version", Own, &[""], None),
        entry("GET", "/api/user", Own, &[""], None),
        entry("GET", "/api/tokens", Own, &[""], None),
        entry("POST", "/api/tokens", Own, &[""], Some(json!({"name": "Bob's"}))),
        entry("DELETE", "/api/tokens/{id}", Token, &[""], None),
        entry("GET", "/api/me/data", Own, &[""], None),
        entry("GET", "/api/me/export", Own, &[""], None),
        entry("DELETE", "/api/me", Unconfirmed, &[""], Some(json!({"confirm": "somebody"}))),
        entry("GET", "/api/webhooks", Own, &[""], None),
        entry("POST", "/api/webhooks", Own, &[""], Some(json!({"url": "https://hooks.example.com/bob"}))),
        entry("PATCH", "/api/webhooks/{id}", Webhook, &[""], Some(json!({"enabled": false}))),
        entry("DELETE", "/api/webhooks/{id}", Webhook, &[""], None),
        entry("POST", "/api/webhooks/{id}/secret", Webhook, &[""], None),
        entry("POST", "/api/webhooks/{id}/test", Webhook, &[""], None),
        entry("GET", "/api/webhooks/{id}/deliveries", Webhook, &["", "limit=1"], None),
        entry("POST", "/api/webhooks/{id}/deliveries/{delivery}/resend", Webhook, &[""], None),
        entry("GET", "/api/push/devices", Own, &[""], None),
        entry("POST", "/api/push/devices", Own, &[""], Some(device_of("bob"))),
        entry("PATCH", "/api/push/devices/{id}", About::Device, &[""], Some(json!({"include_title": true}))),
        entry("DELETE", "/api/push/devices/{id}", About::Device, &[""], None),
        entry("POST", "/api/push/devices/{id}/test", About::Device, &[""], None),
        entry("POST", "/api/runs/{id}/seen", Run, &[""], None),
        entry("POST", "/mcp", Own, &[""], Some(by_mcp())),
        entry("GET", "/v1/models", Own, &[""], None),
        entry("GET", "/v1/models/{model}", Own, &[""], None),
        entry("POST", "/v1/chat/completions", Malformed, &[""], Some(json!({"model": "council"}))),
        entry("POST", "/v1/responses", Malformed, &[""], Some(json!({"model": "council"}))),
        entry("GET", "/v1/responses/{id}", Response, &["", "stream=true"], None),
        entry("DELETE", "/v1/responses/{id}", Response, &[""], None),
        entry("POST", "/v1/responses/{id}/cancel", Response, &[""], None),
        entry("GET", "/api/budget", Own, &[""], None),
        entry("PUT", "/api/budget", Own, &[""], Some(json!({"per_day_usd": 1000}))),
        entry("POST", "/api/admin/providers/check", Admin, &[""], Some(json!({"stream": true}))),
        entry("GET", "/api/admin/budgets", Admin, &["", "limit=1"], None),
        entry(
            "PUT",
            "/api/admin/budgets",
            Admin,
            &[""],
            Some(json!({"budgets": [
                {"scope": "user", "name": "bob", "period": "day", "limit_usd": 1000}
            ]})),
        ),
        entry("GET", "/api/admin/retention", Admin, &[""], None),
        entry("PUT", "/api/admin/retention", Admin, &[""], Some(json!({"days": null}))),
        entry("GET", "/api/admin/retention/projects", Admin, &["", "limit=1"], None),
        entry("PUT", "/api/admin/retention/projects/{id}", Access, &[""], Some(json!({"days": 1}))),
        entry("GET", "/api/admin/blocks", Admin, &[""], None),
        entry("POST", "/api/admin/blocks", Admin, &[""], Some(json!({"user": "carl", "reason": "A case"}))),
        entry("DELETE", "/api/admin/blocks", Admin, &["user=carl"], None),
        entry("GET", "/api/admin/holds", Admin, &[""], None),
        entry("POST", "/api/admin/holds", Admin, &[""], Some(json!({"user": "bob", "reason": "A case"}))),
        entry("DELETE", "/api/admin/holds", Admin, &["user=bob"], None),
        entry("GET", "/api/admin/access-requests", Admin, &[""], None),
        entry(
            "POST",
            "/api/admin/access-requests",
            Admin,
            &[""],
            Some(json!({"user": "bob", "reason": "A case", "hours": 1})),
        ),
        entry("POST", "/api/admin/access-requests/{id}/approve", Access, &[""], None),
        entry("POST", "/api/admin/access-requests/{id}/revoke", Access, &[""], None),
        entry("GET", "/api/admin/access/{id}/conversations", Access, &[""], None),
        entry("GET", "/api/admin/access/{id}/conversations/{conversation}", Access, &[""], None),
        entry("GET", "/api/admin/usage", Admin, &["", "by=model", "by=day", "by=format", "format=csv"], None),
        entry("GET", "/api/admin/search", Admin, &["", "from=2020-01-01&to=2099-12-31"], None),
        entry("GET", "/api/admin/cache", Admin, &[""], None),
        entry("GET", "/api/admin/users", Admin, &[""], None),
        entry("GET", "/api/admin/runs", Admin, &[""], None),
        entry("POST", "/api/admin/runs/{id}/cancel", Access, &[""], None),
        entry("GET", "/api/admin/audit", Admin, &[""], None),
        entry("GET", "/api/admin/config", Admin, &[""], None),
        entry("PUT", "/api/admin/config", Admin, &[""], Some(json!({"chairman_alias": "Root's chairman"}))),
        entry("POST", "/api/admin/config/reset", Admin, &[""], None),
        entry("GET", "/api/admin/analytics", Admin, &["", "from=2020-01-01&until=2099-12-31"], None),
        entry("GET", "/api/admin/analytics/days", Admin, &[""], None),
        entry("GET", "/api/admin/analytics/chairman", Admin, &[""], None),
        entry("GET", "/api/admin/analytics/head-to-head", Admin, &[""], None),
        entry("GET", "/api/admin/analytics/reviewers", Admin, &[""], None),
        entry("GET", "/api/admin/analytics/leaderboard", Admin, &["", "source=people"], None),
        entry("GET", "/api/admin/analytics/council", Admin, &[""], None),
    ]
}

/// A browser of somebody's.
fn device_of(name: &str) -> Value {
    Device::new().subscription(&format!("https://push.example.net/{name}"))
}

/// Bob as a member of a project.
fn bob(role: Option<&str>) -> Value {
    json!({"kind": "user", "name": "bob", "role": role})
}

/// A tool's call by the Model Context Protocol; `tests/it/mcp` asks all of them.
fn by_mcp() -> Value {
    let params = json!({"name": "list_conversations", "arguments": {"query": MARK}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
}

/// Routes that serve everybody.
const OPEN: [(&str, &str); 3] = [("GET", "/health/live"), ("GET", "/health/ready"), ("GET", "/metrics")];

/// The routes of an API document.
fn routes(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().keys();
        methods.map(|method| (method.to_uppercase(), path.clone()))
    });
    all.collect()
}

/// Where the document and the table of probes differ.
fn unknown(document: &Value) -> Vec<(String, String)> {
    let text = |(method, path): (&str, &str)| (method.to_owned(), path.to_owned());
    let probed = probes().into_iter().map(|probe| text((probe.method, probe.path)));
    let known: BTreeSet<_> = probed.chain(OPEN.map(text)).collect();
    routes(document).symmetric_difference(&known).cloned().collect()
}

fn document() -> Value {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn every_route_of_the_document_is_probed_and_a_new_one_would_be_missed() {
    let mut document = document();
    assert_eq!(unknown(&document), [], "say in the table of probes how to ask these, or take them out");
    document["paths"]["/api/conversations/{id}/copy"] = json!({"post": {}});
    document["paths"]["/v1/embeddings"] = json!({"post": {}});
    let new = [("POST", "/api/conversations/{id}/copy"), ("POST", "/v1/embeddings")];
    assert_eq!(unknown(&document), new.map(|(method, path)| (method.to_owned(), path.to_owned())));
}

/// Ann, and all that is hers.
struct Ann {
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
    withdrawn: Vec<String>,
    projects: Vec<String>,
    responses: Vec<String>,
    /// Of nothing.
    access: Vec<String>,
    /// Of the webhook.
    delivery: String,
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
    async fn settle(app: &TestApp) -> Self {
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
            withdrawn: vec![withdrawn],
            projects: vec![project],
            responses: vec![text(&response["id"])],
            access: vec![uuid::Uuid::now_v7().to_string()],
            delivery: text(&delivery["id"]),
            live,
            gate,
        }
    }

    fn ids(&self, about: About) -> &[String] {
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
            About::Withdrawn => &self.withdrawn,
            About::Project => &self.projects,
            About::Response => &self.responses,
            About::Access => &self.access,
            About::Own | About::Unconfirmed | About::Malformed | About::NoForm | About::Admin => &[],
        }
    }

    /// The path of one thing.
    fn in_place(&self, path: &str, id: &str) -> String {
        path.replace("{id}", id)
            .replace("{delivery}", &self.delivery)
            .replace("{version}", "1")
            .replace("{conversation}", &self.conversations[0])
    }

    /// Nothing that Ann or her models wrote, and none of her ids, stands in an answer.
    #[track_caller]
    fn is_not_in(&self, answer: &Answer) {
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
    async fn ends_well(mut self, app: &TestApp) {
        self.gate.open();
        assert_eq!(self.live.rest().await.last().unwrap().kind(), "complete");
        app.models.rule(|_| None);
    }
}

/// Asks every route of the table, with all ids of Ann's where it takes one.
async fn ask_everything(user: &User<'_>, ann: &Ann) -> Vec<(Probe, Vec<(String, Answer)>)> {
    let mut all = Vec::new();
    for probe in probes() {
        let with_ids: Vec<String> = match ann.ids(probe.about) {
            [] if probe.path.starts_with("/v1/") => vec![probe.path.replace("{model}", "council")],
            [] => vec![probe.path.replace("{model}", "m/one")],
            ids => ids.iter().map(|id| ann.in_place(probe.path, id)).collect(),
        };
        let mut answers = Vec::new();
        for path in with_ids {
            assert!(!path.contains('{'), "{path}: the table does not say what stands there");
            for query in probe.queries {
                let path = format!("{path}?{query}");
                let answer = user.send(probe.method, &path, probe.body.as_ref()).await;
                answers.push((format!("{} {path}", probe.method), answer));
            }
        }
        all.push((probe, answers));
    }
    all
}

/// A digest of one user's rows in every table that says whose a row is, but for what moves by
/// itself while a run is under way.
async fn digests(app: &TestApp, user: &str) -> BTreeMap<String, String> {
    let mut superuser = app.db.superuser().await;
    let columns = sqlx::query(
        "SELECT table_name::text AS name, column_name::text AS owner FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
           AND (column_name = 'user_id' OR (table_name, column_name) = ('users', 'id'))",
    );
    let columns = columns.fetch_all(&mut superuser).await.unwrap();
    assert!(columns.len() >= 10, "{}", columns.len());
    let mut digests = BTreeMap::new();
    for column in columns {
        let (table, owner): (String, String) = (column.get("name"), column.get("owner"));
        let sql = format!(
            "SELECT coalesce(string_agg(row, E'\\n' ORDER BY row), '') AS rows
             FROM (SELECT (to_jsonb(t) - '{{lease_until,last_used_at}}'::text[])::text AS row
                   FROM {table} t WHERE {owner} = $1) rows"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(user).fetch_one(&mut superuser).await.unwrap();
        digests.insert(table, rows.get("rows"));
    }
    digests
}

/// The same person, saying in every usual header that they come from where the proxy lives.
fn forged(user: User<'_>) -> User<'_> {
    user.with("x-forwarded-for", "127.0.0.1")
        .with("x-real-ip", "127.0.0.1")
        .with("forwarded", "for=127.0.0.1")
}

#[tokio::test]
async fn nobody_without_an_identity_gets_past_the_gate() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let before = digests(&app, "ann").await;
    let calls = app.models.records().len();
    let claims_to_be_ann = app.stranger().without_identity().with("remote-user", "ann");
    let admin = app.stranger().with("remote-groups", "admins");
    let wrong_token = "Bearer lc_0000000000000000000000000000000000000000000";
    for (who, user) in [
        ("a stranger", app.stranger()),
        ("a stranger who names a trusted address", forged(claims_to_be_ann)),
        ("a stranger who claims to be an admin", forged(admin)),
        ("nobody, through the proxy", app.user("").without_identity()),
        ("a wrong token beside a name", app.user("ann").with("authorization", wrong_token)),
    ] {
        for (_, answers) in ask_everything(&user, &ann).await {
            for (request, answer) in answers {
                assert_eq!(answer.status, 401, "{who}: {request}: {}", answer.text);
                ann.is_not_in(&answer);
            }
        }
    }
    assert_eq!(digests(&app, "ann").await, before);
    assert_eq!(app.models.records().len(), calls, "no model was asked");
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn another_user_finds_nothing_changes_nothing_and_learns_nothing() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let before = digests(&app, "ann").await;
    let bob = app.user("bob").with("idempotency-key", "the-key-of-ann");
    for (probe, answers) in ask_everything(&bob, &ann).await {
        for (request, answer) in answers {
            let expected = match probe.about {
                About::Own => 200,
                About::Conversation
                | About::Run
                | About::Token
                | About::Folder
                | About::Preset
                | About::Entry
                | About::Bench
                | About::Cached
                | About::File
                | About::Webhook
                | About::Schedule
                | About::Device
                | About::Link
                | About::Withdrawn
                | About::Project
                | About::Response => 404,
                About::Malformed => 400,
                About::NoForm => 415,
                About::Unconfirmed => 422,
                About::Access | About::Admin => 403,
            };
            assert_eq!(answer.status, expected, "{request}: {}", answer.text);
            ann.is_not_in(&answer);
        }
    }
    // What is not theirs and what is not there look the same.
    let nobody = uuid::Uuid::new_v4().to_string();
    for probe in probes().iter().filter(|probe| !ann.ids(probe.about).is_empty()) {
        let path = |id: &str| ann.in_place(probe.path, id);
        let ask = |id: &str| bob.request(probe.method, &path(id));
        let ask = |id: &str| {
            crate::support::app::read(match &probe.body {
                Some(body) => ask(id).header("content-type", "application/json").body(body.to_string()),
                None => ask(id),
            })
        };
        let (theirs, missing) = (ask(&ann.ids(probe.about)[0]).await, ask(&nobody).await);
        assert_eq!((theirs.status, theirs.text), (missing.status, missing.text), "{}", probe.path);
    }
    assert_eq!(digests(&app, "ann").await, before);
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn administrators_see_figures_and_no_texts() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let before = digests(&app, "ann").await;
    for (probe, answers) in ask_everything(&app.admin(), &ann).await {
        for (request, answer) in answers {
            match probe.about {
                About::Own => {
                    assert_eq!(answer.status, 200, "{request}: {}", answer.text);
                    ann.is_not_in(&answer);
                }
                About::Conversation
                | About::Run
                | About::Token
                | About::Folder
                | About::Preset
                | About::Entry
                | About::Bench
                | About::Cached
                | About::File
                | About::Webhook
                | About::Schedule
                | About::Device
                | About::Link
                | About::Withdrawn
                | About::Access
                | About::Project
                | About::Response => {
                    assert_eq!(answer.status, 404, "{request}: {}", answer.text);
                    ann.is_not_in(&answer);
                }
                About::NoForm => assert_eq!(answer.status, 415, "{request}: {}", answer.text),
                About::Malformed => assert_eq!(answer.status, 400, "{request}: {}", answer.text),
                About::Unconfirmed => assert_eq!(answer.status, 422, "{request}: {}", answer.text),
                About::Admin => {
                    assert_eq!(answer.status, 200, "{request}: {}", answer.text);
                    let text = answer.text.replace("ann@quokka.example", "");
                    assert!(!text.contains(MARK), "{request}: {text}");
                }
            }
        }
    }
    let users = app.admin().get("/api/admin/usage").await.ok();
    let row = users["rows"].as_array().unwrap().iter().find(|row| row["name"] == "ann").unwrap();
    assert_eq!(row["runs"], 3, "the figures of what is paid are there");
    assert_eq!(digests(&app, "ann").await, before);
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn a_token_reaches_no_further_than_its_user_and_its_permissions() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let new = json!({"name": "reader", "permissions": ["read"]});
    // Of an administrator, and for reading only: neither admin nor writer.
    let token = app.admin().post("/api/tokens", new).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let reader = app.user("").without_identity().with("authorization", &bearer);
    let before = (digests(&app, "ann").await, digests(&app, "root").await);
    for (probe, answers) in ask_everything(&reader, &ann).await {
        for (request, answer) in answers {
            let in_person =
                ["/api/tokens", "/api/webhooks", "/api/push"].iter().any(|it| probe.path.starts_with(it));
            let expected = match (probe.about, probe.method) {
                (About::Admin | About::Access | About::Unconfirmed, _) => 403,
                // What its tools may not do, they say themselves.
                _ if probe.path == "/mcp" => 200,
                (_, method) if method != "GET" || in_person => 403,
                (About::Own, _) => 200,
                (
                    About::Conversation
                    | About::Run
                    | About::Token
                    | About::Folder
                    | About::Preset
                    | About::Entry
                    | About::Bench
                    | About::Cached
                    | About::File
                    | About::Webhook
                    | About::Schedule
                    | About::Device
                    | About::Link
                    | About::Withdrawn
                    | About::Project
                    | About::Response
                    | About::Malformed
                    | About::NoForm,
                    _,
                ) => 404,
            };
            assert_eq!(answer.status, expected, "{request}: {}", answer.text);
            ann.is_not_in(&answer);
        }
    }
    let (ann_after, mut root_after) = (digests(&app, "ann").await, digests(&app, "root").await);
    // That they were here is noted, and that a copy was taken.
    for table in ["users", "audit_log"] {
        root_after.insert(table.into(), before.1[table].clone());
    }
    assert_eq!((ann_after, root_after), before);
    ann.ends_well(&app).await;
    app.close().await;
}

#[tokio::test]
async fn who_is_blocked_is_refused_wherever_they_ask() {
    let app = TestApp::with(PUSH).await;
    let ann = Ann::settle(&app).await;
    let (root, boss) = (app.admin(), app.user("boss").with("remote-groups", "admins"));
    let token = app.user("bob").post("/api/tokens", json!({"name": "of Bob's"})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    boss.get("/api/user").await.ok();
    for name in ["bob", "boss"] {
        root.post("/api/admin/blocks", json!({"user": name, "reason": "A case"})).await.ok();
    }
    let before = (digests(&app, "ann").await, digests(&app, "bob").await, digests(&app, "boss").await);
    let calls = app.models.records().len();
    let mut let_in = Vec::new();
    for (who, user) in [
        ("a user", app.user("bob")),
        ("a token", app.user("").without_identity().with("authorization", &bearer)),
        ("an administrator", boss),
    ] {
        for (probe, answers) in ask_everything(&user, &ann).await {
            for (request, answer) in answers {
                // What needs nothing of anybody's is answered before anything is looked up.
                let is_nobodys = who == "a user"
                    && (matches!(answer.status, 400 | 404 | 415 | 422 | 403)
                        || ["/api/models", "/api/settings/regions", "/api/version"].contains(&probe.path));
                let is_told = answer.text.contains("has blocked you")
                    // Its tools say themselves what they do not do.
                    && (answer.status == 403 || (who == "a user" && probe.path == "/mcp"));
                if !is_told && !is_nobodys {
                    let_in.push(format!("{who}: {request}: {} {}", answer.status, answer.text));
                }
                ann.is_not_in(&answer);
            }
        }
    }
    assert!(let_in.is_empty(), "{}", let_in.join("\n"));
    let (ann_after, mut bob_after, boss_after) =
        (digests(&app, "ann").await, digests(&app, "bob").await, digests(&app, "boss").await);
    bob_after.insert("tokens".into(), before.1["tokens"].clone());
    assert_eq!((ann_after, bob_after, boss_after), before);
    assert_eq!(app.models.records().len(), calls, "no model was asked");
    ann.ends_well(&app).await;
    app.close().await;
}
