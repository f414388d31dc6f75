//! Vectors as OpenAI-compatible servers and Bedrock's models give them. The default ones are those of the simulated
//! provider: the same words in another order are near each other, another subject is far.

use llm_council::llm::simulated_embedding;
use serde_json::{Value, json};

use super::{RecordedRequest, Script, bedrock};

/// Whether a request asks for a vector.
pub fn is_asked(method: &str, path: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    method == "POST" && (path.ends_with("/embeddings") || bedrock::invoked(path).is_some())
}

/// The text whose vector is asked for.
pub fn text_of(body: &Value) -> &str {
    let text = body["input"].as_str().or_else(|| body["inputText"].as_str());
    text.or_else(|| body["texts"][0].as_str()).unwrap_or_default()
}

/// The vector of the request's words.
pub fn plausible(request: &RecordedRequest) -> Script {
    Script::embedding(simulated_embedding::vector(request.embedded()))
}

/// The reply with this vector in the form of whoever was asked, with its headers.
pub(super) fn document(
    request: &RecordedRequest,
    model: &str,
    vector: &[f32],
    usage: Option<&Value>,
) -> (Value, Vec<(String, String)>) {
    let tokens = usage.map(|usage| usage["prompt_tokens"].clone());
    let invoked = bedrock::invoked(&request.path).unwrap_or_default();
    if invoked.contains("titan") {
        let mut document = json!({"embedding": vector, "embeddingsByType": {"float": vector}});
        document["inputTextTokenCount"] = tokens.unwrap_or_default();
        return (document, Vec::new());
    }
    if !invoked.is_empty() {
        let counted =
            tokens.map(|tokens| ("x-amzn-bedrock-input-token-count".to_owned(), tokens.to_string()));
        let (embeddings, of) = if invoked.contains("v3") {
            (json!([vector]), "embeddings_floats")
        } else {
            (json!({"float": [vector]}), "embeddings_by_type")
        };
        let document =
            json!({"id": "x", "embeddings": embeddings, "texts": request.body["texts"], "response_type": of});
        return (document, counted.into_iter().collect());
    }
    let data = json!([{"object": "embedding", "index": 0, "embedding": vector}]);
    let mut document = json!({"object": "list", "data": data, "model": model});
    if let Some(usage) = usage {
        document["usage"] = usage.clone();
    }
    (document, Vec::new())
}
