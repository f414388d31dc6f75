//! What is not taken, and what is taken and cannot be read: a sentence each time, and never a fault of the server.

use serde_json::json;

use super::files::{
    bomb, content_type, docx, docx_with, encrypted_pdf, form, pdf, send, sentence, taken, upload, zip_of,
};
use crate::input::census;
use crate::support::app::{TestApp, read};
use crate::support::wire::Wire;

#[tokio::test]
async fn a_bad_upload_is_refused_with_a_sentence_and_leaves_nothing() {
    let app = TestApp::with("[attachments]\nmax_bytes = 1000\n").await;
    let ann = app.user("ann");
    let before = census(&app).await;
    for (name, bytes, status, words) in [
        ("a.exe", &b"MZ\0\0"[..], 415, "not of a type"),
        ("a.txt", b"Gr\xfc\xdfe", 415, "UTF-8"),
        ("a.txt", b"\xff\xfeH\0i\0", 415, "UTF-8"),
        ("a.docx", b"PK\x03\x04 and no more", 415, "not of a type"),
        ("a.txt", b"", 422, "is empty"),
        ("a.txt", b" \n", 422, "is empty"),
        ("..", b"text", 422, "not a file name"),
        ("\u{202e}", b"text", 422, "not a file name"),
        ("a.txt", &[b'a'; 1001], 413, "larger than 1000 bytes"),
    ] {
        let detail = sentence(&upload(&ann, name, bytes).await, status);
        assert!(detail.contains(words), "{name}: {detail}");
    }
    let long = "x".repeat(256);
    assert!(sentence(&upload(&ann, &long, b"text").await, 422).contains("255 bytes"));
    let both = upload(&ann, "..", b"").await;
    assert_eq!(both.wrong_fields(), ["file", "filename"], "everything at once");
    assert!(sentence(&upload(&ann, "a.zip", &zip_of(&[("a", b"b")])).await, 415).contains("not of a type"));
    for body in [form(&[]), form(&[("file", None, b"text")]), form(&[("other", Some("a.txt"), b"text")])] {
        assert_eq!(send(&ann, body).await.wrong_fields(), ["file"], "no file");
    }
    let two = form(&[("file", Some("a.txt"), b"text"), ("file", Some("b.txt"), b"text")]);
    assert_eq!(send(&ann, two).await.wrong_fields(), ["file"], "two files");
    let torn = form(&[("file", Some("a.txt"), b"text")]);
    assert_eq!(send(&ann, torn[..torn.len() - 20].to_vec()).await.wrong_fields(), ["body"], "broken off");
    assert_eq!(send(&ann, b"no form".to_vec()).await.status, 422);
    for kind in ["application/json", "text/plain", "multipart/form-data"] {
        let request = ann.request("POST", "/api/attachments").header("content-type", kind).body("{}");
        assert!([415, 422].contains(&read(request).await.status), "{kind}");
    }
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn a_file_is_cut_off_while_it_streams_in() {
    let app = TestApp::start().await;
    let before = census(&app).await;
    // It says what is coming: nothing of it is read.
    let mut wire = Wire::open(&app).await;
    let head = format!(
        "POST /api/attachments HTTP/1.1\r\nhost: {}\r\nremote-user: ann\r\ncontent-type: {}\r\n",
        app.url("").trim_start_matches("http://"),
        content_type()
    );
    wire.send(format!("{head}content-length: 104857600\r\n\r\n")).await;
    let answer = wire.head().await.expect("an answer before the file");
    assert_eq!(answer.status, 413);

    // It says nothing: it is cut at the limit.
    let mut wire = Wire::open(&app).await;
    wire.send(format!("{head}transfer-encoding: chunked\r\n\r\n")).await;
    let begin = b"--the-boundary-of-the-test\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n";
    wire.send(format!("{:x}\r\n", begin.len())).await;
    wire.send(begin).await;
    let piece = vec![b'a'; 1 << 20];
    for _ in 0..11 {
        wire.send(b"\r\n100000\r\n").await;
        wire.send(&piece).await;
    }
    let answer = wire.head().await.expect("an answer before its end");
    assert_eq!(answer.status, 413);
    assert_eq!(wire.json(&answer).await["type"], "urn:llm-council:problem:file-too-large");

    // Whoever leaves in the middle leaves nothing.
    let mut wire = Wire::open(&app).await;
    wire.send(format!("{head}content-length: 1000\r\n\r\n")).await;
    wire.send(begin).await;
    wire.send(b"half of it").await;
    wire.hang_up().await;
    wire.closed().await;
    assert_eq!(census(&app).await, before);
    app.close().await;
}

#[tokio::test]
async fn what_cannot_be_read_is_kept_as_failed_and_says_why() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let many: Vec<&str> = vec!["page"; 10_000];
    let whole = pdf(&["Hello"]);
    // Entities that would double and double again, and one that would fetch: none stands for anything.
    let laughs = "<!DOCTYPE x [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>";
    let id =
        taken(&ann, "entities.docx", &docx_with(laughs, "<w:p><w:r><w:t>safe &b;&f; text</w:t></w:r></w:p>"))
            .await;
    let text: String = sqlx::query_scalar("SELECT text FROM attachments WHERE id = $1")
        .bind(id)
        .fetch_one(&mut app.db.superuser().await)
        .await
        .unwrap();
    assert_eq!(text, "safe  text\n");
    for (name, bytes, kind) in [
        ("bomb.docx", bomb(), "too_large"),
        ("many.pdf", pdf(&many), "too_many_pages"),
        ("locked.pdf", encrypted_pdf(), "encrypted"),
        ("torn.pdf", whole[..whole.len() / 2].to_vec(), "damaged"),
        ("lies.pdf", b"%PDF-1.7\nnothing of the kind".to_vec(), "damaged"),
        ("blank.pdf", pdf(&[""]), "no_text"),
        ("torn.docx", docx("<w:p><w:r></w:p>"), "damaged"),
        ("blank.docx", docx("<w:p/>"), "no_text"),
    ] {
        let answer = upload(&ann, name, &bytes).await.ok();
        assert_eq!(
            (&answer["state"], &answer["problem_kind"], &answer["characters"]),
            (&json!("failed"), &json!(kind), &json!(0)),
            "{name}: {answer}"
        );
        assert!(answer["problem"].as_str().unwrap().ends_with('.'), "{answer}");
        let id = answer["id"].as_str().unwrap();
        let question = json!({"content": "Why?", "attachments": [id], "new_conversation": true});
        let path = format!("/api/conversations/{}/message", uuid::Uuid::new_v4());
        let refused = ann.post(&path, question).await;
        assert_eq!(refused.wrong_fields(), ["attachments.0"]);
        assert!(refused.text.contains(name), "{}", refused.text);
    }
    app.close().await;
}

