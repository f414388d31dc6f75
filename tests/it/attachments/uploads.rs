//! What is taken, and how it is handed out.

use serde_json::json;

use super::files::{docx, form, pdf, send, taken, upload, zip_of};
use crate::support::app::TestApp;

#[tokio::test]
async fn text_pdf_and_docx_are_read_as_they_are_uploaded() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let words = docx(
        "<w:p><w:r><w:t>First &amp; best</w:t></w:r><w:r><w:tab/><w:t xml:space=\"preserve\"> Ünï &#233;</w:t></w:r></w:p>\
         <w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>Second</w:t></w:r></w:p>",
    );
    for (name, bytes, kind, mime, text) in [
        (
            "notes.md",
            b"\xef\xbb\xbf# Title\n\nText".to_vec(),
            "text",
            "text/plain; charset=utf-8",
            "# Title\n\nText",
        ),
        ("table.csv", b"a,b\r\n1,2\r\n".to_vec(), "text", "text/plain; charset=utf-8", "a,b\r\n1,2\r\n"),
        ("data.txt", b"{\"a\": 1}".to_vec(), "json", "application/json", "{\"a\": 1}"),
        ("report.pdf", pdf(&["Hello from page one", "And from page two"]), "pdf", "application/pdf", ""),
        // A PDF by its content, whatever it is called, and whatever else it would be.
        (
            "innocent.txt",
            [pdf(&["Two faces"]), zip_of(&[("word/document.xml", b"<x/>")])].concat(),
            "pdf",
            "application/pdf",
            "",
        ),
        (
            "letter.docx",
            words,
            "docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "First & best\t Ünï é\nSecond\n",
        ),
    ] {
        let answer = upload(&ann, name, &bytes).await.ok();
        let id = answer["id"].as_str().unwrap();
        assert_eq!(id.len(), 64);
        assert_eq!(
            (
                &answer["filename"],
                &answer["file_type"],
                &answer["mime_type"],
                &answer["size"],
                &answer["state"]
            ),
            (&json!(name), &json!(kind), &json!(mime), &json!(bytes.len()), &json!("ready")),
            "{answer}"
        );
        assert!(answer["stored_name"].as_str().unwrap().starts_with(id), "{answer}");
        let stored: String = sqlx::query_scalar("SELECT text FROM attachments WHERE id = $1")
            .bind(id)
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
        match name {
            "report.pdf" => assert!(
                stored.contains("Hello from page one") && stored.contains("And from page two"),
                "{stored:?}"
            ),
            "innocent.txt" => assert!(stored.contains("Two faces"), "{stored:?}"),
            _ => assert_eq!(stored, text, "{name}"),
        }
        assert_eq!(answer["characters"], stored.chars().count());
        assert_eq!(ann.get(&format!("/api/attachments/{id}")).await.ok(), answer);
        let given = ann.request("GET", &format!("/api/attachments/{id}/content")).send().await.unwrap();
        assert_eq!(given.headers()["content-type"], mime);
        assert_eq!(given.bytes().await.unwrap(), bytes, "byte for byte");
    }
    let list = ann.get("/api/attachments?limit=2&offset=1").await.ok();
    assert_eq!((&list["total"], list["attachments"].as_array().unwrap().len()), (&json!(6), 2));
    assert_eq!(list["attachments"][0]["filename"], "innocent.txt", "the latest first");
    let limits = ann.get("/api/config").await.ok()["attachments"].clone();
    assert_eq!(limits["max_bytes"], 10 << 20);
    assert_eq!((&limits["max_per_question"], &limits["max_bytes_per_user"]), (&json!(10), &json!(200 << 20)));
    app.close().await;
}

#[tokio::test]
async fn of_a_docx_everything_that_word_shows_is_read_once() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let text_box = "<w:txbxContent><w:p><w:r><w:t>a box</w:t></w:r></w:p></w:txbxContent>";
    let words = docx(&format!(
        "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\" w:pos=\"720\"/></w:tabs></w:pPr>\
         <w:r><w:t>pages 3</w:t><w:noBreakHyphen/><w:t>5</w:t><w:tab></w:tab></w:r></w:p>\
         <w:p><w:r><w:t>Beside</w:t></w:r><w:r><mc:AlternateContent>\
         <mc:Choice Requires=\"wps\"><w:drawing>{text_box}</w:drawing></mc:Choice>\
         <mc:Fallback><w:pict>{text_box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>\
         <w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"w16se\"><w16se:symEx w16se:char=\"1F60A\"/></mc:Choice>\
         <mc:Fallback><w:t>😊</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>\
         <w:p><w:moveFrom w:id=\"1\"><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>\
         <w:p><w:moveTo w:id=\"2\"><w:r><w:t>moved</w:t></w:r></w:moveTo></w:p>"
    ));
    let online: &[u8] = b"<w:document xmlns:w=\"http://w\"><w:body><w:p><w:r><w:t>Online</w:t></w:r></w:p></w:body></w:document>";
    for (name, bytes, text) in [
        ("shown.docx", words, "pages 3-5\t\nBeside\na box\n\n😊\n\nmoved\n"),
        // As Word in a browser calls it.
        ("online.docx", zip_of(&[("word/document2.xml", online)]), "Online\n"),
    ] {
        let id = taken(&ann, name, &bytes).await;
        let stored: String = sqlx::query_scalar("SELECT text FROM attachments WHERE id = $1")
            .bind(id)
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
        assert_eq!(stored, text, "{name}");
    }
    app.close().await;
}

