//! Documents that are made from the code say what the code does.

use std::path::Path;

#[test]
fn the_openapi_document_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    let written: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let made = serde_json::to_value(llm_council::server::routes::openapi()).unwrap();
    assert!(written == made, "make it anew: llm-council openapi > docs/openapi.json");
}
