//! What lets requests in: a bearer key, or a signature with keys from where the configuration says and nowhere else.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use jiff::{SignedDuration, Timestamp};
use llm_council::llm::{ErrorKind, Models as _, NoSink, ProviderSettings, Registry};
use serde_json::json;

use super::signature::{ACCESS_KEY, SECRET, region_of};
use super::{MODEL, registry, request, settings};
use crate::support::model_server::{ModelServer, RecordedRequest, Script};

const TOKEN: &str = "hidden-session-token//==";

/// The provider with credentials from somewhere, in this environment.
pub fn signing(server: &ModelServer, credentials: &str, env: &[(&str, &str)]) -> ProviderSettings {
    let environment: BTreeMap<String, String> =
        env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ProviderSettings { api_key: None, environment, ..settings(server) }.with("credentials", credentials)
}

async fn answered(registry: &Registry, model: &str) {
    let result = registry.chat(&request(model), &mut NoSink).await;
    assert_eq!(result.unwrap().text, "Because.");
}

fn because(server: &ModelServer, models: &[&str]) {
    for model in models {
        server.script(model, [Script::answer("Because.")]);
    }
}

/// Keys as metadata services give them.
fn document(secret: &str, lives: SignedDuration) -> Script {
    let expiration = Timestamp::now() + lives;
    Script::raw(
        "application/json",
        json!({"Code": "Success", "AccessKeyId": ACCESS_KEY, "SecretAccessKey": secret, "Token": TOKEN,
               "Expiration": expiration.to_string()})
        .to_string(),
    )
}

#[tokio::test]
async fn requests_are_signed_with_the_keys_of_the_environment_and_nobody_else_is_asked() {
    let server = ModelServer::start().await;
    let elsewhere = ModelServer::start().await;
    let mut env = vec![
        ("AWS_ACCESS_KEY_ID", ACCESS_KEY),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_REGION", "eu-west-1"),
    ];
    let metadata = elsewhere.base_url();
    env.push(("AWS_EC2_METADATA_SERVICE_ENDPOINT", &metadata));
    env.push(("AWS_CONTAINER_CREDENTIALS_FULL_URI", &metadata));
    let arn = "arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/abc";
    because(&server, &[MODEL, arn]);
    for token in [None, Some(TOKEN)] {
        env.extend(token.map(|token| ("AWS_SESSION_TOKEN", token)));
        let registry = registry(signing(&server, "environment", &env));
        for model in [MODEL, &format!("ap-northeast-1/{MODEL}"), arn] {
            answered(&registry, model).await;
            let sent = &server.records().pop().unwrap().request;
            let region = match model {
                MODEL => "eu-west-1",
                _ if model == arn => "eu-west-3",
                _ => "ap-northeast-1",
            };
            assert_eq!(region_of(sent, SECRET), region);
            assert_eq!(sent.header("x-amz-security-token"), token);
        }
        registry.refresh_models().await;
    }
    for record in server.other_records() {
        region_of(&record.request, SECRET);
    }
    assert!(!server.other_records().is_empty(), "the lists are asked for as well");
    assert!(elsewhere.other_records().is_empty() && elsewhere.records().is_empty());
}

#[tokio::test]
async fn another_secret_is_found_out() {
    let server = ModelServer::start().await;
    because(&server, &[MODEL]);
    let env = [("AWS_ACCESS_KEY_ID", ACCESS_KEY), ("AWS_SECRET_ACCESS_KEY", "another")];
    answered(&registry(signing(&server, "environment", &env)), MODEL).await;
    let sent = server.records().pop().unwrap().request;
    let checked = std::panic::catch_unwind(|| region_of(&sent, SECRET));
    assert!(checked.is_err(), "the check of this test checks nothing");
}

