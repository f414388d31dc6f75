//! One message of a client, and the HTTP headers that repeat parts of it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

const VERSION_IN_META: &str = "io.modelcontextprotocol/protocolVersion";
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INTERNAL_ERROR: i32 = -32603;

/// A message that the client has sent.
#[derive(Debug)]
pub(super) struct ClientMessage(Value);

impl ClientMessage {
    /// Reads a line.
    ///
    /// # Errors
    /// The answer to a line that is not a message.
    pub(super) fn read(line: &[u8]) -> Result<Self, Value> {
        let message: Value = serde_json::from_slice(line)
            .map_err(|_| error(&Value::Null, PARSE_ERROR, "this line is not JSON"))?;
        if message.is_object() {
            return Ok(Self(message));
        }
        Err(error(&Value::Null, INVALID_REQUEST, "one JSON-RPC message a line; batches are not supported"))
    }

    pub(super) fn message(&self) -> &Value {
        &self.0
    }

    fn method(&self) -> Option<&str> {
        self.0.get("method").and_then(Value::as_str)
    }

    /// The id of a request; a notification has none.
    pub(super) fn id(&self) -> Option<&Value> {
        self.0.get("id").filter(|id| id.is_string() || id.is_number())
    }

    /// The id, as JSON, of the request that it cancels.
    pub(super) fn cancels(&self) -> Option<String> {
        let is_cancel = self.method() == Some("notifications/cancelled");
        let id = self.0.pointer("/params/requestId").filter(|_| is_cancel)?;
        Some(id.to_string())
    }

    pub(super) fn is_handshake(&self) -> bool {
        self.method() == Some("initialize")
    }

    pub(super) fn calls_a_tool(&self) -> bool {
        self.method() == Some("tools/call")
    }

    /// The revision that this handshake has agreed on.
    pub(super) fn agreed(&self, answer: &Value) -> Option<String> {
        let version = answer.pointer("/result/protocolVersion").filter(|_| self.is_handshake())?;
        version.as_str().map(str::to_owned)
    }

    /// The headers of an HTTP request with this message, after a handshake that agreed on this revision.
    pub(super) fn headers(&self, agreed: Option<&str>) -> Vec<(&'static str, String)> {
        let params = self.0.get("params");
        let own = params.and_then(|params| params.get("_meta")?.get(VERSION_IN_META)?.as_str());
        let mut headers = vec![("accept", "application/json, text/event-stream".to_owned())];
        if !self.is_handshake()
            && let Some(version) = own.or(agreed)
        {
            headers.push(("mcp-protocol-version", in_header(version)));
        }
        if let Some(method) = self.method() {
            headers.push(("mcp-method", in_header(method)));
        }
        let text = |name: &str| params.and_then(|params| params.get(name)).and_then(Value::as_str);
        let name = match self.method() {
            Some("tools/call" | "prompts/get") => text("name"),
            Some("resources/read") => text("uri"),
            _ => None,
        };
        headers.extend(name.map(|name| ("mcp-name", in_header(name))));
        headers
    }

    /// An error in answer to it; `None` for a message that wants no answer.
    pub(super) fn refused(&self, why: &str) -> Option<Value> {
        self.id().map(|id| error(id, INTERNAL_ERROR, why))
    }

    /// An answer as it is written: with this request's id even if the server did not know it; `None` for a message that
    /// wants no answer.
    pub(super) fn answered(&self, mut answer: Value) -> Option<Value> {
        let id = self.id()?.clone();
        if let Some(fields) = answer.as_object_mut()
            && fields.get("id").is_none_or(Value::is_null)
        {
            fields.insert("id".to_owned(), id);
        }
        Some(answer)
    }
}

/// A text as the value of a header: as it is, or in the form that the protocol has for everything else.
fn in_header(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if is_plain { text.to_owned() } else { format!("=?base64?{}?=", BASE64_STANDARD.encode(text)) }
}

fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(message: &Value) -> ClientMessage {
        ClientMessage::read(message.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_request_says_in_its_headers_what_it_is_about() {
        let meta = json!({VERSION_IN_META: "2026-07-28"});
        let call = json!({"id": 1, "method": "tools/call", "params": {"name": "get_run", "_meta": meta}});
        let headers = sent(&call).headers(Some("2025-11-25"));
        assert!(headers.contains(&("mcp-protocol-version", "2026-07-28".to_owned())), "{headers:?}");
        assert!(headers.contains(&("mcp-method", "tools/call".to_owned())));
        assert!(headers.contains(&("mcp-name", "get_run".to_owned())));
        let list = sent(&json!({"id": 1, "method": "tools/list"}));
        assert!(
            list.headers(Some("2025-06-18")).contains(&("mcp-protocol-version", "2025-06-18".to_owned()))
        );
        assert_eq!(list.headers(None).len(), 2);
        let uri = json!({"method": "resources/read", "params": {"uri": "council://ü"}});
        assert!(sent(&uri).headers(None).contains(&("mcp-name", "=?base64?Y291bmNpbDovL8O8?=".to_owned())));
    }

    #[test]
    fn an_answer_goes_to_the_request_and_nothing_to_a_notification() {
        let request = sent(&json!({"id": "a", "method": "ping"}));
        let answer = request.answered(json!({"jsonrpc": "2.0", "id": null, "error": {}})).unwrap();
        assert_eq!(answer["id"], "a");
        let notification = sent(&json!({"method": "notifications/initialized"}));
        assert_eq!(notification.answered(json!({"id": null})), None);
        assert_eq!(notification.refused("no"), None);
    }

    #[test]
    fn what_is_given_up_is_named_by_its_id() {
        let cancel = |id: Value| {
            sent(&json!({"method": "notifications/cancelled", "params": {"requestId": id}})).cancels()
        };
        assert_eq!(cancel(json!(7)).as_deref(), Some("7"));
        assert_eq!(cancel(json!("7")).as_deref(), Some("\"7\""));
        assert_eq!(sent(&json!({"method": "tools/list"})).cancels(), None);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_a_message_or_an_error(line in "\\PC{0,60}", name in "\\PC{0,20}") {
            if let Err(answer) = ClientMessage::read(line.as_bytes()) {
                proptest::prop_assert!(answer["error"]["code"].is_number());
            }
            let header = in_header(&name);
            proptest::prop_assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
        }
    }
}
