use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::FutureExt as _;
use tokio::sync::Notify;

use super::super::offers::{LIST_TTL, LIST_TTL_AFTER_ERROR, ListError, ModelList};
use super::super::purpose::ANY;
use super::super::registry_lists::pause_after;
use super::super::request::ChatMessage;
use super::super::{Chunks, ErrorKind, NoSink, Schema, Tool};
use super::super::{bedrock, openai_compatible, openrouter, simulated};
use super::*;

fn simulated(name: &str) -> ProviderSettings {
    ProviderSettings::new(name, &simulated::KIND).with("tokens_per_second", 0)
}

fn registry() -> Registry {
    Registry::new(vec![simulated("sim"), simulated("other")], "sim").unwrap()
}

fn problems(providers: Vec<ProviderSettings>, default: &str) -> Vec<String> {
    match Registry::new(providers, default) {
        Err(RegistryError::Settings(problems)) => problems,
        Err(RegistryError::Client(error)) => panic!("{error}"),
        Ok(_) => Vec::new(),
    }
}

#[test]
fn only_a_configured_name_before_the_colon_is_a_provider() {
    let registry = registry();
    for (id, provider, bare) in [
        ("x/y", "sim", "x/y"),
        ("x/y:free", "sim", "x/y:free"),
        ("llama3:8b", "sim", "llama3:8b"),
        ("other:llama3:8b", "other", "llama3:8b"),
        ("sim:x", "sim", "x"),
        ("Other:x", "sim", "Other:x"),
        ("", "sim", ""),
        (":", "sim", ":"),
        ("other:", "other", ""),
    ] {
        let (entry, resolved) = registry.resolve(id);
        assert_eq!((entry.name.as_str(), resolved), (provider, bare), "{id}");
    }
}

#[test]
fn every_wrong_setting_is_named_and_no_secret_is() {
    let bad = ProviderSettings {
        base_url: Some("ftp://hidden.example".into()),
        api_key: Some("hidden\u{1}".to_owned().into()),
        headers: BTreeMap::from([("bad name".into(), "x".into()), ("x-ok".into(), "hidden\n".into())]),
        max_in_flight: 0,
        ..ProviderSettings::new("bad", &openai_compatible::KIND)
    };
    let missing = ProviderSettings::new("missing", &openai_compatible::KIND);
    let odd = ProviderSettings::new("a:b", &simulated::KIND);
    let all = problems(vec![bad, missing, odd, simulated("twice"), simulated("twice")], "sim");
    let starts = [
        "providers.bad.max_in_flight: ",
        "providers.bad.headers: `bad name`",
        "providers.bad.headers.x-ok: ",
        "providers.bad.api_key: ",
        "providers.bad.base_url: ",
        "providers.missing.base_url: ",
        "providers: `a:b`",
        "providers.twice: ",
    ];
    assert_eq!(all.len(), starts.len(), "{all:#?}");
    for (problem, start) in all.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem}");
        assert!(!problem.contains("hidden"), "{problem}");
    }
}

#[test]
fn a_default_that_is_not_configured_is_named() {
    assert_eq!(problems(vec![simulated("sim")], "gate"), ["the default provider `gate` is not configured"]);
}

fn request(model: &str) -> ChatRequest {
    ChatRequest { seed: 7, ..ChatRequest::new(model, &ANY, vec![ChatMessage::user("Why?")]) }
}

#[tokio::test]
async fn a_simulated_model_answers_by_its_full_id() {
    let registry = registry();
    let reply = registry.chat(&request("other:cedar/pro"), &mut NoSink).await.unwrap();
    let bare = registry.chat(&request("cedar/pro"), &mut NoSink).await.unwrap();
    assert_eq!((reply.text, reply.finish_reason.as_deref()), (bare.text, Some("stop")));
    assert!(registry.is_simulated("other:cedar/pro"));
}

#[tokio::test]
async fn openrouter_without_a_key_is_an_error_before_any_request() {
    let registry = Registry::new(vec![ProviderSettings::new("openrouter", &openrouter::KIND)], "openrouter");
    let error = registry.unwrap().chat(&request("x/y"), &mut NoSink).await.unwrap_err();
    assert_eq!((error.kind, error.tries), (ErrorKind::Auth, 1));
    assert_eq!(error.message, "openrouter has no key: set providers.openrouter.api_key");
}

/// A model in a list. Only `x/y:free` says what it can do.
fn listed(id: &str) -> ModelInfo {
    ModelInfo {
        id: id.into(),
        name: id.into(),
        context_length: None,
        pricing: Some(Pricing { prompt: 0.5, completion: 1.0, ..Pricing::default() }),
        provider: "gate".into(),
        family: "x".into(),
        structured_outputs: id == "x/y:free",
        tools: (id == "x/y:free").then_some(false),
        images: (id == "x/y:free").then_some(true),
        canonical: None,
        region: None,
    }
}

