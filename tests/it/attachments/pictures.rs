//! Pictures: which are taken, who is shown them and who is told that they are not, and what becomes of them in a run.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::files::{sentence, taken, upload};
use crate::support::app::TestApp;
use crate::support::db::TestDb;
use crate::support::model_server::{AskedFor, Gate, ModelServer, Record, RecordedRequest, Script, text_of};
use crate::support::process::Program;

/// A member and the chairman see; three members do not.
const SEEING: &str = "image_models = [\"m/one\", \"m/ch*\"]\n";
const SEEN: &str = "(This picture is attached to this message.)";
const UNSEEN: &str = "(You cannot see this picture";

/// The beginning of a PNG of this size, and something after it.
pub fn png((width, height): (u32, u32), more: &[u8]) -> Vec<u8> {
    let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &size, b"\x08\x02\0\0\0", more].concat()
}

fn gif((width, height): (u16, u16)) -> Vec<u8> {
    [b"GIF89a".as_slice(), &width.to_le_bytes(), &height.to_le_bytes(), b"\0\0\0;"].concat()
}

/// The addresses of the pictures in a request's last message of the user.
fn shown(request: &RecordedRequest) -> Vec<String> {
    let messages = request.body["messages"].as_array().unwrap();
    let last = messages.iter().rev().find(|message| message["role"] == "user").unwrap();
    let parts = last["content"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["image_url"]["url"].as_str()).map(str::to_owned).collect()
}

fn address(mime: &str, bytes: &[u8]) -> String {
    format!("data:{mime};base64,{}", STANDARD.encode(bytes))
}

async fn ask(app: &TestApp, body: Value) -> (String, Value) {
    let ann = app.user("ann");
    let id = ann.conversation().await;
    let run = ann.post(&format!("/api/conversations/{id}/message"), body).await.ok();
    (id, run)
}

#[tokio::test]
async fn who_sees_is_shown_the_picture_and_who_does_not_is_told() {
    let app = TestApp::with(SEEING).await;
    let ann = app.user("ann");
    let photo = png((400, 300), b"pixels");
    let id = taken(&ann, "photo.png", &photo).await;
    let notes = taken(&ann, "notes.md", b"It was in Lisbon.").await;
    let files = json!([notes, {"id": id, "filename": "square.png"}]);
    let (conversation, run) = ask(&app, json!({"content": "Where is this?", "attachments": files})).await;
    assert_eq!(run["status"], "complete", "{run}");

    let expected = address("image/png", &photo);
    let records = app.models.records();
    let mut kinds = Vec::new();
    for Record { request, .. } in &records {
        let (kind, prompt) = (request.asked_for(), request.prompt());
        if kind == AskedFor::Title {
            assert!(
                !prompt.contains("square.png") && shown(request).is_empty(),
                "a title is of the question"
            );
            continue;
        }
        let sees = matches!(request.model.as_str(), "m/one" | "m/chair");
        let wanted: &[String] = if sees { std::slice::from_ref(&expected) } else { &[] };
        assert_eq!(shown(request), wanted, "{kind:?} {}", request.model);
        assert!(prompt.contains("BEGIN") && prompt.contains("Name: square.png\nEND"), "{prompt}");
        assert!(
            prompt.contains("a picture of 400 × 300 pixels]") && prompt.contains("It was in Lisbon."),
            "{prompt}"
        );
        assert_eq!((prompt.contains(SEEN), prompt.contains(UNSEEN)), (sees, !sees), "{prompt}");
        if !sees {
            let last = &request.body["messages"].as_array().unwrap().last().unwrap()["content"];
            assert!(last.is_string(), "a message without a picture is a text as ever: {last}");
        }
        kinds.push((kind, sees));
    }
    for wanted in [
        (AskedFor::Answer, true),
        (AskedFor::Answer, false),
        (AskedFor::Review, true),
        (AskedFor::Synthesis, true),
    ] {
        assert!(kinds.contains(&wanted), "{wanted:?} in {kinds:?}");
    }

    // What is told and kept of it: who saw it, and nowhere its bytes.
    let stored = ann.get(&format!("/api/conversations/{conversation}")).await.ok();
    let info = json!({"names": ["square.png"], "seen_by": ["m/chair", "m/one"]});
    assert_eq!(stored["messages"][1]["metadata"]["pictures"], info);
    let file = &stored["messages"][0]["attachments"][1];
    assert_eq!(
        (&file["file_type"], &file["width"], &file["height"], &file["characters"]),
        (&json!("png"), &json!(400), &json!(300), &json!(0)),
        "{file}"
    );
    assert!(stored["messages"][0]["attachments"][0].get("width").is_none_or(Value::is_null));
    let run_id = run["run_id"].as_str().unwrap();
    let events = ann.events(run_id, 0).await.rest().await;
    assert_eq!(events[0].json["pictures"], info);
    let markdown = ann.get(&format!("/api/conversations/{conversation}/export")).await.text;
    assert_eq!(markdown.matches("> Did not see square.png.").count(), 6, "{markdown}");
    let encoded = STANDARD.encode(&photo);
    for sql in [
        "SELECT plan::text FROM runs",
        "SELECT string_agg(c::text, '') FROM calls c",
        "SELECT string_agg(e::text, '') FROM run_events e",
    ] {
        let text: String = sqlx::query_scalar(sql).fetch_one(&mut app.db.superuser().await).await.unwrap();
        assert!(!text.contains(&encoded), "{sql}");
    }

    // Asked again it is shown again.
    let before = records.len();
    let again = ann.post(&format!("/api/runs/{run_id}/retry"), json!({"from": "stage3"})).await;
    assert_eq!(again.status, 200, "{}", again.text);
    app.models
        .until(|records| records.iter().skip(before).any(|record| record.request.model == "m/chair"))
        .await;
    let again = &app.models.records()[before..];
    assert!(again.iter().all(|record| shown(&record.request) == [expected.clone()]), "{again:#?}");
    app.app.runs.close();
    app.close().await;
}

