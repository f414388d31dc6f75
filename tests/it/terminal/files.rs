//! Files that go with questions from a terminal.

use serde_json::{Value, json};

use super::program;
use crate::support::app::TestApp;
use crate::support::model_server::AskedFor;

#[tokio::test]
async fn a_question_comes_with_the_files_that_are_named() {
    let app = TestApp::start().await;
    let program = program(&app, "ann").await;
    let folder = tempfile::tempdir().unwrap();
    let notes = folder.path().join("notes of today.md");
    std::fs::write(&notes, "Seven herons.").unwrap();
    let table = folder.path().join("counts.csv");
    std::fs::write(&table, "herons,7").unwrap();
    let (notes, table) = (notes.to_str().unwrap(), table.to_str().unwrap());
    let ended = program.run(&["query", "How many?", "--attach", notes, "--attach", table, "--json"]).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let records = app.models.records();
    // The title is asked for beside the answers.
    let answer = records.iter().find(|record| record.request.asked_for() == AskedFor::Answer);
    let prompt = answer.unwrap().request.prompt();
    assert!(prompt.contains("Seven herons.") && prompt.contains("herons,7"), "{prompt}");
    let ann = app.user("ann");
    let list = ann.get("/api/conversations").await.ok();
    let stored = ann.get(&format!("/api/conversations/{}", list[0]["id"].as_str().unwrap())).await.ok();
    let names: Vec<&Value> = stored["messages"][0]["attachments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| &file["filename"])
        .collect();
    assert_eq!(names, [&json!("notes of today.md"), &json!("counts.csv")]);

    // In a chat they go with each question until they are taken away.
    let lines = format!("/attach {notes}\nHow many?\nAnd tomorrow?\n/attach none\nWhat else?\n");
    let ended = program.run_with_input(&["chat"], &lines).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let list = ann.get("/api/conversations").await.ok();
    let stored = ann.get(&format!("/api/conversations/{}", list[0]["id"].as_str().unwrap())).await.ok();
    let messages = stored["messages"].as_array().unwrap();
    let counts: Vec<usize> = messages
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| message["attachments"].as_array().map_or(0, Vec::len))
        .collect();
    assert_eq!(counts, [1, 1, 0]);
    app.close().await;
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_said_and_nothing_is_asked() {
    let app = TestApp::with("[attachments]\nmax_bytes = 1000\nmax_per_question = 2\n").await;
    let program = program(&app, "ann").await;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (good, empty) = (file("good.md", b"Seven herons."), file("empty.md", b""));
    let (long, broken) = (file("long.md", &[b'a'; 1001]), file("broken.pdf", b"%PDF-1.7\nnothing of it"));
    let unknown = file("program.bin", b"\x7fELF\x02\x01\x01\x00");
    let missing = folder.path().join("missing.md").to_str().unwrap().to_owned();
    for (files, said) in [
        (
            &[&missing, &empty, &long][..],
            &["missing.md: ", "empty.md is empty", "1001 bytes", "at most 2 files"][..],
        ),
        (&[&broken], &["broken.pdf: "]),
        (&[&unknown], &["program.bin: "]),
    ] {
        let files: Vec<&str> = files.iter().flat_map(|file| ["--attach", file]).collect();
        let ended = program.run(&[&["query", "How many?"], &files[..]].concat()).await;
        assert_eq!(ended.code, Some(2), "{files:?}: {}", ended.stderr);
        assert_eq!(ended.stdout, "");
        for said in said {
            assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
        }
    }
    let here = program.clone().run(&["query", "--ephemeral", "How many?", "--attach", &good]).await;
    assert_eq!(here.code, Some(2), "{}", here.stderr);
    assert!(here.stderr.contains("nothing is uploaded"), "{}", here.stderr);
    assert!(app.models.records().is_empty(), "nobody was asked");
    let kept = app.user("ann").get("/api/attachments").await.ok();
    assert_eq!(kept["total"], 0, "what nobody can read is not kept: {kept}");
    app.close().await;
}