#[tokio::test]
async fn what_could_run_is_handed_out_inert() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    for (name, bytes) in [
        ("picture.svg", &b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>"[..]),
        ("page.html", b"<!doctype html><script>alert(1)</script>"),
    ] {
        let id = taken(&ann, name, bytes).await;
        let given = ann.get(&format!("/api/attachments/{id}/content")).await;
        assert_eq!(given.text.as_bytes(), bytes);
        assert_eq!(given.header("content-type"), "text/plain; charset=utf-8");
        assert_eq!(given.header("x-content-type-options"), "nosniff");
        assert_eq!(given.header("content-security-policy"), "sandbox; default-src 'none'");
        assert!(given.header("content-disposition").starts_with("attachment; filename="), "{given:?}");
    }
    app.close().await;
}

#[tokio::test]
async fn names_lead_nowhere_and_hide_nothing() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let longest = format!("{}.txt", "x".repeat(251));
    for (number, (given, kept, disposition)) in [
        ("../../etc/passwd", "passwd", "attachment; filename=\"passwd\"; filename*=UTF-8''passwd"),
        (
            "in\u{202e}voice\u{200b}.txt",
            "invoice.txt",
            "attachment; filename=\"invoice.txt\"; filename*=UTF-8''invoice.txt",
        ),
        (
            "Über; Öl.txt",
            "Über; Öl.txt",
            "attachment; filename=\"_ber_ _l.txt\"; filename*=UTF-8''%C3%9Cber%3B%20%C3%96l.txt",
        ),
        (longest.as_str(), longest.as_str(), ""),
    ]
    .into_iter()
    .enumerate()
    {
        let answer = upload(&ann, given, format!("file {number}").as_bytes()).await.ok();
        assert_eq!(answer["filename"], kept);
        let content = format!("/api/attachments/{}/content", answer["id"].as_str().unwrap());
        let given = ann.get(&content).await;
        if !disposition.is_empty() {
            assert_eq!(given.header("content-disposition"), disposition);
        }
    }
    app.close().await;
}

#[tokio::test]
async fn the_same_file_is_kept_once_for_each_of_its_owners() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.user("ann"), app.user("bob"));
    let id = taken(&ann, "one.txt", b"the same").await;
    assert_eq!(taken(&ann, "other name.txt", b"the same").await, id);
    let list = ann.get("/api/attachments").await.ok();
    assert_eq!((&list["total"], &list["attachments"][0]["filename"]), (&json!(1), &json!("other name.txt")));

    // What is another's is not there, and having the same is no way to it.
    let (metadata, content) = (format!("/api/attachments/{id}"), format!("/api/attachments/{id}/content"));
    let missing = format!("/api/attachments/{}", "0".repeat(64));
    for (method, path) in [("GET", &metadata), ("GET", &content), ("DELETE", &metadata), ("GET", &missing)] {
        assert_eq!(bob.send(method, path, None).await.status, 404, "{method} {path}");
    }
    assert_eq!(taken(&bob, "bobs.txt", b"the same").await, id);
    assert_eq!(bob.send("DELETE", &metadata, None).await.ok()["id"], id.as_str());
    assert_eq!(bob.get(&metadata).await.status, 404);
    assert_eq!(ann.get(&metadata).await.ok()["filename"], "other name.txt", "hers is still there");
    app.close().await;
}

#[tokio::test]
async fn a_file_that_could_not_be_read_is_read_again_when_it_comes_again() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let report = pdf(&["Hello from page one"]);
    let id = taken(&ann, "report.pdf", &report).await;
    // As if the server had been too busy to read it.
    sqlx::query("UPDATE attachments SET text = NULL, characters = 0, problem = 'timed_out' WHERE id = $1")
        .bind(&id)
        .execute(&mut app.db.superuser().await)
        .await
        .unwrap();
    let path = format!("/api/attachments/{id}");
    assert_eq!(ann.get(&path).await.ok()["problem_kind"], "timed_out");

    assert_eq!(taken(&ann, "again.pdf", &report).await, id);
    let known = ann.get(&path).await.ok();
    assert_eq!((&known["filename"], known.get("problem")), (&json!("again.pdf"), None), "{known}");
    assert_eq!(ann.get("/api/attachments").await.ok()["total"], 1);
    let question = json!({"content": "What does it say?", "attachments": [id]});
    ann.post(&format!("/api/conversations/{}/message", ann.conversation().await), question).await.ok();
    app.close().await;
}

#[tokio::test]
async fn of_a_very_long_text_the_beginning_is_kept_and_the_file_is_whole() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let long = "ä".repeat(3 << 20);
    let answer = upload(&ann, "long.txt", long.as_bytes()).await.ok();
    assert_eq!(
        (&answer["state"], &answer["text_is_cut"], &answer["characters"]),
        (&json!("ready"), &json!(true), &json!(1 << 20)),
        "{answer}"
    );
    let content = format!("/api/attachments/{}/content", answer["id"].as_str().unwrap());
    let bytes = ann.request("GET", &content).send().await.unwrap().bytes().await.unwrap();
    assert_eq!(bytes, long.as_bytes());
    app.close().await;
}

#[tokio::test]
async fn other_fields_of_the_form_are_passed_over() {
    let app = TestApp::start().await;
    let ann = app.user("ann");
    let body = form(&[("note", None, b"hello"), ("file", Some("a.txt"), b"text"), ("more", None, b"")]);
    assert_eq!(send(&ann, body).await.ok()["filename"], "a.txt");
    app.close().await;
}
