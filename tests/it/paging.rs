//! Lists come in pages: `limit` and `offset` in the query, and how many there are in all.

use serde_json::{Value, json};

use crate::attachments::files::taken;
use crate::schedules::schedule;
use crate::support::app::{Answer, TestApp, User};

/// Where a list says how many there are in all.
#[derive(Clone, Copy, PartialEq)]
enum Total {
    /// In `X-Total-Count`, as the list is a plain array.
    Header,
    /// In the field `total`.
    Body,
    /// A page that is not full is the last.
    Nowhere,
}

/// A list of at least three items.
struct List {
    path: String,
    /// The field that has it; empty for a plain array.
    field: &'static str,
    /// The field that tells its items apart; empty where they are texts.
    key: &'static str,
    total: Total,
}

impl List {
    fn items(&self, answer: &Answer) -> Vec<Value> {
        let body = answer.ok();
        let list = if self.field.is_empty() { &body } else { &body[self.field] };
        let name = |item: &Value| item.get(self.key).unwrap_or(item).clone();
        list.as_array().unwrap_or_else(|| panic!("{}: {body}", self.path)).iter().map(name).collect()
    }

    fn total(&self, answer: &Answer) -> Option<usize> {
        match self.total {
            Total::Header => answer.header("x-total-count").parse().ok(),
            Total::Body => answer.ok()["total"].as_u64().map(|total| total as usize),
            Total::Nowhere => None,
        }
    }

    /// Reads it whole, page by page, past its end, and with wrong pages.
    async fn walk(&self, user: &User<'_>) {
        let Self { path, .. } = self;
        let mark = if path.contains('?') { '&' } else { '?' };
        let read = async |query: &str| user.get(&format!("{path}{mark}{query}")).await;
        let all = self.items(&user.get(path).await);
        assert!(all.len() >= 3, "{path}: {all:?}");
        let total = (self.total != Total::Nowhere).then_some(all.len());
        for (query, expected) in [
            ("limit=2", &all[..2]),
            ("limit=2&offset=2", &all[2..all.len().min(4)]),
            ("limit=0", &all[..1]),
            ("limit=4294967295", &all[..]),
            ("offset=4294967295", &all[..0]),
        ] {
            let page = read(query).await;
            assert_eq!((self.items(&page), self.total(&page)), (expected.to_vec(), total), "{path}: {query}");
        }
        if self.total == Total::Header {
            let link = read("limit=2").await.header("link").to_owned();
            let next = link.strip_prefix('<').and_then(|rest| rest.split_once(">; rel=\"next\""));
            let next = next.unwrap_or_else(|| panic!("{path}: {link}")).0;
            assert_eq!(self.items(&user.get(next).await), &all[2..all.len().min(4)], "{next}");
        }
        for (query, field) in [("limit=x", "limit"), ("limit=-1", "limit"), ("offset=-1", "offset")] {
            assert_eq!(read(query).await.wrong_fields(), [field], "{path}: {query}");
        }
    }
}

