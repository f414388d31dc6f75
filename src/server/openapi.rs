//! What every operation has in common in the OpenAPI document: which errors it may answer with, and in
//! which form. Handlers name only what is specific to them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use utoipa::openapi::content::Content;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn, PathItem};
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::{OpenApi, Ref, RefOr, Schema};

use super::middleware::head;
use crate::council::features::stages;

const PROBLEM: &str = "application/problem+json";

/// Every status that is a problem, and when.
const PROBLEMS: [(u16, &str); 18] = [
    (400, "The request is malformed: its host or an identity header"),
    (401, "Nobody is signed in, or the token does not count"),
    (402, "A budget is reached; nothing was asked"),
    (403, "Not allowed to this person or token, or from this page"),
    (404, "Not there, or not theirs"),
    (405, "The path knows other methods; `Allow` names them"),
    (408, "The body did not arrive in time"),
    (409, "A run is in the way"),
    (412, "`X-Expected-User` names another user than the one who is signed in"),
    (413, "The body is too large"),
    (415, "The body is not JSON, or is compressed"),
    (421, "Sent to a host name that is not this server's"),
    (422, "Every wrong field"),
    (429, "Too many questions of this person wait already"),
    (500, "A fault of this server; it has been recorded"),
    (502, "A model provider gave no usable answer"),
    (503, "Not now; `Retry-After` says when to try again"),
    (504, "A model provider gave no answer in time"),
];

/// What any request to the API may be answered with.
const ALWAYS: [u16; 7] = [400, 401, 403, 412, 421, 500, 503];
/// A request with a body.
const WITH_BODY: [u16; 4] = [408, 413, 415, 422];

/// Adds to each operation what any request like it may be answered with, and says that errors are problem
/// details.
pub fn complete(document: &mut OpenApi) {
    name_stages(document);
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in operations(item) {
            operation.operation_id = Some(operation_id(method, path));
        }
        if !path.starts_with("/api/") {
            continue;
        }
        let has_place = path.contains('{');
        for (_, operation) in operations(item) {
            let mut statuses = ALWAYS.to_vec();
            if operation.request_body.is_some() {
                statuses.extend(WITH_BODY);
            }
            if has_place {
                statuses.push(404);
            }
            if operation.parameters.iter().flatten().any(is_in_query) {
                statuses.push(422);
            }
            for status in statuses {
                let responses = &mut operation.responses.responses;
                responses.entry(status.to_string()).or_insert_with(|| problem().into());
            }
            for (status, response) in &mut operation.responses.responses {
                describe(status, response);
            }
        }
    }
}

/// `get_admin_users` of `GET /api/admin/users`: unique, and the same however the handler is called.
fn operation_id(method: &str, path: &str) -> String {
    let path = path.strip_prefix("/api").unwrap_or(path);
    let words = path.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    std::iter::once(method).chain(words).collect::<Vec<_>>().join("_").to_lowercase()
}

fn problem() -> Response {
    let body = Content::new(Some(Ref::from_schema_name("ProblemBody")));
    ResponseBuilder::new().content(PROBLEM, body).build()
}

/// An error's form, and its sentence where the handler has none.
fn describe(status: &str, response: &mut RefOr<Response>) {
    let Some((_, when)) = PROBLEMS.iter().find(|(known, _)| known.to_string() == status) else { return };
    let RefOr::T(response) = response else { return };
    if let Some(body) = response.content.shift_remove("application/json") {
        response.content.insert(PROBLEM.to_owned(), body);
    }
    if response.description.is_empty() {
        (*when).clone_into(&mut response.description);
    }
}

/// In the code a stage is just a name; for readers of the document it is one of these.
fn name_stages(document: &mut OpenApi) {
    let schemas = document.components.iter_mut().flat_map(|components| &mut components.schemas);
    for (_, schema) in schemas.filter(|(name, _)| *name == "Stage") {
        if let RefOr::T(Schema::Object(stage)) = schema {
            stage.enum_values = Some(stages().map(|stage| stage.as_str().into()).collect());
        }
    }
}

fn is_in_query(parameter: &RefOr<Parameter>) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Query)
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = (&'static str, &mut Operation)> {
    let PathItem { get, put, post, delete, patch, .. } = item;
    [("GET", get), ("PUT", put), ("POST", post), ("DELETE", delete), ("PATCH", patch)]
        .into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
}

