//! The table of probes: every route, and how to ask it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::MARK;
use crate::support::device::Device;

/// What a route is about, which decides how another user is answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum About {
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
    /// A link that is not for everybody: one for the members of her project, and one that she has withdrawn.
    Closed,
    /// A project of hers, with a conversation and a file in it.
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

/// How a route is asked.
pub struct Probe {
    pub method: &'static str,
    pub path: &'static str,
    pub about: About,
    /// Queries to ask it with.
    pub queries: &'static [&'static str],
    /// A body that it takes.
    pub body: Option<Value>,
}

/// How each route is asked.
pub fn probes() -> Vec<Probe> {
    use About::{
        Access, Admin, Bench, Cached, Closed, Conversation, Entry, File, Folder, Link, Malformed, NoForm,
        Own, Preset, Project, Response, Run, Schedule, Token, Unconfirmed, Webhook,
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
        entry("GET", "/api/conversations/{id}", Conversation, &["", "all=true", "whole=1"], None),
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
        entry("GET", "/api/conversations/{id}/project", Conversation, &[""], None),
        entry("GET", "/api/conversations/{id}/export", Conversation, &["", "format=json", "all=true"], None),
        entry("GET", "/api/folders", Own, &["", "limit=1"], None),
        entry("POST", "/api/folders", Own, &[""], Some(json!({"name": "Bob's"}))),
        entry("PATCH", "/api/folders/{id}", Folder, &[""], Some(json!({"name": "Bob's own"}))),
        entry("DELETE", "/api/folders/{id}", Folder, &[""], None),
        entry("GET", "/api/tags", Own, &["", "limit=1"], None),
        entry("GET", "/api/search", Own, &["q=quokka", "q=scripted", "q=why"], None),
        entry("POST", "/api/conversations/{id}/message", Conversation, &[""], ask()),
        entry("POST", "/api/conversations/{id}/message/stream", Conversation, &[""], ask()),
        entry("POST", "/api/conversations/{id}/message/estimate", Conversation, &[""], ask()),
        entry("POST", "/api/estimate", Own, &[""], ask()),
        entry("POST", "/api/conversations/{id}/message/cancel", Conversation, &[""], None),
        entry("POST", "/api/conversations/{id}/shares", Conversation, &[""], Some(json!({}))),
        entry("GET", "/api/shares", Own, &["", "limit=1"], None),
        entry("GET", "/api/shares/{id}", Closed, &[""], None),
        entry("DELETE", "/api/shares/{id}", Link, &[""], None),
        entry("POST", "/api/shares/{id}/copy", Closed, &[""], None),
        entry("GET", "/api/projects", Own, &["", "limit=1"], None),
        entry("POST", "/api/projects", Own, &[""], Some(json!({"name": "Bob's"}))),
        entry("GET", "/api/projects/{id}", Project, &[""], None),
        entry("PATCH", "/api/projects/{id}", Project, &[""], Some(json!({"name": "Bob's"}))),
        entry("DELETE", "/api/projects/{id}", Project, &[""], None),
        entry("PUT", "/api/projects/{id}/members", Project, &[""], Some(bob(Some("owner")))),
        entry("DELETE", "/api/projects/{id}/members", Project, &[""], Some(bob(None))),
        entry("POST", "/api/projects/{id}/leave", Project, &[""], None),
        entry("GET", "/api/projects/{id}/files", Project, &[""], None),
        entry("POST", "/api/projects/{id}/files", Project, &[""], Some(json!({}))),
        entry("GET", "/api/projects/{id}/files/{file}/content", Project, &[""], None),
        entry("DELETE", "/api/projects/{id}/files/{file}", Project, &[""], None),
        entry("GET", "/api/projects/{id}/conversations", Project, &["", "limit=1"], None),
        entry("GET", "/api/projects/{id}/conversations/{conversation}", Project, &[""], None),
        entry("DELETE", "/api/projects/{id}/conversations/{conversation}", Project, &[""], None),
        entry("POST", "/api/projects/{id}/conversations/{conversation}/copy", Project, &[""], None),
        entry("GET", "/api/schedules", Own, &["", "limit=1"], None),
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
        entry("POST", "/api/runs/{id}/retry-member", Run, &[""], Some(json!({"member": "m/one"}))),
        entry("POST", "/api/runs/{id}/skip", Run, &[""], Some(json!({"member": "m/one"}))),
        entry("POST", "/api/runs/{id}/corrections", Run, &[""], Some(json!({"content": "In Spain."}))),
        entry("POST", "/api/runs/{id}/cache", Run, &[""], Some(json!({"take": true}))),
        entry("GET", "/api/cache/config", Own, &[""], None),
        entry("GET", "/api/embeddings/config", Own, &[""], None),
        entry("GET", "/api/cache/stats", Own, &[""], None),
        entry("GET", "/api/cache/info", Own, &[""], None),
        entry("GET", "/api/cache/entries", Own, &["", "limit=1", "q=quokka"], None),
        entry("DELETE", "/api/cache/entries/{id}", Cached, &[""], None),
        entry("DELETE", "/api/cache/{id}", Cached, &[""], None),
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
        entry("GET", "/api/bench", Own, &["", "limit=1"], None),
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
        entry("GET", "/api/settings/presets", Own, &["", "limit=1"], None),
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
        entry("GET", "/api/tokens", Own, &["", "limit=1"], None),
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
        entry("GET", "/api/admin/blocks", Admin, &["", "limit=1"], None),
        entry("POST", "/api/admin/blocks", Admin, &[""], Some(json!({"user": "carl", "reason": "A case"}))),
        entry("DELETE", "/api/admin/blocks", Admin, &["user=carl"], None),
        entry("GET", "/api/admin/holds", Admin, &["", "limit=1"], None),
        entry("POST", "/api/admin/holds", Admin, &[""], Some(json!({"user": "bob", "reason": "A case"}))),
        entry("DELETE", "/api/admin/holds", Admin, &["user=bob"], None),
        entry("GET", "/api/admin/access-requests", Admin, &["", "limit=1"], None),
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
pub fn device_of(name: &str) -> Value {
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