fn id(made: &Value) -> String {
    made["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// Three of everything that people have in lists. Gives the ids of a project with three conversations in it, a webhook with
/// three deliveries, and a schedule with three results.
async fn of_ann(app: &TestApp) -> [String; 3] {
    let ann = app.user("ann");
    let (mut conversations, mut projects, mut schedules) = (Vec::new(), Vec::new(), Vec::new());
    for n in 1..=3 {
        let name = format!("Herons {n}");
        let conversation = ann.conversation().await;
        let question = json!({"content": format!("Where do herons stand, {n}?")});
        ann.post(&format!("/api/conversations/{conversation}/message"), question).await.ok();
        ann.post("/api/folders", json!({"name": name})).await.ok();
        ann.post("/api/settings/presets", json!({"name": name})).await.ok();
        ann.post("/api/tokens", json!({"name": name})).await.ok();
        ann.post("/api/library", json!({"kind": "prompt", "name": name, "text": "Why?"})).await.ok();
        projects.push(id(&ann.post("/api/projects", json!({"name": name})).await.ok()));
        schedules.push(schedule(&ann, json!({"name": name, "cron": "@yearly"})).await);
        taken(&ann, &format!("{n}.txt"), name.as_bytes()).await;
        conversations.push(conversation);
    }
    for conversation in &conversations {
        let path = format!("/api/conversations/{conversation}");
        ann.send("PATCH", &path, Some(&json!({"project_id": projects[0]}))).await.ok();
        let shared = ann.post(&format!("{path}/shares"), json!({})).await;
        assert_eq!(shared.status, 201, "{}", shared.text);
    }
    let tags = format!("/api/conversations/{}/tags", conversations[0]);
    ann.put(&tags, json!({"tags": ["herons", "rivers", "storks"]})).await.ok();
    let webhook = id(&ann.post("/api/webhooks", json!({"url": "https://hooks.example.com/ann"})).await.ok());
    ann.post(&format!("/api/webhooks/{webhook}/test"), json!({})).await.ok();
    // All at once, so that only their ids can tell which comes first.
    let at_once = "INSERT INTO webhook_deliveries (id, webhook_id, user_id, event)
                   SELECT gen_random_uuid(), webhook_id, user_id, event FROM webhook_deliveries, generate_series(1, 2);
                   INSERT INTO benches (id, user_id, name, status, suite, questions, question_count, variant_count, digest, max_cost_usd)
                   SELECT gen_random_uuid(), 'ann', 'Bench ' || n, 'stopped', '{}', '[]', 1, 1, '', 1 FROM generate_series(1, 3) n;
                   INSERT INTO schedule_results (id, schedule_id, user_id, due_at, refusal)
                   SELECT gen_random_uuid(), id, user_id, now() + n * interval '1 hour', 'No.' FROM schedules, generate_series(1, 3) n";
    sqlx::raw_sql(at_once).execute(&mut app.db.superuser().await).await.unwrap();
    [projects.swap_remove(0), webhook, schedules.swap_remove(0)]
}

#[tokio::test]
async fn what_is_ones_own_is_listed_page_by_page() {
    let app = TestApp::start().await;
    let [project, webhook, schedule] = of_ann(&app).await;
    let list = |path: &str, field, key, total| List { path: format!("/api/{path}"), field, key, total };
    let lists = [
        list("conversations", "", "id", Total::Header),
        list("search?q=herons", "", "conversation_id", Total::Header),
        list("tokens", "", "id", Total::Header),
        list("folders", "folders", "id", Total::Body),
        list("settings/presets", "presets", "id", Total::Body),
        list("projects", "projects", "id", Total::Body),
        list(&format!("projects/{project}/conversations"), "conversations", "id", Total::Body),
        list("schedules", "schedules", "id", Total::Body),
        list(&format!("schedules/{schedule}/results"), "results", "id", Total::Nowhere),
        list("tags", "tags", "", Total::Body),
        list("bench", "benches", "id", Total::Body),
        list("library", "entries", "id", Total::Body),
        list("attachments", "attachments", "id", Total::Body),
        list("shares", "shares", "id", Total::Body),
        list("analytics/recent", "queries", "run_id", Total::Body),
        list(&format!("webhooks/{webhook}/deliveries"), "deliveries", "id", Total::Body),
    ];
    for list in &lists {
        list.walk(&app.user("ann")).await;
    }
    app.close().await;
}

#[tokio::test]
async fn what_administrators_see_is_listed_page_by_page() {
    let app = TestApp::start().await;
    of_ann(&app).await;
    let root = app.admin();
    let mut budgets = Vec::new();
    for user in ["ann", "bob", "carl"] {
        app.user(user).get("/api/user").await.ok();
        let case = json!({"user": user, "reason": "Case 12", "hours": 1});
        root.post("/api/admin/holds", case.clone()).await.ok();
        root.post("/api/admin/access-requests", case).await.ok();
        budgets.push(json!({"scope": "user", "name": user, "period": "day", "limit_usd": 100}));
    }
    root.put("/api/admin/budgets", json!({ "budgets": budgets })).await.ok();
    let about_ann =
        root.post("/api/admin/access-requests", json!({"user": "ann", "reason": "Case 13", "hours": 1}));
    let access = id(&about_ann.await.ok());
    let approve = format!("/api/admin/access-requests/{access}/approve");
    app.user("rita").with("remote-groups", "admins").post(&approve, json!({})).await.ok();
    let list = |path: &str, field, key, total| List { path: format!("/api/admin/{path}"), field, key, total };
    let mut lists = vec![
        list("usage?by=model", "rows", "name", Total::Body),
        list("users", "users", "id", Total::Nowhere),
        list("runs", "runs", "id", Total::Nowhere),
        list("budgets", "budgets", "name", Total::Nowhere),
        list("retention/projects", "projects", "project_id", Total::Body),
        list("holds", "holds", "user", Total::Body),
        list("access-requests", "requests", "id", Total::Body),
        list(&format!("access/{access}/conversations"), "conversations", "id", Total::Body),
    ];
    for list in &lists {
        list.walk(&root).await;
    }
    let lines = lists.swap_remove(0).items(&root.get("/api/admin/usage?by=model").await).len();
    let file = root.get("/api/admin/usage?by=model&format=csv&limit=1&offset=1").await;
    assert_eq!(file.text.lines().count(), 1 + lines, "a file has all of it: {}", file.text);

    // Last, because they can do nothing from then on.
    for user in ["ann", "bob", "carl"] {
        root.post("/api/admin/blocks", json!({"user": user, "reason": "Case 12"})).await.ok();
    }
    list("blocks", "blocks", "user", Total::Body).walk(&root).await;
    app.close().await;
}
