//! Conversations and runs as resources.

use serde_json::json;

use super::speaking::Client;
use crate::support::app::TestApp;

#[tokio::test]
async fn conversations_and_runs_are_read_as_markdown() {
    let app = TestApp::start().await;
    let client = Client::modern(&app, "ann");
    let first = client.told("ask_council", json!({"question": "Why?"})).await;
    let more = json!({"question": "And then?", "conversation_id": first["conversation_id"]});
    let second = client.told("ask_council", more).await;
    let list = client.result("resources/list", json!({})).await;
    let resource = &list["resources"][0];
    assert_eq!(resource["title"], "A Scripted Title");
    assert_eq!(resource["mimeType"], "text/markdown");
    let whole = client.result("resources/read", json!({"uri": resource["uri"]})).await;
    let text = whole["contents"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("Why?") && text.contains("And then?") && text.contains("### Review by m/one"),
        "{text}"
    );
    let templates = client.result("resources/templates/list", json!({})).await;
    let of_runs = templates["resourceTemplates"][1]["uriTemplate"].as_str().unwrap();
    let uri = of_runs.replace("{run_id}", second["run_id"].as_str().unwrap());
    let run = client.result("resources/read", json!({"uri": uri})).await;
    let text = run["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains("And then?") && !text.contains("Why?"), "{text}");
    assert_eq!(run["cacheScope"], "private", "it is one person's");
    app.close().await;
}

#[tokio::test]
async fn what_is_not_there_and_what_is_anothers_are_answered_alike() {
    let app = TestApp::start().await;
    let anns = Client::modern(&app, "ann").told("ask_council", json!({"question": "A quokka?"})).await;
    let (run, conversation) = (&anns["run_id"], &anns["conversation_id"]);
    let bob = Client::modern(&app, "bob");
    let nowhere = json!("0198c0de-0000-7000-8000-000000000000");
    for tool in ["get_run", "wait_run", "cancel_run"] {
        let refused = bob.refused(tool, json!({"run_id": run})).await;
        assert_eq!(refused, bob.refused(tool, json!({"run_id": nowhere})).await);
        assert_eq!(refused, bob.refused(tool, json!({"run_id": "no id"})).await);
        assert!(refused.starts_with("Run not found"), "{refused}");
    }
    for tool in ["read_conversation", "ask_council", "estimate"] {
        let arguments = |id: &serde_json::Value| {
            let mut arguments = json!({"conversation_id": id});
            if tool != "read_conversation" {
                arguments["question"] = json!("Why?");
            }
            arguments
        };
        let refused = bob.refused(tool, arguments(conversation)).await;
        assert_eq!(refused, bob.refused(tool, arguments(&nowhere)).await);
        assert!(refused.starts_with("Conversation not found"), "{refused}");
    }
    for place in ["conversations", "runs"] {
        let id = if place == "runs" { run } else { conversation };
        let uri =
            |id: &serde_json::Value| json!({"uri": format!("council://{place}/{}", id.as_str().unwrap())});
        let error = bob.error("resources/read", uri(id)).await;
        assert_eq!(error["code"], -32602, "{error}");
        assert_eq!(error["message"], bob.error("resources/read", uri(&nowhere)).await["message"]);
        let older = Client::of(app.user("bob"), "2025-11-25");
        assert_eq!(older.error("resources/read", uri(id)).await["code"], -32002);
    }
    let error = bob.error("resources/read", json!({"uri": "file:///etc/passwd"})).await;
    assert_eq!(error["code"], -32602);
    assert_eq!(bob.result("resources/list", json!({})).await["resources"], json!([]));
    assert_eq!(bob.told("list_conversations", json!({"query": "quokka"})).await["conversations"], json!([]));
    app.close().await;
}