#[tokio::test]
async fn every_format_shows_it_wherever_it_has_the_files() {
    let app = TestApp::with("image_models = [\"m/*\"]\n").await;
    let ann = app.user("ann");
    let photo = taken(&ann, "photo.gif", &gif((20, 10))).await;
    let notes = taken(&ann, "notes.md", b"The wombat weighs 26 kilograms.").await;
    ann.put("/api/config", json!({"multi_chairman_models": ["m/one", "m/two"]})).await.ok();
    for body in [
        json!({"mode": "debate"}),
        json!({"mode": "debate", "debate_style": "all_to_all", "use_react": false}),
        json!({"mode": "arena"}),
        json!({"mode": "decomposition"}),
        json!({"use_multi_chairman": true, "use_refinement": true, "use_adversary": true}),
    ] {
        let before = app.models.records().len();
        let mut question = body.clone();
        question["content"] = json!("How heavy is it?");
        question["attachments"] = json!([photo, notes]);
        let (_, run) = ask(&app, question).await;
        assert_eq!(run["status"], "complete", "{body}: {run}");
        let mut with = 0;
        for Record { request, .. } in &app.models.records()[before..] {
            let has_files = request.prompt().contains("26 kilograms");
            assert_eq!(shown(request).len(), usize::from(has_files), "{body}: {}", request.prompt());
            assert!(!request.prompt().contains("[picture 1"), "no place is left: {}", request.prompt());
            with += usize::from(has_files);
        }
        assert!(with > 8, "{body}: only {with}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_question_that_nobody_would_see_is_refused_at_the_door() {
    let app = TestApp::with("image_models = [\"m/chair\"]\n").await;
    let ann = app.user("ann");
    let photo = taken(&ann, "photo.png", &png((1, 1), b"")).await;
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message");
    let question = json!({"content": "What is this?", "attachments": [photo]});
    for path in [path.clone(), format!("{path}/estimate")] {
        let answer = ann.post(&path, question.clone()).await;
        assert_eq!(answer.wrong_fields(), ["attachments"], "{path}");
        assert!(answer.text.contains("nobody who would answer sees pictures: the lists"), "{}", answer.text);
    }
    app.app.models.refresh_models().await;
    let answer = ann.post(&path, question.clone()).await;
    assert!(
        answer.text.contains("put a model into the council") || answer.text.contains("image_models"),
        "{}",
        answer.text
    );
    // With one who sees it is taken; asked alone, only that one counts.
    let with = |more: Value| {
        let mut question = question.clone();
        question.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        question
    };
    let members = json!({"models": ["m/one", "m/chair"]});
    assert_eq!(ann.post(&format!("{path}/estimate"), with(members.clone())).await.status, 200);
    let mut alone = members;
    alone["direct_to"] = json!("m/one");
    assert_eq!(ann.post(&path, with(alone)).await.wrong_fields(), ["attachments"]);
    assert!(app.models.records().is_empty());
    app.close().await;
}

#[tokio::test]
async fn who_sees_is_what_the_providers_list_says() {
    let entry = |id: &str, inputs: &[&str]| {
        json!({"id": id, "name": id, "architecture": {"input_modalities": inputs, "output_modalities": ["text"]},
               "pricing": {"prompt": "0", "completion": "0"}})
    };
    let list = json!([
        entry("a/sees", &["text", "image"]),
        entry("b/blind", &["text"]),
        entry("c/other", &["text", "image"])
    ]);
    let app = TestApp::openrouter(&list).await;
    let ann = app.user("ann");
    let photo = taken(&ann, "photo.png", &png((1, 1), b"")).await;
    let (_, run) = ask(
        &app,
        json!({"content": "What is this?", "attachments": [photo], "models": ["a/sees", "b/blind"], "chairman_model": "b/blind"}),
    )
    .await;
    assert_eq!(run["status"], "complete", "{run}");
    for Record { request, .. } in app.models.records() {
        let answers = request.asked_for() == AskedFor::Answer;
        assert!(
            !answers || shown(&request).len() == usize::from(request.model == "a/sees"),
            "{}",
            request.model
        );
    }
    let id = ann.conversation().await;
    let blind = json!({"content": "What?", "attachments": [photo], "models": ["b/blind", "b/blind:free"]});
    let answer = ann.post(&format!("/api/conversations/{id}/message"), blind).await;
    assert!(sentence(&answer, 422).contains("attachments"), "{}", answer.text);
    assert!(answer.text.contains("a/sees, c/other"), "those that do are named: {}", answer.text);
    let models = ann.get("/api/models").await.ok();
    let seeing: Vec<&str> = models["models"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|model| model["images"] == true)
        .map(|model| model["id"].as_str().unwrap())
        .collect();
    assert_eq!(seeing, ["a/sees", "c/other"]);
    app.close().await;
}

#[tokio::test]
async fn pictures_are_taken_by_what_they_are_and_handed_out_inert() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let polyglot = png((8, 8), b"<!doctype html><script>alert(1)</script>");
    let webp = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x8f\x01\0\x2b\x01\0".to_vec();
    let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\x01\x2c\x01\x90\x01\x01\x11\0".to_vec();
    for (name, bytes, kind, size) in [
        ("page.html", polyglot, "png", (8, 8)),
        ("a.gif", gif((3, 4)), "gif", (3, 4)),
        ("b.webp", webp, "webp", (400, 300)),
        ("c.png", jpeg, "jpeg", (400, 300)),
    ] {
        let answer = upload(&ann, name, &bytes).await.ok();
        let expected = json!({"file_type": kind, "mime_type": format!("image/{kind}"), "state": "ready", "characters": 0,
                              "width": size.0, "height": size.1});
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&answer[field], value, "{name}: {answer}");
        }
        let path = format!("/api/attachments/{}/content", answer["id"].as_str().unwrap());
        let given = ann.request("GET", &path).send().await.unwrap();
        let header = |name: &str| given.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), format!("image/{kind}"));
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("content-security-policy"), "sandbox; default-src 'none'");
        assert!(header("content-disposition").starts_with("attachment; filename="));
        assert_eq!(given.bytes().await.unwrap(), bytes, "byte for byte");
    }
    let limits = ann.get("/api/config").await.ok()["attachments"].clone();
    assert_eq!(
        (&limits["max_image_bytes"], &limits["max_images_per_question"]),
        (&json!(3_670_016), &json!(5))
    );
    app.close().await;
}

