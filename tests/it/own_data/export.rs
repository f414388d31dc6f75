//! Everything that is stored of one person, as one ZIP file.

use std::collections::BTreeSet;
use std::io::{Cursor, Read as _};

use serde_json::{Value, json};
use sqlx::Row as _;

use super::{MARK, act, all_write_the_mark, count, settle};
use crate::support::app::{TestApp, User};
use crate::support::device::PUSH;

use llm_council::store::export::{LEFT_OUT, LISTINGS};

/// The files of a copy.
struct Copy(zip::ZipArchive<Cursor<Vec<u8>>>);

impl Copy {
    async fn of(user: &User<'_>) -> Self {
        let response = user.request("GET", "/api/me/export").send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/zip");
        let disposition = response.headers()["content-disposition"].to_str().unwrap();
        assert!(disposition.starts_with("attachment; filename=\"llm-council-"), "{disposition}");
        Self::read(response.bytes().await.unwrap().to_vec())
    }

    fn read(bytes: Vec<u8>) -> Self {
        Self(zip::ZipArchive::new(Cursor::new(bytes)).expect("a whole ZIP file"))
    }

    fn text(&mut self, name: &str) -> String {
        let mut text = String::new();
        self.0.by_name(name).unwrap_or_else(|_| panic!("no {name}")).read_to_string(&mut text).unwrap();
        text
    }

    fn json(&mut self, name: &str) -> Value {
        let text = self.text(name);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}: {text}"))
    }

    fn names(&self) -> Vec<String> {
        self.0.file_names().map(|name| name.unwrap().into_owned()).collect()
    }

    /// The one file whose name ends so.
    fn named(&self, end: &str) -> String {
        self.names().into_iter().find(|name| name.ends_with(end)).unwrap_or_else(|| panic!("no {end}"))
    }
}

#[tokio::test]
async fn a_copy_has_everything_of_ones_own_and_nothing_of_anybody_elses() {
    let app = TestApp::with(PUSH).await;
    app.user("bob").conversation().await;
    app.user("bob").put("/api/config", json!({"chairman_alias": "Bob's secret chair"})).await.ok();
    all_write_the_mark(&app);
    let (id, run) = settle(&app, "ann").await;
    let ann = app.user("ann");
    ann.send("PATCH", &format!("/api/conversations/{id}"), Some(&json!({"title": "../Über alles: 1/2"})))
        .await
        .ok();
    let deleted = ann.conversation().await;
    ann.send("DELETE", &format!("/api/conversations/{deleted}"), None).await.ok();

    let mut copy = Copy::of(&ann).await;
    let (markdown, detail) = (copy.named(&format!("{id}.md")), copy.named(&format!("{id}.json")));
    assert!(markdown.starts_with("conversations/20") && markdown.contains("-über-alles-1-2-"), "{markdown}");
    let exported = ann.get(&format!("/api/conversations/{id}/export")).await;
    assert_eq!(copy.text(&markdown), exported.text, "the same as its own export");
    let shown = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(copy.json(&detail), shown, "the same as in the app");
    let gone = copy.json(&copy.named(&format!("{deleted}.json")));
    assert!(gone["deleted_at"].is_string(), "{gone}");
    assert!(copy.text(&copy.named(&format!("{deleted}.md"))).contains("_Deleted on "));

    assert_eq!(copy.json("settings.json")[0]["value"]["chairman_alias"], format!("The {MARK}"));
    assert_eq!(copy.json("presets.json")[0]["name"], MARK);
    assert_eq!(copy.json("tokens.json")[0]["name"], MARK);
    assert_eq!(copy.json("webhooks.json")[0]["url"], format!("https://hooks.example.com/{MARK}"));
    assert_eq!(copy.json("scheduled_questions.json")[0]["name"], MARK);
    assert_eq!(copy.json("scheduled_results.json"), json!([]));
    assert_eq!(copy.json("devices.json")[0]["device"], MARK);
    assert_eq!(copy.json("feedback.json")[0]["run_id"], run["run_id"]);
    assert_eq!(copy.json("feedback.json")[0]["comment"], format!("The {MARK} was left out."));
    assert_eq!(copy.json("account.json")[0]["groups"], json!(["staff"]));
    let calls = count(&app, "SELECT count(*) FROM calls WHERE user_id = 'ann'").await;
    assert_eq!(copy.json("usage.json").as_array().unwrap().len() as i64, calls);
    let index = copy.json("index.json");
    assert_eq!(index["format"], 1);
    assert_eq!((&index["counts"]["conversations"], &index["counts"]["messages"]), (&json!(2), &json!(2)));
    assert_eq!((&index["counts"]["usage"], &index["left_out"]), (&json!(calls), &json!([])));
    let readme = copy.text("README.md");
    assert!(readme.starts_with("# Your data"));
    for name in copy.names().into_iter().filter(|name| name != "README.md") {
        let place = name.split_once('/').map_or_else(|| name.clone(), |(folder, _)| format!("{folder}/"));
        assert!(readme.contains(&format!("`{place}`")), "{name} is explained");
    }

    for name in copy.names() {
        let text = copy.text(&name);
        assert!(
            ["Bob", "\"hash\"", "\"secret\"", "a-secret-place"].iter().all(|word| !text.contains(word)),
            "{name}"
        );
    }
    let log = app.admin().get("/api/admin/audit").await.ok();
    assert_eq!(log["entries"][0]["action"], "conversation.export");
    assert_eq!(log["entries"][1]["action"], "user.export");
    app.close().await;
}