#[tokio::test]
async fn there_is_room_for_so_much_and_for_nothing_where_they_are_off() {
    let app = TestApp::with("[attachments]\nmax_bytes_per_user = 100\n").await;
    let ann = app.user("ann");
    let id = taken(&ann, "a.txt", &[b'a'; 60]).await;
    let detail = sentence(&upload(&ann, "b.txt", &[b'b'; 60]).await, 413);
    assert!(detail.contains("60 bytes of 100 bytes"), "{detail}");
    taken(&app.user("bob"), "b.txt", &[b'b'; 60]).await;
    ann.send("DELETE", &format!("/api/attachments/{id}"), None).await.ok();
    taken(&ann, "b.txt", &[b'b'; 60]).await;
    app.close().await;

    let app = TestApp::with("[attachments]\nmax_per_question = 0\n").await;
    let ann = app.user("ann");
    assert!(sentence(&upload(&ann, "a.txt", b"text").await, 403).contains("switched"));
    assert!(ann.get("/api/config").await.ok().get("attachments").is_none());
    let id = ann.conversation().await;
    let question = json!({"content": "Why?", "attachments": ["a"]});
    let answer = ann.post(&format!("/api/conversations/{id}/message"), question).await;
    assert_eq!(answer.wrong_fields(), ["attachments"]);
    app.close().await;
}