#[tokio::test]
async fn a_profile_is_read_from_the_shared_files() {
    let server = ModelServer::start().await;
    because(&server, &[MODEL]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials");
    let text = format!("[team]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET}\n");
    std::fs::write(&file, text).unwrap();
    let file = file.display().to_string();
    let env = [("AWS_SHARED_CREDENTIALS_FILE", file.as_str())];
    let named = signing(&server, "profile", &env).with("profile", "team");
    answered(&registry(named), MODEL).await;
    assert_eq!(region_of(&server.records()[0].request, SECRET), "us-east-2");
    let error =
        registry(signing(&server, "profile", &env)).chat(&request(MODEL), &mut NoSink).await.unwrap_err();
    assert!(
        error.kind == ErrorKind::Auth && error.message.contains("no profile `default`"),
        "{}",
        error.message
    );
    assert!(!error.reached && server.count(MODEL) == 1);
}

/// A machine with a role: IMDSv2, which wants a token first.
fn machine(
    keys: impl Fn(usize) -> Script + Send + Sync + 'static,
) -> impl Fn(&RecordedRequest) -> Option<Script> {
    let fetched = AtomicUsize::new(0);
    move |request| {
        let has_token = request.header("x-aws-ec2-metadata-token") == Some("metadata-token");
        match (request.method.as_str(), request.path.as_str()) {
            ("PUT", "/latest/api/token") => {
                assert!(request.header("x-aws-ec2-metadata-token-ttl-seconds").is_some());
                Some(Script::raw("text/plain", "metadata-token"))
            }
            ("GET", _) if !has_token => Some(Script::status(401, "")),
            ("GET", "/latest/meta-data/iam/security-credentials/") => {
                Some(Script::raw("text/plain", "council-role\n"))
            }
            ("GET", "/latest/meta-data/iam/security-credentials/council-role") => {
                Some(keys(fetched.fetch_add(1, Ordering::Relaxed)))
            }
            _ => None,
        }
    }
}

fn root(server: &ModelServer) -> String {
    server.base_url().trim_end_matches("/v1").to_owned()
}

#[tokio::test]
async fn a_machines_role_is_asked_for_once_by_everybody_and_again_before_it_ends() {
    let server = ModelServer::start().await;
    because(&server, &[MODEL]);
    let metadata = ModelServer::start().await;
    metadata.others(machine(|_| document(SECRET, SignedDuration::from_hours(6))));
    let address = root(&metadata);
    let env = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", address.as_str())];
    let once = registry(signing(&server, "instance", &env));
    assert!(metadata.other_records().is_empty(), "nothing is asked before it is needed");
    join_all((0..20).map(|_| answered(&once, MODEL))).await;
    assert_eq!(metadata.other_records().len(), 3, "token, role, keys");
    for record in server.records() {
        assert_eq!(region_of(&record.request, SECRET), "us-east-2");
        assert_eq!(record.request.header("x-amz-security-token"), Some(TOKEN));
    }
}

#[tokio::test]
async fn keys_that_were_refused_as_expired_are_fetched_anew_at_once() {
    let server = ModelServer::start().await;
    let metadata = ModelServer::start().await;
    metadata.others(machine(|nth| document(&format!("{SECRET}{nth}"), SignedDuration::from_hours(6))));
    let expired = Script::refusal(403, "ExpiredTokenException", &format!("The token {TOKEN} is expired"));
    server.script(MODEL, [Script::answer("Because."), expired.clone(), Script::answer("Because.")]);
    let address = root(&metadata);
    let env = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", address.as_str())];
    let registry = registry(signing(&server, "instance", &env));
    answered(&registry, MODEL).await;
    answered(&registry, MODEL).await;
    let sent: Vec<_> = server.records().into_iter().map(|record| record.request).collect();
    region_of(&sent[1], &format!("{SECRET}0"));
    region_of(&sent[2], &format!("{SECRET}1"));
    // Where that does not help either, it is said, without a secret.
    server.script(MODEL, [expired]);
    let error = registry.chat(&request(MODEL), &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, server.count(MODEL)), (ErrorKind::Auth, 5));
    assert!(!error.message.contains(TOKEN) && !error.message.contains("hidden"), "{}", error.message);
}

#[tokio::test]
async fn a_machine_without_a_role_or_without_an_answer_says_so() {
    let server = ModelServer::start().await;
    let metadata = ModelServer::start().await;
    let address = root(&metadata);
    let env = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", address.as_str())];
    for (script, told) in [
        (Script::status(404, ""), "HTTP 404"),
        (Script::raw("text/plain", "x").stall(), "did not answer in time"),
    ] {
        metadata.others(move |_| Some(script.clone()));
        let registry = registry(signing(&server, "instance", &env));
        let error = registry.chat(&request(MODEL), &mut NoSink).await.unwrap_err();
        assert!(error.kind == ErrorKind::Auth && error.message.contains(told), "{}", error.message);
        assert!(server.records().is_empty());
    }
}

#[tokio::test]
async fn a_container_shows_its_token_and_reads_the_file_of_it_anew() {
    let server = ModelServer::start().await;
    because(&server, &[MODEL]);
    let metadata = ModelServer::start().await;
    // Over as soon as they come, so that each call fetches others.
    let asked = AtomicUsize::new(1);
    metadata.others(move |request| {
        let nth = asked.fetch_add(1, Ordering::Relaxed);
        let expected = format!("container-token-{nth}");
        assert_eq!(
            (request.path.as_str(), request.header("authorization")),
            ("/v2/x", Some(expected.as_str()))
        );
        Some(document(SECRET, SignedDuration::ZERO))
    });
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "container-token-1\n").unwrap();
    let (address, path) = (format!("{}/v2/x", root(&metadata)), file.display().to_string());
    let env = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", address.as_str()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", path.as_str()),
    ];
    let registry = registry(signing(&server, "container", &env));
    answered(&registry, MODEL).await;
    std::fs::write(&file, "container-token-2\n").unwrap();
    answered(&registry, MODEL).await;
    assert_eq!(metadata.other_records().len(), 2);
    for record in server.records() {
        region_of(&record.request, SECRET);
    }
}

#[tokio::test]
async fn settings_that_cannot_let_anybody_in_are_refused_at_start() {
    let server = ModelServer::start().await;
    for (credentials, env, told) in [
        ("environment", vec![("AWS_ACCESS_KEY_ID", ACCESS_KEY)], "AWS_SECRET_ACCESS_KEY is not set"),
        ("container", vec![], "AWS_CONTAINER_CREDENTIALS_FULL_URI is set"),
        (
            "container",
            vec![("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://keys.example/hidden")],
            "must begin with https",
        ),
        ("profile", vec![], "home directory"),
        ("key", vec![], "api_key: is missing"),
    ] {
        let name = "aws";
        let refused = Registry::new(vec![signing(&server, credentials, &env)], name);
        let problem = refused.err().expect("a refusal").to_string();
        assert!(problem.contains(told) && !problem.contains("hidden"), "{problem}");
    }
}