#[tokio::test]
async fn a_token_gets_no_list_of_other_ways_in() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    let token = ann.post("/api/tokens", json!({"name": "reader", "permissions": ["read"]})).await.ok();
    let bearer = format!("Bearer {}", token["token"].as_str().unwrap());
    let mut copy = Copy::of(&app.user("").without_identity().with("authorization", &bearer)).await;
    let left_out = ["tokens", "webhooks", "devices"];
    assert!(!copy.names().iter().any(|name| left_out.iter().any(|it| *name == format!("{it}.json"))));
    assert_eq!(copy.json("index.json")["left_out"], json!(left_out));
    app.close().await;
}

#[tokio::test]
async fn a_copy_is_read_from_the_database_as_it_is_taken() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    // Half of it is left after compression: some 3 MB, which no buffer on the way holds.
    act(
        &app,
        &format!(
            "INSERT INTO messages (id, conversation_id, user_id, position, role, content)
             SELECT gen_random_uuid(), '{id}', 'ann', n, 'user',
                    'Message ' || n || '. ' || (SELECT string_agg(md5(random()::text || n || k), '')
                                                FROM generate_series(1, 320) k)
             FROM generate_series(0, 599) n"
        ),
    )
    .await;
    let mut response = ann.request("GET", "/api/me/export").send().await.unwrap();
    let mut bytes = response.chunk().await.unwrap().unwrap().to_vec();
    let open =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start IS NOT NULL
                    AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    // Nobody reads on, so nobody writes on: no transaction is open, once what is under way has ended.
    let mut looks = 0;
    while count(&app, open).await > 0 {
        looks += 1;
        assert!(looks < 200, "a reader who is slow holds a transaction open");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    act(&app, "DELETE FROM messages WHERE position >= 500").await;
    while let Some(piece) = response.chunk().await.unwrap() {
        bytes.extend_from_slice(&piece);
    }
    let mut copy = Copy::read(bytes);
    let text = copy.text(&copy.named(&format!("{id}.md")));
    let last = text.rsplit("Message ").next().and_then(|rest| rest.split_once(|c: char| !c.is_ascii_digit()));
    assert_eq!(last.unwrap().0, "499", "what was deleted before it was read is not there");
    assert_eq!(copy.json(&copy.named(&format!("{id}.json")))["messages"].as_array().unwrap().len(), 500);
    app.close().await;
}