/// Lists one model, or fails, once the test lets it.
struct Listing {
    asked: Arc<AtomicUsize>,
    go: Arc<Notify>,
    fails: Range<usize>,
}

#[async_trait]
impl Provider for Listing {
    async fn open(&self, request: &ChatRequest) -> Result<Chunks, CallError> {
        use futures_util::StreamExt as _;
        assert!(
            request.schema.is_none() || request.model == "x/y:free",
            "{} does not offer it",
            request.model
        );
        let usage = super::super::Usage { prompt_tokens: 10, completion_tokens: 1, ..Default::default() };
        let chunks = [super::super::Chunk::Text("x".into()), super::super::Chunk::Usage(usage)];
        Ok(futures_util::stream::iter(chunks.map(Ok)).boxed())
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, CallError> {
        let nth = self.asked.fetch_add(1, Ordering::Relaxed);
        self.go.notified().await;
        if self.fails.contains(&nth) {
            return Err(CallError::new(ErrorKind::Overloaded, "gate is down"));
        }
        Ok(["x/y:free", "sim:z"].map(listed).to_vec())
    }

    fn schemas(&self) -> Schemas {
        Schemas::Listed
    }
}

/// A registry with a simulated default and one that lists on command.
fn listing(fails_from: usize) -> (Registry, Arc<AtomicUsize>, Arc<Notify>) {
    listing_but(fails_from..usize::MAX)
}

/// [`listing`] in which these fetches fail.
fn listing_but(fails: Range<usize>) -> (Registry, Arc<AtomicUsize>, Arc<Notify>) {
    let (asked, go) = (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()));
    let mut registry = Registry::new(vec![simulated("sim")], "sim").unwrap();
    let provider = Listing { asked: Arc::clone(&asked), go: Arc::clone(&go), fails };
    let entry = Entry {
        name: "gate".into(),
        provider: Box::new(provider),
        places: InFlight::new(4),
        breaker: Breaker::new("gate"),
        retry: RetryPolicy::NEVER,
        schema_refusals: Refusals::default(),
        tool_refusals: Refusals::default(),
        image_models: Vec::new(),
        max_answer_bytes: 100,
    };
    registry.entries.insert("gate".into(), entry);
    (registry, asked, go)
}

fn ids(list: &ModelList) -> Vec<&str> {
    list.models.iter().map(|model| model.id.as_str()).collect()
}