/// The methods that a route's pattern knows, as `Allow` names them; nothing where there is no such route.
pub fn allowed(pattern: &str) -> Option<&'static str> {
    static ALLOWED: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
        let paths = super::routes::openapi().paths.paths;
        let of = |(path, mut item): (String, PathItem)| {
            let methods = methods(&path, &mut item).join(", ");
            (path, methods)
        };
        paths.into_iter().map(of).collect()
    });
    ALLOWED.get(&without_rules(pattern)).map(String::as_str)
}

/// The methods of a path of the document, with HEAD wherever there is GET.
fn methods(path: &str, item: &mut PathItem) -> Vec<&'static str> {
    let mut methods: Vec<&'static str> = operations(item).map(|(name, _)| name).collect();
    if methods.first() == Some(&"GET") && head::is_known_at(path) {
        methods.insert(1, "HEAD");
    }
    methods
}

/// `{id}` for `{id:[0-9a-f-]+}`: a route may say after a parameter's name what it can be.
fn without_rules(pattern: &str) -> String {
    let mut in_rule = false;
    let is_kept = |c: &char| {
        in_rule = (in_rule || *c == ':') && *c != '}';
        !in_rule
    };
    pattern.chars().filter(is_kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_says_what_any_request_may_be_answered_with_as_problem_details() {
        let document = serde_json::to_value(super::super::routes::openapi()).unwrap();
        let mut seen = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let Some(responses) = operation["responses"].as_object() else { continue };
                if !path.starts_with("/api/") {
                    continue;
                }
                seen += 1;
                let has = |status: &u16| responses.contains_key(&status.to_string());
                assert!(ALWAYS.iter().all(has), "{method} {path}");
                assert_eq!(
                    operation.get("requestBody").is_some(),
                    WITH_BODY.iter().take(3).all(has),
                    "{path}"
                );
                for (status, response) in responses {
                    let content = response["content"].as_object();
                    if status.as_str() >= "400" {
                        let types: Vec<_> = content.unwrap().keys().collect();
                        assert_eq!(types, [PROBLEM], "{method} {path} {status}");
                        assert_ne!(response["description"], "", "{method} {path} {status}");
                        let body = &response["content"][PROBLEM]["schema"]["$ref"];
                        assert_eq!(body, "#/components/schemas/ProblemBody", "{method} {path} {status}");
                    }
                }
            }
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn no_two_sentences_of_the_process_monitor_have_one_code() {
        let document = serde_json::to_value(super::super::routes::openapi()).unwrap();
        let schema = |reference: &serde_json::Value| {
            let name = reference.as_str().unwrap().rsplit('/').next().unwrap();
            document["components"]["schemas"][name].clone()
        };
        let mut codes = Vec::new();
        let mut open = vec![schema(&"ProcessFact".into())];
        while let Some(sum) = open.pop() {
            for part in sum["oneOf"].as_array().unwrap() {
                if part["$ref"].is_string() {
                    open.push(schema(&part["$ref"]));
                } else {
                    codes.push(part["properties"]["code"]["enum"][0].as_str().unwrap().to_owned());
                }
            }
        }
        assert!(codes.len() > 40, "{codes:?}");
        assert_eq!(codes.iter().collect::<std::collections::BTreeSet<_>>().len(), codes.len(), "{codes:?}");
    }

    #[test]
    fn no_two_operations_have_one_id() {
        let mut document = super::super::routes::openapi();
        let items = document.paths.paths.values_mut().flat_map(operations);
        let ids: Vec<String> = items.map(|(_, operation)| operation.operation_id.clone().unwrap()).collect();
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len(), "{ids:?}");
        assert!(ids.contains(&"get_admin_users".to_owned()), "{ids:?}");
    }

    #[test]
    fn the_methods_of_a_pattern_are_those_of_the_document() {
        assert_eq!(allowed("/api/conversations/{id}"), Some("GET, HEAD, DELETE, PATCH"));
        assert_eq!(allowed("/api/weights/{model:.*}"), Some("GET, HEAD"));
        assert_eq!(allowed("/api/runs/{id}/events"), Some("GET"));
        assert_eq!(allowed("/api/runs/{id}/cancel"), Some("POST"));
        assert_eq!(allowed("/api/nowhere"), None);
    }

    #[test]
    fn nothing_that_is_streamed_to_its_reader_is_begun_by_head() {
        let document = serde_json::to_value(super::super::routes::openapi()).unwrap();
        let mut streams = 0;
        for (path, item) in document["paths"].as_object().unwrap() {
            let content = &item["get"]["responses"]["200"]["content"];
            if content["text/event-stream"].is_object() || content["application/zip"].is_object() {
                assert!(!head::is_known_at(path), "{path}");
                streams += 1;
            }
        }
        assert_eq!(streams, 2);
    }
}