#[tokio::test]
async fn what_is_no_picture_or_too_large_is_refused_with_a_sentence() {
    let app = TestApp::with("image_models = [\"m/*\"]\n[attachments]\nmax_image_bytes = 1000\n").await;
    let ann = app.user("ann");
    for (bytes, status, words) in [
        (b"\x89PNG\r\n\x1a\nrest".to_vec(), 415, "damaged or not one"),
        (b"\xff\xd8\xff\xe0rest".to_vec(), 415, "damaged or not one"),
        (png((8_001, 5), b""), 415, "8001 × 5 pixels large; a side may have 8000 at most"),
        (png((5, 5), &[0; 1000]), 413, "picture is larger than 1000 bytes"),
    ] {
        let detail = sentence(&upload(&ann, "a.png", &bytes).await, status);
        assert!(detail.contains(words), "{detail}");
    }
    taken(&ann, "long.txt", &[b'a'; 2000]).await;

    let mut six = Vec::new();
    for number in 0..6 {
        six.push(taken(&ann, &format!("{number}.png"), &png((1, 1), &[number])).await);
    }
    let id = ann.conversation().await;
    let ask = async |files: Value| {
        ann.post(
            &format!("/api/conversations/{id}/message/estimate"),
            json!({"content": "?", "attachments": files}),
        )
        .await
    };
    let mut all = json!(six);
    assert_eq!(ask(all.clone()).await.wrong_fields(), ["attachments"]);
    all[1] = json!("x");
    all.as_array_mut().unwrap().push(json!(taken(&ann, "7.png", &png((1, 1), b"7")).await));
    let answer = ask(all).await;
    assert_eq!(answer.wrong_fields(), ["attachments.1", "attachments"], "everything at once");
    assert!(answer.text.contains("has 6 pictures; at most 5"), "{}", answer.text);
    assert_eq!(ask(json!(six[..5])).await.status, 200);
    app.close().await;

    let app = TestApp::with("[attachments]\nmax_image_bytes = 0\n").await;
    let detail = sentence(&upload(&app.user("ann"), "a.png", &png((1, 1), b"")).await, 415);
    assert!(detail.contains("takes none"), "{detail}");
    app.close().await;
}