#[tokio::test]
async fn a_conversation_that_is_purged_meanwhile_does_not_break_a_copy_off() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    // In the order in which they are written.
    let mut ids = [ann.conversation().await, ann.conversation().await];
    ids.sort();
    let [first, second] = ids;
    // Some 3 MB after compression, which no buffer on the way holds.
    act(
        &app,
        &format!(
            "INSERT INTO messages (id, conversation_id, user_id, position, role, content)
             SELECT gen_random_uuid(), '{first}', 'ann', n, 'user',
                    (SELECT string_agg(md5(random()::text || n || k), '') FROM generate_series(1, 320) k)
             FROM generate_series(0, 599) n"
        ),
    )
    .await;
    let mut response = ann.request("GET", "/api/me/export").send().await.unwrap();
    let mut bytes = response.chunk().await.unwrap().unwrap().to_vec();
    act(&app, &format!("DELETE FROM conversations WHERE id = '{second}'")).await;
    while let Some(piece) = response.chunk().await.unwrap() {
        bytes.extend_from_slice(&piece);
    }
    let mut copy = Copy::read(bytes);
    copy.named(&format!("{first}.md"));
    assert!(!copy.names().iter().any(|name| name.contains(&second)), "{:?}", copy.names());
    assert_eq!(copy.json("index.json")["counts"]["conversations"], 1);
    app.close().await;
}

#[tokio::test]
async fn a_file_that_is_deleted_meanwhile_takes_no_other_out_of_a_copy() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    ann.get("/api/user").await.ok();
    // More than are looked up at once: those of the first page alone are 5 MB, which no buffer on the way holds.
    act(
        &app,
        "WITH file AS MATERIALIZED (
             SELECT (SELECT decode(string_agg(md5(random()::text || n || k), ''), 'hex')
                     FROM generate_series(1, 3200) k) AS bytes
             FROM generate_series(1, 120) n
         )
         INSERT INTO attachments (user_id, id, filename, file_type, mime_type, size, content, text)
         SELECT 'ann', encode(sha256(bytes), 'hex'), 'noise.txt', 'text', 'text/plain', length(bytes), bytes, '' FROM file",
    )
    .await;
    let mut response = ann.request("GET", "/api/me/export").send().await.unwrap();
    let mut bytes = response.chunk().await.unwrap().unwrap().to_vec();
    act(&app, "DELETE FROM attachments WHERE id = (SELECT min(id) FROM attachments)").await;
    while let Some(piece) = response.chunk().await.unwrap() {
        bytes.extend_from_slice(&piece);
    }
    let copy = Copy::read(bytes);
    let files = copy.names().into_iter().filter(|name| name.starts_with("attachments/")).count();
    assert_eq!(files, 120, "the one that is gone was written before");
    app.close().await;
}

#[tokio::test]
async fn a_download_that_is_cut_leaves_nothing_open() {
    let app = TestApp::with(PUSH).await;
    let ann = app.user("ann");
    let id = ann.conversation().await;
    act(
        &app,
        &format!(
            "INSERT INTO messages (id, conversation_id, user_id, position, role, content)
             SELECT gen_random_uuid(), '{id}', 'ann', n, 'user',
                    (SELECT string_agg(md5(random()::text || n || k), '') FROM generate_series(1, 3200) k)
             FROM generate_series(0, 199) n"
        ),
    )
    .await;
    let mut response = ann.request("GET", "/api/me/export").send().await.unwrap();
    response.chunk().await.unwrap().unwrap();
    drop(response);
    // Nothing of it holds the rows, nor the app: it closes with nothing left behind.
    act(&app, "SET lock_timeout = '20s'; ALTER TABLE messages ADD COLUMN proof integer").await;
    app.close().await;
}

#[tokio::test]
async fn every_table_that_says_whose_a_row_is_is_copied_or_left_out_for_a_reason() {
    let app = TestApp::with(PUSH).await;
    let rows = sqlx::query(
        "SELECT DISTINCT table_name::text AS name FROM information_schema.columns
         JOIN information_schema.tables USING (table_schema, table_name)
         WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND column_name = 'user_id'",
    );
    let rows = rows.fetch_all(&mut app.db.superuser().await).await.unwrap();
    let others =
        ["users", "kept_users", "budgets", "projects", "project_files", "project_members"].map(str::to_owned);
    let there: BTreeSet<String> = rows.iter().map(|row| row.get("name")).chain(others).collect();
    let known = LISTINGS.iter().map(|listing| listing.table).chain(LEFT_OUT.iter().map(|(table, _)| *table));
    let known: BTreeSet<String> = known.map(str::to_owned).collect();
    assert_eq!(there, known, "say in store/export.rs what a copy has of a new table");
    app.close().await;
}