#[tokio::test(start_paused = true)]
async fn the_list_is_fetched_once_for_many_and_then_served_from_memory() {
    let (registry, asked, go) = listing(9);
    go.notify_one();
    let (one, two) = tokio::join!(registry.models(), registry.models());
    assert_eq!((asked.load(Ordering::Relaxed), &one), (1, &two));
    let listed = ids(&one);
    assert_eq!(listed[..5], super::super::simulated::MODELS, "the default provider's come first, bare");
    assert_eq!(listed[5..], ["gate:x/y:free", "gate:sim:z"]);
    assert!(registry.models().now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_stale_list_is_served_while_it_is_fetched_anew() {
    let (registry, asked, go) = listing(9);
    go.notify_one();
    registry.models().await;
    tokio::time::advance(LIST_TTL).await;
    let mut refreshing = Box::pin(registry.models());
    assert!(refreshing.as_mut().now_or_never().is_none(), "the first to come fetches");
    assert_eq!(ids(&registry.models().now_or_never().unwrap()).len(), 7);
    go.notify_one();
    refreshing.await;
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_fails_is_reported_and_its_models_stay() {
    let (registry, _, go) = listing(1);
    go.notify_one();
    assert_eq!(registry.models().await.errors, []);
    go.notify_one();
    let list = registry.refresh_models().await;
    assert_eq!(ids(&list).len(), 7);
    assert_eq!(list.errors, [ListError { provider: "gate".into(), message: "gate is down".into() }]);
    assert!(registry.models().now_or_never().is_some());
    tokio::time::advance(LIST_TTL_AFTER_ERROR).await;
    assert!(registry.models().now_or_never().is_none(), "asked again soon");
}

#[tokio::test(start_paused = true)]
async fn who_sees_pictures_is_what_the_configuration_or_the_list_says() {
    let (mut registry, _, go) = listing(1);
    assert!(!registry.sees_images("gate:x/y:free"), "nothing is known of it yet");
    go.notify_one();
    let list = registry.models().await;
    assert!(registry.sees_images("gate:x/y:free") && registry.sees_images("gate:x/y"));
    assert!(!registry.sees_images("gate:sim:z"));
    let seeing: Vec<&str> = list
        .models
        .iter()
        .filter(|model| model.images == Some(true))
        .map(|model| model.id.as_str())
        .collect();
    assert_eq!(seeing[..5], super::super::simulated::MODELS);
    assert_eq!(
        (&seeing[5..], registry.models_that_see(2).map(|some| some.len())),
        (&["gate:x/y:free"][..], Some(2))
    );
    registry.entries.get_mut("gate").unwrap().image_models = vec!["sim:*".into()];
    assert!(registry.sees_images("gate:sim:z"));
    assert!(registry.sees_images("cedar/pro") && !registry.sees_images("cedar/blind"));
}

/// Sleeps until the list is due at the latest; then it is fetched, and the provider is let answer.
async fn next_list(after: Duration, go: &Notify) {
    go.notify_one();
    tokio::time::sleep(after).await;
}

#[tokio::test(start_paused = true)]
async fn the_list_is_asked_for_again_by_itself_and_sooner_after_a_failure() {
    let (registry, asked, go) = listing_but(0..2);
    let fetched = || asked.load(Ordering::Relaxed);
    let priced = || registry.price("gate:x/y:free", 1).is_some();
    let watching = async {
        next_list(Duration::from_millis(1), &go).await;
        assert_eq!((fetched(), priced()), (1, false), "down when the server started");
        next_list(LIST_TTL_AFTER_ERROR, &go).await;
        assert_eq!((fetched(), priced()), (2, false));
        next_list(LIST_TTL_AFTER_ERROR, &go).await;
        assert_eq!(fetched(), 2, "longer and longer");
        tokio::time::sleep(LIST_TTL_AFTER_ERROR).await;
        assert_eq!((fetched(), priced()), (3, true), "nobody has opened the list of models");
        next_list(LIST_TTL / 2, &go).await;
        assert_eq!(fetched(), 3, "fresh");
        tokio::time::sleep(LIST_TTL / 2).await;
        assert_eq!(fetched(), 4);
    };
    tokio::select! {
        () = registry.keep_lists_fresh() => unreachable!("it goes on until it is dropped"),
        () = watching => {}
    }
}

#[test]
fn lists_that_fail_for_long_are_asked_for_as_often_as_others() {
    let seconds: Vec<u64> =
        [0, 1, 2, 3, 4, 5, 6, 40].map(|failures| pause_after(failures).as_secs()).to_vec();
    assert_eq!(seconds, [600, 30, 60, 120, 240, 480, 600, 600]);
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_fetch_is_taken_up_by_the_next() {
    let (registry, asked, go) = listing(9);
    assert!(registry.models().now_or_never().is_none());
    go.notify_one();
    registry.models().await;
    assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn the_cost_comes_from_the_list_once_it_is_known() {
    let (registry, _, go) = listing(9);
    let cost =
        async || registry.chat(&request("gate:x/y:free"), &mut NoSink).await.unwrap().usage.unwrap().cost_usd;
    assert_eq!(cost().await, None, "unknown, not zero");
    go.notify_one();
    registry.models().await;
    assert_eq!(cost().await, Some(6.0));
}

#[tokio::test(start_paused = true)]
async fn a_schema_goes_only_to_models_that_offer_it() {
    let (registry, _, go) = listing(9);
    assert!(registry.offers_schema("cedar/pro"), "simulated");
    assert!(!registry.offers_schema("gate:x/y:free"), "nothing is known of it yet");
    go.notify_one();
    registry.models().await;
    assert!(registry.offers_schema("gate:x/y:free") && !registry.offers_schema("gate:sim:z"));
    registry.entries["gate"].schema_refusals.remember("x/y:free");
    assert!(!registry.offers_schema("gate:x/y:free"), "it refused one");

    let schema = Schema::new("verdict", serde_json::json!({"type": "object"}));
    let asking = ChatRequest { schema: Some(schema), ..request("gate:sim:z") };
    assert_eq!(registry.chat(&asking, &mut NoSink).await.unwrap().text, "x", "without the schema");
    assert_eq!(
        registry.chat(&ChatRequest { model: "cedar/pro".into(), ..asking }, &mut NoSink).await.unwrap().text,
        "{}"
    );
}

#[tokio::test(start_paused = true)]
async fn tools_are_offered_unless_the_list_or_a_refusal_says_no() {
    let (registry, _, go) = listing(1);
    assert!(registry.offers_tools("gate:x/y:free"), "nothing is known of it yet");
    go.notify_one();
    registry.models().await;
    assert!(!registry.offers_tools("gate:x/y:free"), "its list says that it takes none");
    assert!(registry.offers_tools("gate:sim:z") && registry.offers_tools("cedar/pro"));
    registry.entries["gate"].tool_refusals.remember("sim:z");
    assert!(!registry.offers_tools("gate:sim:z"));

    let tool = Tool {
        name: "search_web".into(),
        description: "Searches.".into(),
        parameters: serde_json::json!({"type": "object"}),
    };
    let asking = ChatRequest { tools: vec![tool], ..request("gate:sim:z") };
    let reply = registry.chat(&asking, &mut NoSink).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.tools_refused), ("x", true));
    let reply =
        registry.chat(&ChatRequest { model: "cedar/pro".into(), ..asking }, &mut NoSink).await.unwrap();
    assert_eq!((reply.tools_refused, reply.tool_calls[0].name.as_str()), (false, "search_web"));
    assert_eq!(reply.tool_calls[0].arguments, r#"{"query":"Why"}"#);
}

#[test]
fn who_makes_vectors_and_where_is_known_without_asking() {
    let with_key = |settings: ProviderSettings| ProviderSettings {
        api_key: Some("hidden".to_owned().into()),
        ..settings
    };
    let gate = ProviderSettings {
        base_url: Some("https://gate.example/v1/?key=hidden".into()),
        ..ProviderSettings::new("gate", &openai_compatible::KIND)
    };
    let providers = vec![
        simulated("sim"),
        gate,
        with_key(ProviderSettings::new("anthropic", &openai_compatible::KIND)),
        with_key(ProviderSettings::new("aws", &bedrock::KIND)),
        ProviderSettings::new("openrouter", &openrouter::KIND),
    ];
    let registry = Registry::new(providers, "sim").unwrap();
    for (model, offers, address) in [
        ("x/y", true, None),
        ("gate:x/y", true, Some("https://gate.example/v1")),
        ("anthropic:x/y", false, Some("https://api.anthropic.com/v1")),
        (
            "aws:eu-west-1/amazon.titan-embed-text-v2:0",
            true,
            Some("https://bedrock-runtime.eu-west-1.amazonaws.com"),
        ),
        ("aws:x/y", false, Some("https://bedrock-runtime.us-east-2.amazonaws.com")),
        ("openrouter:x/y", true, Some("https://openrouter.ai/api/v1")),
    ] {
        assert_eq!(registry.offers_embeddings(model), offers, "{model}");
        assert_eq!(registry.address_of(model).as_deref(), address, "{model}");
    }
}

#[test]
fn an_openai_compatible_server_offers_schemas_when_the_operator_says_so() {
    for offers in [false, true] {
        let settings = ProviderSettings {
            base_url: Some("http://gate.example/v1".into()),
            ..ProviderSettings::new("gate", &openai_compatible::KIND).with("structured_outputs", offers)
        };
        assert_eq!(Registry::new(vec![settings], "gate").unwrap().offers_schema("m"), offers);
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_is_on_offer_when_its_provider_lists_it_or_lists_nothing() {
    let (registry, _, go) = listing(1);
    assert!(registry.is_available("gate:no/such"), "nobody has asked yet");
    go.notify_one();
    registry.models().await;
    for (id, offered) in [
        ("gate:x/y:free", true),
        ("gate:sim:z", true),
        // A tag that only one side has names a variant of the same model.
        ("gate:x/y", true),
        ("gate:x/y:free:online", true),
        ("gate:x/y:nitro", false),
        ("gate:no/such", false),
        ("any/thing", true),
        ("sim:any/thing", true),
    ] {
        assert_eq!(registry.is_available(id), offered, "{id}");
    }
    go.notify_one();
    registry.refresh_models().await;
    assert!(!registry.is_available("gate:no/such"), "what it listed before its failure holds");
    let (registry, _, go) = listing(0);
    go.notify_one();
    registry.models().await;
    assert!(registry.is_available("gate:no/such"), "a list that could not be read says nothing");
}

#[test]
fn a_router_that_is_not_listed_is_on_offer_at_openrouter_alone() {
    let at = |name: &str, base_url: &str| ProviderSettings {
        base_url: Some(base_url.into()),
        ..ProviderSettings::new(name, &openai_compatible::KIND)
    };
    let providers = vec![
        ProviderSettings::new("openrouter", &openrouter::KIND),
        at("ours", "https://openrouter.ai/api/v1"),
        at("gate", "https://gate.example/v1"),
    ];
    let registry = Registry::new(providers, "openrouter").unwrap();
    let lists = ["openrouter", "ours", "gate"].map(|name| (name.to_owned(), vec![listed("x/y")]));
    let offers = Offers::new(Arc::default(), tokio::time::Instant::now(), lists.into());
    *registry.offers.write().unwrap() = Some(Arc::new(offers));
    for (id, offered) in [
        ("openrouter/auto", true),
        ("ours:openrouter/auto", true),
        ("gate:openrouter/auto", false),
        ("gate:x/y", true),
        ("openrouter:no/such", false),
        ("ours:no/such", false),
    ] {
        assert_eq!(registry.is_available(id), offered, "{id}");
    }
}