#[tokio::test]
async fn a_picture_counts_in_the_estimate_of_those_who_see_it() {
    let app = TestApp::with(SEEING).await;
    let ann = app.user("ann");
    let photo = taken(&ann, "photo.png", &png((900, 1_000), b"")).await;
    let id = ann.conversation().await;
    let path = format!("/api/conversations/{id}/message/estimate");
    let with = ann.post(&path, json!({"content": "Why?", "attachments": [photo]})).await.ok();
    let without = ann.post(&path, json!({"content": "Why?"})).await.ok();
    let more = |stage: &str| {
        let tokens = |estimate: &Value| estimate["by_stage"][stage]["prompt_tokens"].as_u64().unwrap();
        tokens(&with) - tokens(&without)
    };
    // 900 × 1,000 / 750 for the one member and the chairman who see, and fences for everybody.
    assert!((1_200..1_400).contains(&more("stage1")), "{}", more("stage1"));
    assert!((1_200..1_400).contains(&more("stage3")), "{}", more("stage3"));
    assert_eq!(more("title"), 0);
    app.close().await;
}

#[tokio::test]
async fn an_earlier_answer_counts_for_the_same_picture_alone() {
    let app = TestApp::with(SEEING).await;
    let ann = app.user("ann");
    let one = taken(&ann, "one.png", &png((1, 1), b"one")).await;
    let two = taken(&ann, "one.png", &png((1, 1), b"two")).await;
    for (file, asked) in [(&one, 4), (&two, 4), (&one, 0)] {
        let before = app.models.records().len();
        let question = json!({"content": "What is it?", "use_cache": true, "cache_mode": "exact", "attachments": [file]});
        ask(&app, question).await;
        let records = app.models.records().split_off(before);
        let answers = records.iter().filter(|record| record.request.asked_for() == AskedFor::Answer).count();
        assert_eq!(answers, asked);
    }
    app.close().await;
}

#[tokio::test]
async fn a_run_whose_picture_is_gone_fails_and_says_so() {
    let app = TestApp::with(SEEING).await;
    let ann = app.user("ann");
    let photo = taken(&ann, "photo.png", &png((1, 1), b"")).await;
    let (id, run) = ask(&app, json!({"content": "What is it?", "attachments": [photo]})).await;
    let before = app.models.records().len();
    let mut database = app.db.superuser().await;
    sqlx::raw_sql("DELETE FROM message_attachments; DELETE FROM attachments")
        .execute(&mut database)
        .await
        .unwrap();
    let again = ann
        .post(&format!("/api/runs/{}/retry", run["run_id"].as_str().unwrap()), json!({"from": "stage1"}))
        .await;
    assert_eq!(again.status, 200, "{}", again.text);
    let run = again.json()["run_id"].as_str().unwrap().to_owned();
    let last = ann.events(&run, 0).await.rest().await.pop().unwrap();
    assert_eq!((last.kind(), &last.json["error_kind"]), ("error", &json!("picture_gone")));
    assert!(last.json["message"].as_str().unwrap().contains("photo.png is no longer there"), "{}", last.json);
    assert_eq!(app.models.records().len(), before, "nobody was asked");
    let stored = ann.get(&format!("/api/conversations/{id}")).await.ok();
    assert_eq!(stored["messages"][1]["status"], "failed");
    app.close().await;
}

