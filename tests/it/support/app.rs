//! The real app on a port of its own, over a database of its own and a scripted model server.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use actix_web::web;
use llm_council::attachments::Extractor;
use llm_council::cli::build;
use llm_council::config::{Config, Overrides};
use llm_council::runs::log::WRITER_CONNECTIONS;
use llm_council::server::{self, app::App};
use llm_council::shutdown::Shutdown;
use llm_council::store::journal;
use llm_council::telemetry::Telemetry;
use serde_json::{Value, json};

use super::db::TestDb;
use super::events::Events;
use super::model_server::{ModelServer, Script};
use super::search_server::SearchServer;

/// Four members and a chairman, all on the scripted server, people named by a proxy on 127.0.0.1.
const CONFIG: &str = r#"
[auth]
mode = "proxy"
trusted_proxies = ["127.0.0.1/32"]
admin_groups = ["admins"]

[providers]
default = "scripted"

[council]
models = ["m/one", "m/two", "m/three", "m/four"]
chairman = "m/chair"
title_model = "m/title"
"#;

const TIMEOUT: Duration = Duration::from_secs(60);

/// See the module. Stop it with [`TestApp::close`], which checks that nothing is left behind.
pub struct TestApp {
    pub models: ModelServer,
    pub db: TestDb,
    pub app: web::Data<App>,
    base: String,
    handle: ServerHandle,
}

impl TestApp {
    /// The app with the configuration above.
    pub async fn start() -> Self {
        Self::with("").await
    }

    /// The app with more configuration, in TOML; later keys of one table must not repeat earlier
    /// ones.
    pub async fn with(toml: &str) -> Self {
        let models = ModelServer::start().await;
        Self::on(&format!("{CONFIG}{}{toml}", provider(&models)), models).await
    }

    /// The app with a route that tokens open to everybody, or none where it is empty.
    pub async fn with_token_routes(route: &str) -> Self {
        let models = ModelServer::start().await;
        let routes = if route.is_empty() { String::new() } else { format!("{route:?}") };
        let config = CONFIG.replacen("[auth]\n", &format!("[auth]\ntoken_routes = [{routes}]\n"), 1);
        Self::on(&format!("{config}{}", provider(&models)), models).await
    }

    /// The app with a search engine, `tavily` or `searxng`, and more configuration.
    pub async fn searching(backend: &str, toml: &str) -> (Self, SearchServer) {
        let search = SearchServer::start().await;
        (Self::with(&format!("{}{toml}", search.toml(backend, ""))).await, search)
    }

    /// The app for one local user, as it runs without a proxy.
    pub async fn local() -> Self {
        let models = ModelServer::start().await;
        let council = CONFIG.split_once("[providers]").expect("a table of providers").1;
        let config = format!("[auth]\nmode = \"none\"\n\n[providers]{council}");
        Self::on(&format!("{config}{}", provider(&models)), models).await
    }

    /// The app with simulated models, as fast as they can write.
    pub async fn simulated() -> Self {
        let toml = r#"
[auth]
mode = "proxy"
trusted_proxies = ["127.0.0.1/32"]
admin_groups = ["admins"]

[providers.simulated]
tokens_per_second = 1000000
first_token_ms = 0
"#;
        Self::on(toml, ModelServer::start().await).await
    }

    /// The app over a database that something stands in already, with more configuration.
    pub async fn over(db: TestDb, toml: &str) -> Self {
        let models = ModelServer::start().await;
        Self::build(&format!("{CONFIG}{}{toml}", provider(&models)), models, db)
    }

    /// The app with simulated models that begin at once and then write a word a second.
    pub async fn simulated_slowly() -> Self {
        let toml = r#"
[auth]
mode = "proxy"
trusted_proxies = ["127.0.0.1/32"]

[providers.simulated]
tokens_per_second = 1
first_token_ms = 0
"#;
        Self::on(toml, ModelServer::start().await).await
    }

    /// The app with the built-in council, and the scripted server as OpenRouter, which lists these models
    /// (what stands in `data`).
    pub async fn openrouter(list: &Value) -> Self {
        Self::openrouter_with(list, "").await
    }

