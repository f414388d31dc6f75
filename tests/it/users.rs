//! Who a user is: the one form of a name, and the names that nobody can have.

use serde_json::json;

use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::ModelServer;
use crate::support::process::Program;

#[tokio::test]
async fn a_name_that_only_looks_like_a_persons_is_refused() {
    let app = TestApp::with("").await;
    let kate = app.user("Kate");
    let id = kate.conversation().await;
    assert_eq!(app.user("kate").get(&format!("/api/conversations/{id}")).await.status, 200);
    for name in [
        "\u{212a}ate",
        "\u{ff2b}ate",
        "kate\u{2800}",
        "\u{1d173}kate",
        "\u{301}",
        "kate, ann",
        "None",
        "anonymous",
        "--",
    ] {
        // As the bytes that a proxy sends.
        let answer = app.user("x").without_identity().with("remote-user", name);
        let answer = answer.get(&format!("/api/conversations/{id}")).await;
        assert_eq!(answer.status, 400, "{name:?}: {}", answer.text);
        assert_eq!(answer.json()["type"], "urn:llm-council:problem:identity-header");
        assert!(answer.text.contains("Remote-User has no usable value"), "{}", answer.text);
    }
    app.close().await;
}

#[tokio::test]
async fn a_group_is_an_admins_only_letter_by_letter() {
    let app = TestApp::start().await;
    let status = async |groups: &str| {
        app.user("ann").with("remote-groups", groups).get("/api/admin/usage").await.status
    };
    for groups in ["admins", "staff,admins", "staff , admins"] {
        assert_eq!(status(groups).await, 200, "{groups:?}");
    }
    for groups in ["staff,\u{a0}admins", "Admins", "staff,admins.", "admin\u{17f}"] {
        assert_eq!(status(groups).await, 403, "{groups:?}");
    }
    assert_eq!(status("staff,admins\u{2003}").await, 400, "nobody's groups");
    app.close().await;
}

#[tokio::test]
async fn nobody_signs_in_as_the_user_of_a_server_without_sign_in() {
    let app = TestApp::start().await;
    for name in ["local", "Local", "LOCAL"] {
        let answer = app.user(name).get("/api/conversations").await;
        assert_eq!(answer.status, 403, "{}", answer.text);
        assert!(answer.text.contains("nobody can sign in as local"), "{}", answer.text);
    }
    // A token that was made before there was a sign-in.
    let token = app.user("ann").post("/api/tokens", json!({"name": "mine"})).await;
    let secret = token.json()["token"].as_str().expect("the secret").to_owned();
    let program = app.user("ann").without_identity().with("authorization", &format!("Bearer {secret}"));
    assert_eq!(program.get("/api/conversations").await.status, 200);
    sqlx::raw_sql("UPDATE tokens SET user_id = 'local'")
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(program.get("/api/conversations").await.status, 401);
    app.close().await;
}

