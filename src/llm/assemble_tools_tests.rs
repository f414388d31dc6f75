//! Replies that call tools, and replies without an answer.

use super::*;

fn tool(index: u32, id: &str, name: &str, arguments: &str) -> Step {
    let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Give(Chunk::ToolCall { index, id: given(id), name: given(name), arguments: arguments.into() })
}

#[tokio::test(start_paused = true)]
async fn tool_calls_beside_an_answer_are_joined_by_index() {
    let provider = Scripted::new(vec![vec![
        text("Both."),
        tool(1, "b", "g", "{"),
        tool(0, "", "f", "{\"q\":"),
        tool(1, "b", "g", "}"),
        tool(0, "", "", "1}"),
        Give(Chunk::Finish("tool_calls".into())),
    ]]);
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.into(),
        name: name.into(),
        arguments: arguments.into(),
    };
    let reply = super::call(&provider).await.unwrap();
    assert_eq!(reply.tool_calls, [call("call_0", "f", "{\"q\":1}"), call("b", "g", "{}")]);
}

#[tokio::test(start_paused = true)]
async fn a_reply_without_an_answer_is_a_failure_that_keeps_what_came() {
    let finish = |reason: &str| Give(Chunk::Finish(reason.into()));
    let thought = || Give(Chunk::Reasoning("hm".into()));
    let details = Give(Chunk::ReasoningDetails(json!([{"type": "reasoning.encrypted"}])));
    for (steps, kind, words) in [
        (vec![stop()], ErrorKind::BadResponse, "empty answer"),
        (vec![thought(), stop()], ErrorKind::BadResponse, "reasoned and then wrote no answer"),
        (vec![details, stop()], ErrorKind::BadResponse, "reasoned and then wrote no answer"),
        (
            vec![thought(), tool(0, "a", "f", "{}"), finish("tool_calls")],
            ErrorKind::BadResponse,
            "called a tool",
        ),
        (vec![tool(0, "a", "f", "{}"), finish("length")], ErrorKind::BadResponse, "token limit"),
        (vec![text("Half of"), finish("content_filter")], ErrorKind::Refused, "cut the answer off"),
        (vec![tool(0, "a", "f", "{}"), finish("content_filter")], ErrorKind::Refused, "held the answer back"),
    ] {
        let came = steps.len() - 1;
        let error = call(&Scripted::new(vec![steps])).await.unwrap_err();
        assert_eq!((error.kind, error.tries, error.reached), (kind, 1, true));
        assert!(error.message.contains(words), "{}", error.message);
        let kept = error.partial.unwrap();
        let parts = [
            !kept.text.is_empty(),
            kept.reasoning.is_some(),
            kept.reasoning_details.is_some(),
            !kept.tool_calls.is_empty(),
        ];
        assert_eq!(parts.into_iter().filter(|part| *part).count(), came, "{kept:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn calls_alone_are_a_reply_where_tools_were_offered() {
    let finish = |reason: &str| Give(Chunk::Finish(reason.into()));
    let offering = || ChatRequest { tools: vec![search()], ..request() };
    for reason in ["tool_calls", "function_call", "stop"] {
        let provider = Scripted::new(vec![vec![tool(0, "a", "f", "{}"), finish(reason)]]);
        let gate = sharing::Gate::new(1);
        let reply = gate.ask(&provider, &offering()).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("", 1), "{reason}");
    }
    for (steps, words) in [
        (vec![tool(0, "a", "f", "{"), finish("length")], "token limit"),
        (vec![Give(Chunk::Reasoning("hm".into())), stop()], "wrote no answer"),
    ] {
        let error = sharing::Gate::new(1).ask(&Scripted::new(vec![steps]), &offering()).await.unwrap_err();
        assert!(error.message.contains(words), "{}", error.message);
    }
}

#[tokio::test(start_paused = true)]
async fn each_call_of_a_reply_has_an_id_of_its_own() {
    let steps = vec![
        tool(0, "", "f", "{}"),
        tool(1, "same", "f", "{}"),
        tool(2, "same", "f", "{}"),
        text("Beside them."),
        stop(),
    ];
    let reply = call(&Scripted::new(vec![steps])).await.unwrap();
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0", "same", "call_2"]);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_tool_calls_is_an_error() {
    let steps = (0..200).map(|index| tool(index, "x", "f", "")).collect();
    let error = call(&Scripted::new(vec![steps])).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadResponse);
    assert_eq!(error.partial.unwrap().tool_calls.len(), MAX_TOOL_CALLS);
}