    /// The same with more configuration.
    pub async fn openrouter_with(list: &Value, toml: &str) -> Self {
        let models = ModelServer::start().await;
        let toml = format!(
            "[auth]\nmode = \"proxy\"\ntrusted_proxies = [\"127.0.0.1/32\"]\nadmin_groups = [\"admins\"]\n\
             [providers.openrouter]\nbase_url = \"{}\"\napi_key = \"sk-secret-of-the-test\"\n{toml}",
            models.base_url()
        );
        models.models(Script::raw("application/json", json!({ "data": list }).to_string()));
        let app = Self::on(&toml, models).await;
        app.app.models.refresh_models().await;
        app
    }

    async fn on(toml: &str, models: ModelServer) -> Self {
        Self::build(toml, models, TestDb::new().await)
    }

    fn build(toml: &str, models: ModelServer, db: TestDb) -> Self {
        let config = Config::from_parts(toml, &Default::default(), &Overrides::default())
            .expect("the test's configuration");
        let shutdown = Shutdown::new();
        let mut app = build::app(
            &config,
            db.db().clone(),
            shutdown.clone(),
            Arc::new(Telemetry::for_tests().expect("telemetry")),
        )
        .expect("the app");
        // This process is a test, and no program that reads files. A machine with much to do takes its time.
        app.extractor =
            Extractor::new(env!("CARGO_BIN_EXE_llm-council").into()).within(Duration::from_secs(120));
        let app = web::Data::new(app);
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, 0)).expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let (handle, server) = {
            let runs = app.runs.clone();
            // With as few connections as the program gives it.
            let writer = journal::database(db.options(), WRITER_CONNECTIONS);
            shutdown.tasks().spawn_background(runs.clone().write(writer));
            let work = move || shutdown.tasks().spawn_background(runs.work());
            server::serve(app.clone(), listener, work).expect("the server")
        };
        #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
        tokio::spawn(server);
        let base = format!("http://{}", SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
        Self { models, db, app, base, handle }
    }

    /// The address under which the proxy reaches it.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Somebody who came through the proxy.
    pub fn user(&self, name: &str) -> User<'_> {
        User::at(&self.base, name)
    }

    /// An administrator.
    pub fn admin(&self) -> User<'_> {
        self.user("root").with("remote-groups", "admins")
    }

    /// Somebody who reaches the port past the proxy, and claims to be whoever the headers say.
    pub fn stranger(&self) -> User<'_> {
        User {
            base: &self.base,
            headers: vec![("remote-user".into(), "admin".into())],
            client: client(Ipv4Addr::new(127, 0, 0, 9)),
        }
    }

    /// Stops the app and checks that nothing is left: no run, no stream, no task.
    pub async fn close(self) {
        self.app.runs.close();
        let left = self.app.shutdown.drain(Duration::from_secs(20)).await;
        assert!(left.is_clean(), "left behind: {left:?}");
        assert_eq!(self.app.runs.live_count(), 0);
        let unowned: i64 =
            sqlx::query_scalar("SELECT count(*) FROM runs WHERE status IN ('queued', 'running')")
                .fetch_one(&mut self.db.superuser().await)
                .await
                .expect("the runs");
        assert_eq!(unowned, 0, "runs that nobody will end");
        self.app.shutdown.tasks().end_background();
        self.handle.stop(false).await;
    }
}

fn provider(models: &ModelServer) -> String {
    format!(
        "\n[providers.scripted]\nkind = \"openai_compatible\"\nbase_url = \"{}\"\napi_key = \"sk-secret-of-the-test\"\n",
        models.base_url()
    )
}

fn client(from: Ipv4Addr) -> reqwest::Client {
    // Without certificates: reading those of the machine takes longer than most requests.
    reqwest::Client::builder()
        .tls_certs_only([])
        .local_address(Some(from.into()))
        .redirect(reqwest::redirect::Policy::none())
        // Of each read: a stream may be open for as long as a test takes.
        .read_timeout(TIMEOUT)
        // A connection that was opened in advance is ended by the server after ten seconds, which a machine that
        // is busy may spend before it is used.
        .pool_max_idle_per_host(0)
        .build()
        .expect("a client")
}