/// Gives a person of this database a name that an earlier version would have taken.
async fn once_called(db: &TestDb, name: &str, earlier: &str) {
    let mut superuser = db.superuser().await;
    for sql in [
        "UPDATE users SET id = $2 WHERE id = $1",
        "UPDATE audit_log SET user_id = $2 WHERE user_id = $1",
        "UPDATE tokens SET user_id = $2 WHERE user_id = $1",
        "UPDATE runs SET user_id = $2 WHERE user_id = $1",
        "UPDATE calls SET user_id = $2 WHERE user_id = $1",
        "UPDATE conversations SET user_id = $2 WHERE user_id = $1",
        "UPDATE messages SET user_id = $2 WHERE user_id = $1",
    ] {
        let mut tx = sqlx::Connection::begin(&mut superuser).await.unwrap();
        sqlx::raw_sql("SET LOCAL session_replication_role = replica").execute(&mut *tx).await.unwrap();
        sqlx::query(sql).bind(name).bind(earlier).execute(&mut *tx).await.unwrap();
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn an_upgrade_that_reads_names_otherwise_stops_until_somebody_has_decided() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let program = Program::council(&db, &models);
    let server = program.serve().await;
    let ann = server.user("m\u{fc}ller");
    let id = ann.conversation().await;
    ann.post(&format!("/api/conversations/{id}/message"), json!({"content": "Why?"})).await.ok();
    ann.post("/api/tokens", json!({"name": "mine"})).await.ok();
    let bob = server.user("bob").conversation().await;
    let list = server.user("carol").conversation().await;
    server.signal("SIGTERM");
    server.ended().await;
    once_called(&db, "m\u{fc}ller", "mu\u{308}ller").await;
    once_called(&db, "carol", "alice, bob").await;

    let check = program.run(&["migrate", "--check"]).await;
    assert_eq!(check.code, Some(1));
    for said in [
        "'mu\\u{308}ller': a sign-in with this name is now the user 'm\\u{fc}ller'",
        "'alice, bob': nobody can sign in with this name now",
    ] {
        assert!(check.stderr.contains(said), "{said}: {}", check.stderr);
    }
    assert!(!check.stderr.contains("'bob'"), "{}", check.stderr);
    for (command, code) in [("serve", 78), ("migrate", 1)] {
        let ended = program.run(&[command]).await;
        assert_eq!(ended.code, Some(code), "{command}: {}", ended.stderr);
        assert!(ended.stderr.contains("migrate --rename OLD NEW"), "{command}: {}", ended.stderr);
    }
    for (wrong, said) in [
        (&["--rename", "mu\\u{308}ller", "bob", "--keep", "alice, bob"][..], "there is already a user 'bob'"),
        (
            &["--rename", "mu\\u{308}ller", "M\u{fc}ller", "--keep", "alice, bob"],
            "is no name that somebody can sign in with",
        ),
        (
            &["--rename", "mu\\u{308}ller", "local", "--keep", "alice, bob"],
            "is no name that somebody can sign in with",
        ),
        (&["--rename", "nobody-here", "dora", "--keep", "alice, bob"], "there is no user 'nobody-here'"),
        (&["--rename", "mu\\u{308}ller", "dora", "--keep", "mu\u{308}ller"], "is decided twice"),
        (&["--keep", "alice, bob"], "nothing was changed"),
    ] {
        let arguments: Vec<&str> = ["migrate"].iter().chain(wrong).copied().collect();
        let ended = program.run(&arguments).await;
        assert_eq!(ended.code, Some(1), "{wrong:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{wrong:?}: {}", ended.stderr);
    }

    let decided = ["migrate", "--rename", "mu\\u{308}ller", "m\\u{fc}ller", "--keep", "alice, bob"];
    let ended = program.run(&decided).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(program.run(&["migrate", "--check"]).await.code, Some(0));
    let server = program.serve().await;
    let ann = server.user("M\u{fc}ller");
    let conversation = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(conversation["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(ann.get("/api/tokens").await.ok().as_array().map(Vec::len), Some(1));
    let run = conversation["messages"][1]["run_id"].as_str().unwrap();
    assert_eq!(ann.get(&format!("/api/runs/{run}")).await.status, 200);
    assert_eq!(server.user("bob").get(&format!("/api/conversations/{bob}")).await.status, 200);
    assert_eq!(server.user("alice, bob").get(&format!("/api/conversations/{list}")).await.status, 400);
    let walls: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relrowsecurity AND NOT relforcerowsecurity
            AND relnamespace = 'public'::regnamespace",
    )
    .fetch_one(&mut db.superuser().await)
    .await
    .unwrap();
    assert_eq!(walls, 0, "row level security binds the owner again");
}

#[tokio::test]
async fn what_was_made_without_sign_in_can_be_given_to_a_person() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let proxy = Program::council(&db, &models);
    let open =
        proxy.clone().without("auth.trusted_proxies").without("auth.admin_groups").set("auth.mode", "none");
    let server = open.serve().await;
    let local = server.user("whoever");
    let id = local.conversation().await;
    let mut projects = Vec::new();
    for name in ["Launch", "Taxes"] {
        let made = local.post("/api/projects", json!({"name": name})).await;
        projects.push(made.json()["id"].as_str().expect("an id").to_owned());
    }
    // Who it is to be was to read one of them.
    let member = json!({"kind": "user", "name": "ann", "role": "viewer"});
    local.put(&format!("/api/projects/{}/members", projects[0]), member).await.ok();
    local.put("/api/admin/retention", json!({"days": 4000})).await.ok();
    server.signal("SIGTERM");
    server.ended().await;
    // Whatever refers to something else of the same person.
    let referring = "
        INSERT INTO folders (id, user_id, name, name_key) VALUES (gen_random_uuid(), 'local', 'Home', 'home');
        UPDATE conversations SET folder_id = (SELECT id FROM folders);
        INSERT INTO messages (id, conversation_id, user_id, position, role, content)
            SELECT gen_random_uuid(), id, user_id, 0, 'user', 'Why?' FROM conversations;
        INSERT INTO attachments (user_id, id, filename, file_type, mime_type, size, content, text)
            VALUES ('local', repeat('a', 64), 'a.txt', 'text', 'text/plain', 1, 'a', 'a');
        INSERT INTO message_attachments (message_id, place, user_id, attachment_id, filename, file_type, mime_type, size,
                                         characters, characters_read)
            SELECT id, 0, user_id, repeat('a', 64), 'a.txt', 'text', 'text/plain', 1, 1, 1 FROM messages;
        INSERT INTO shares (id, user_id, conversation_id, shared_by, title, messages, message_count, expires_at)
            SELECT gen_random_uuid(), user_id, id, 'Ann', 'Why', '[]', 1, now() + interval '1 day' FROM conversations;
        INSERT INTO library_entries (id, user_id, kind, version, is_shared)
            VALUES (gen_random_uuid(), 'local', 'prompt', 1, false);
        INSERT INTO library_versions (entry_id, user_id, version, name, text, is_shared)
            SELECT id, user_id, 1, 'Why', 'Why?', false FROM library_entries;
        INSERT INTO schedules (id, user_id, name, request, cron, time_zone)
            VALUES (gen_random_uuid(), 'local', 'Daily', '{}', '0 8 * * *', 'UTC');
        INSERT INTO schedule_results (id, schedule_id, user_id, refusal)
            SELECT gen_random_uuid(), id, user_id, 'No.' FROM schedules";
    sqlx::raw_sql(referring).execute(&mut db.superuser().await).await.unwrap();
    assert_eq!(proxy.run(&["migrate", "--check"]).await.code, Some(0), "the name is known");
    let ended = proxy.run(&["migrate", "--rename", "local", "ann"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let server = proxy.serve().await;
    let ann = server.user("ann");
    assert_eq!(ann.get(&format!("/api/conversations/{id}")).await.status, 200);
    for project in projects {
        assert_eq!(ann.get(&format!("/api/projects/{project}")).await.ok()["role"], "owner");
    }
    let theirs = "SELECT (SELECT count(*) FROM folders WHERE user_id = 'ann')
                       + (SELECT count(*) FROM message_attachments WHERE user_id = 'ann')
                       + (SELECT count(*) FROM shares WHERE user_id = 'ann')
                       + (SELECT count(*) FROM library_versions WHERE user_id = 'ann')
                       + (SELECT count(*) FROM schedule_results WHERE user_id = 'ann')";
    let theirs = sqlx::query_scalar::<_, i64>(theirs).fetch_one(&mut db.superuser().await).await.unwrap();
    assert_eq!(theirs, 5);
    assert_eq!(server.admin().get("/api/admin/retention").await.ok()["chosen_by"], "ann");
    let log = server.admin().get("/api/admin/audit").await.ok();
    let by: Vec<&str> =
        log["entries"].as_array().unwrap().iter().map(|entry| entry["user"].as_str().unwrap()).collect();
    assert!(!by.is_empty() && !by.contains(&"local"), "{by:?}");
}

#[tokio::test]
async fn what_a_page_asks_for_its_user_is_not_asked_for_the_next_one() {
    let app = TestApp::start().await;
    let ask = async |user: &str, expected: &str| {
        let user = app.user(user).with("x-expected-user", expected);
        user.send("POST", "/api/conversations", Some(&json!({}))).await
    };
    for (user, expected) in [("ann", "ann"), ("Ann", "%61nn"), ("jürgen müller", "j%C3%BCrgen%20m%C3%BCller")]
    {
        assert_eq!(ask(user, expected).await.status, 200, "{user} {expected}");
    }
    for (user, expected) in [("bob", "ann"), ("bob", ""), ("bob", "bobby"), ("bob", "bo%"), ("ann", "Ann")] {
        let refused = ask(user, expected).await;
        assert_eq!(refused.status, 412, "{user} {expected}: {}", refused.text);
        assert_eq!(refused.json()["type"], "urn:llm-council:problem:another-user");
    }
    assert_eq!(app.user("bob").get("/api/conversations").await.json(), json!([]));
    app.close().await;
}