#[tokio::test]
async fn a_run_that_another_server_takes_over_shows_it_again() {
    let (db, models) = (TestDb::new().await, ModelServer::start().await);
    let gate = Gate::new();
    let held = gate.clone();
    models.rule(move |request| {
        let waits = request.model == "m/one" && request.asked_for() == AskedFor::Answer;
        waits.then(|| Script::answer("Well, ").hold(&held).text("yes."))
    });
    let program = Program::council(&db, &models)
        .set("providers.scripted.image_models", "m/one, m/chair")
        .set("server.heartbeat_seconds", "1")
        .set("runs.lease_seconds", "1");
    let first = program.serve().await;
    let photo = png((40, 30), b"pixels");
    let id = {
        let ann = first.user("ann");
        let file = taken(&ann, "photo.png", &photo).await;
        let id = ann.conversation().await;
        let mut stream = ann.ask(&id, json!({"content": "What is it?", "attachments": [file]})).await;
        stream.until("stage1_token").await;
        id
    };
    let asked = |records: &[Record]| records.iter().filter(|record| record.request.model == "m/one").count();
    models.until(|records| asked(records) == 1).await;
    first.kill();
    let second = program.serve().await;
    models.until(|records| asked(records) == 2).await;
    gate.open();
    models.until(|records| records.iter().any(|record| record.request.model == "m/chair")).await;
    let expected = [address("image/png", &photo)];
    for Record { request, .. } in models.records() {
        let sees = matches!(request.model.as_str(), "m/one" | "m/chair");
        assert!(!sees || shown(&request) == expected, "{:?} {}", request.asked_for(), request.model);
        assert!(sees || shown(&request).is_empty());
    }
    let ann = second.user("ann");
    let run = ann.get(&format!("/api/conversations/{id}")).await.ok()["messages"][1]["run_id"].clone();
    let last = ann.events(run.as_str().unwrap(), 0).await.rest().await.pop().unwrap();
    assert_eq!(last.kind(), "complete");
    assert!(!second.log().contains(&STANDARD.encode(&photo)), "no log has the picture");
}

#[tokio::test]
async fn they_are_in_the_copy_and_go_with_the_erasure() {
    let app = TestApp::with(SEEING).await;
    let ann = app.user("ann");
    let photo = png((1, 1), b"pixels");
    let id = taken(&ann, "photo.png", &photo).await;
    ask(&app, json!({"content": "What is it?", "attachments": [id]})).await;
    let bytes = ann.request("GET", "/api/me/export").send().await.unwrap().bytes().await.unwrap();
    let mut copy = zip::ZipArchive::new(std::io::Cursor::new(bytes.to_vec())).unwrap();
    let name: String = format!("attachments/{}-photo.png", id.chars().take(12).collect::<String>());
    let mut kept = Vec::new();
    std::io::Read::read_to_end(&mut copy.by_name(&name).unwrap(), &mut kept).unwrap();
    assert_eq!(kept, photo);
    let mut list = String::new();
    std::io::Read::read_to_string(&mut copy.by_name("attachments.json").unwrap(), &mut list).unwrap();
    let list: Value = serde_json::from_str(&list).unwrap();
    assert_eq!((&list[0]["width"], &list[0]["file_type"]), (&json!(1), &json!("png")));
    assert_eq!(ann.send("DELETE", "/api/me", Some(&json!({"confirm": "ann"}))).await.status, 200);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM attachments")
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(left, 0);
    app.close().await;
}

#[tokio::test]
async fn administrators_word_the_two_lines_themselves() {
    let toml = format!("{SEEING}[prompts]\npicture_unseen = \"(Nothing to see for you.)\"\n");
    let app = TestApp::with(&toml).await;
    let photo = taken(&app.user("ann"), "photo.png", &png((1, 1), b"")).await;
    ask(&app, json!({"content": "What is it?", "attachments": [photo]})).await;
    let told = app
        .models
        .records()
        .iter()
        .filter(|record| record.request.prompt().contains("(Nothing to see for you.)"))
        .count();
    assert!(told >= 3, "{told}");
    let first = &app.models.records()[0].request.body["messages"];
    assert!(!text_of(&first.as_array().unwrap().last().unwrap()["content"]).is_empty());
    app.close().await;
}