/// One person's way in.
#[derive(Clone)]
pub struct User<'a> {
    base: &'a str,
    headers: Vec<(String, String)>,
    client: reqwest::Client,
}

/// An answer, read.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

impl Answer {
    /// The body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The body of a success.
    #[track_caller]
    pub fn ok(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text);
        self.json()
    }

    /// The fields that a 422 names.
    #[track_caller]
    pub fn wrong_fields(&self) -> Vec<String> {
        assert_eq!(self.status, 422, "{}", self.text);
        let errors = self.json()["errors"].as_array().expect("a list of errors").clone();
        errors.iter().map(|error| error["field"].as_str().expect("a field").to_owned()).collect()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().expect("text")).unwrap_or_default()
    }
}

impl<'a> User<'a> {
    /// Somebody whom the proxy on 127.0.0.1 names to the server at `base` (`http://host:port`).
    pub fn at(base: &'a str, name: &str) -> Self {
        let headers = vec![("remote-user".into(), name.into())];
        Self { base, headers, client: client(Ipv4Addr::LOCALHOST) }
    }

    /// The same person with another header on every request.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Nobody: the identity headers left out.
    pub fn without_identity(mut self) -> Self {
        self.headers.retain(|(name, _)| !name.starts_with("remote-"));
        self
    }

    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let method = method.parse().expect("a method");
        let request = self.client.request(method, format!("{}{path}", self.base));
        self.headers.iter().fold(request, |request, (name, value)| request.header(name, value))
    }

    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        let request = self.request(method, path);
        let request = match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        };
        read(request).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send("POST", path, Some(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send("PUT", path, Some(&body)).await
    }

    /// Sends the same request until its answer is as wanted.
    ///
    /// # Panics
    /// After a minute, showing the last answer.
    pub async fn send_until(
        &self,
        method: &str,
        path: &str,
        body: Option<&Value>,
        wanted: impl Fn(&Answer) -> bool,
    ) {
        let until = Instant::now() + TIMEOUT;
        loop {
            let answer = self.send(method, path, body).await;
            if wanted(&answer) {
                return;
            }
            assert!(Instant::now() < until, "{method} {path} is still answered by {answer:?}");
        }
    }

    /// Waits until this run is cancelled, without reading its events.
    pub async fn until_cancelled(&self, run: &str) {
        let is_cancelled = |answer: &Answer| answer.ok()["status"] == "cancelled";
        self.send_until("GET", &format!("/api/runs/{run}"), None, is_cancelled).await;
    }

    /// A new conversation's id.
    pub async fn conversation(&self) -> String {
        self.post("/api/conversations", json!({})).await.ok()["id"].as_str().expect("an id").to_owned()
    }

    /// Asks in a conversation and reads the stream as it comes.
    pub async fn ask(&self, conversation: &str, body: Value) -> Events {
        self.stream(
            self.request("POST", &format!("/api/conversations/{conversation}/message/stream"))
                .header("content-type", "application/json")
                .body(body.to_string()),
        )
        .await
    }

    /// A run's events after one of them.
    pub async fn events(&self, run: &str, after: u64) -> Events {
        self.stream(self.request("GET", &format!("/api/runs/{run}/events?after={after}"))).await
    }

    async fn stream(&self, request: reqwest::RequestBuilder) -> Events {
        let response = request.send().await.expect("an answer");
        let status = response.status();
        assert_eq!(status, 200, "{}", response.text().await.unwrap_or_default());
        Events::new(response)
    }
}

/// Sends a request and reads the whole answer.
pub async fn read(request: reqwest::RequestBuilder) -> Answer {
    let response = request.send().await.expect("an answer");
    Answer {
        status: response.status().as_u16(),
        headers: response.headers().clone(),
        text: response.text().await.expect("a text"),
    }
}
