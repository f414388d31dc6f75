//! The semantic cache: the answer to an offer, the entries of a person, and the statistics of looking.

use actix_web::{HttpRequest, delete, get, post, web};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::app::App;
use super::extract::{Body, Caller, body_if_any, id};
use super::problem::{Problem, ProblemBody};
use super::query::Query;
use super::shape::{Status, naive};
use super::{asking, budgets};
use crate::cache::hash_embedding;
use crate::config::CacheSharing;
use crate::council::earlier::{EarlierLookup, EarlierQuery, Embedded};
use crate::council::field::{FieldErrorKind, Fields};
use crate::council::options::cache::settings::CacheSettings;
use crate::council::options::cache::{self as option, CacheMode, CachePlan, DEFAULT_THRESHOLD, EMBEDDING};
use crate::council::settings::Settings;
use crate::id::{ConversationId, RunId};
use crate::identity::Permission;
use crate::llm::ChatRequest;
use crate::runs::OfferError;
use crate::store::{audit, cache};

/// How many components the vectors of the default embedding model have.
const DEFAULT_DIMENSION: usize = 1536;

/// What a person says to an offer.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body; it is read field by field")]
pub(super) struct OfferAnswer {
    /// Whether the earlier answer is taken; else the question is asked.
    take: bool,
}

/// What was said to an offer.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct OfferAnswered {
    pub status: Status,
    pub taken: bool,
}

/// Takes the earlier answer that a run offers (`cache_offer`), or has the question asked anyway. `cache_hit` or
/// `cache_miss` follows.
#[utoipa::path(tag = "cache", params(("id" = String, Path)), request_body = OfferAnswer, responses(
    (status = 200, body = OfferAnswered), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody), (status = 422, body = ProblemBody), (status = 503, body = ProblemBody)))]
#[post("/runs/{id}/cache")]
pub(super) async fn answer_offer(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<OfferAnswered>, Problem> {
    caller.may(Permission::Ask)?;
    let run = id(&path, "Run")?;
    let mut fields = Fields::of(&body.0)?;
    let take: Option<bool> = fields.take("take", "true or false");
    if !fields.has("take") {
        fields.refuse("take", FieldErrorKind::Missing, "must say whether the earlier answer is taken");
    }
    let taken = fields.finish(|| take.unwrap_or_default())?;
    app.runs.answer_offer(&caller.user, run, taken).await?;
    Ok(web::Json(OfferAnswered { status: Status::Ok, taken }))
}

impl From<OfferError> for Problem {
    fn from(error: OfferError) -> Self {
        match error {
            OfferError::NotOffered => Self::not_offered(
                "this run offers no earlier answer now: none was found, or the time to take it is over",
            ),
            OfferError::Answered => Self::not_offered("this offer has been answered already"),
            OfferError::Store(error) => Self::from(error).naming("Run"),
        }
    }
}

/// How the cache is set up for the caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheConfig {
    /// From which similarity on two questions count as the same, unless a request says otherwise.
    pub similarity_threshold: f64,
    /// What becomes of an answer that is found, unless a request says otherwise.
    pub cache_mode: CacheMode,
    /// Answers of one person that are kept; beyond it the least recently used ones are deleted.
    pub max_entries: u32,
    /// `max_entries` under the name that existing clients read.
    pub max_cache_entries: u32,
    /// Whether questions are compared by vectors of an embedding model. Not where its provider has no embeddings, whatever is
    /// set.
    pub use_api_embeddings: bool,
    pub embedding_model: String,
    /// Components of a vector where no model makes it.
    pub hash_dimension: usize,
    /// Whose questions one's answers may be given to besides one's own: `off`, members of one's `groups`, or `everyone`.
    #[schema(value_type = String)]
    pub sharing: &'static str,
}

fn sharing(app: &App) -> &'static str {
    match app.config.cache.sharing {
        CacheSharing::Off => "off",
        CacheSharing::Groups => "groups",
        CacheSharing::Everyone => "everyone",
    }
}

/// Whether a model makes the vectors of questions: it is to, and its provider has embeddings.
fn by_model(app: &App, cache: &CacheSettings) -> bool {
    cache.by_model(|model| app.models.offers_embeddings(model))
}

/// From which similarity on two questions count as the same where a request does not say.
fn threshold(settings: &Settings) -> f64 {
    let given = settings.options.requests.default_options.get("cache_similarity_threshold");
    given.and_then(Value::as_f64).unwrap_or(DEFAULT_THRESHOLD)
}

/// How the cache is set up for the caller, and with whom answers are shared.
#[utoipa::path(tag = "cache", responses((status = 200, body = CacheConfig), (status = 401, body = ProblemBody)))]
#[get("/cache/config")]
pub(super) async fn config(app: web::Data<App>, caller: Caller) -> Result<web::Json<CacheConfig>, Problem> {
    caller.may(Permission::Read)?;
    let (settings, _) = app.settings(&caller.scope()).await?;
    let threshold = threshold(&settings);
    let given = &settings.options.requests.default_options;
    let mode = given.get("cache_mode").and_then(|mode| serde_json::from_value(mode.clone()).ok());
    let cache = settings.options.cache;
    Ok(web::Json(CacheConfig {
        similarity_threshold: threshold,
        cache_mode: mode.unwrap_or_default(),
        max_entries: app.config.cache.max_entries,
        max_cache_entries: app.config.cache.max_entries,
        use_api_embeddings: by_model(&app, &cache),
        embedding_model: cache.embedding_model,
        hash_dimension: hash_embedding::DIMENSION,
        sharing: sharing(&app),
    }))
}

/// How texts become vectors for the caller.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct EmbeddingsConfig {
    /// The model of those who have not chosen another.
    pub default_model: String,
    /// The caller's.
    pub embedding_model: String,
    /// Components of the default model's vectors.
    pub embedding_dimension: usize,
    /// `embedding_dimension` under the name that existing clients read.
    pub dimensions: usize,
    /// The base URL under which the caller's model is asked, without a query; null where no model makes vectors, and where
    /// a simulated one does.
    pub api_url: Option<String>,
    /// Components of a vector where no model makes it.
    pub hash_dimension: usize,
    /// Whether a model makes them (`api`) or the text itself does (`hash`).
    #[schema(value_type = String)]
    pub method: &'static str,
    pub description: String,
}

/// How texts become vectors for the caller.
#[utoipa::path(tag = "cache", responses((status = 200, body = EmbeddingsConfig), (status = 401, body = ProblemBody)))]
#[get("/embeddings/config")]
pub(super) async fn embeddings(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<EmbeddingsConfig>, Problem> {
    caller.may(Permission::Read)?;
    let (settings, _) = app.settings(&caller.scope()).await?;
    let cache = settings.options.cache;
    let by_model = by_model(&app, &cache);
    Ok(web::Json(EmbeddingsConfig {
        default_model: app.defaults().options.cache.embedding_model,
        api_url: if by_model { app.models.address_of(&cache.embedding_model) } else { None },
        embedding_model: cache.embedding_model,
        embedding_dimension: DEFAULT_DIMENSION,
        dimensions: DEFAULT_DIMENSION,
        hash_dimension: hash_embedding::DIMENSION,
        method: if by_model { "api" } else { "hash" },
        description: "Questions as vectors, to find those that ask the same".to_owned(),
    }))
}

/// What looking for earlier answers came to.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheStats {
    /// Questions for which an earlier answer was looked for.
    pub total_queries: u64,
    pub cache_hits: u64,
    pub cache_misses: u64,
    /// Hits by questions, 0 to 1.
    pub hit_rate: f64,
    /// What the answers that were given again had cost, in USD, where that is known.
    pub cost_saved: f64,
    /// How long they had taken, in milliseconds.
    pub time_saved: u64,
    /// `cost_saved` and `time_saved` under the names that existing clients read.
    pub total_cost_saved: f64,
    pub total_time_saved_ms: u64,
    /// Questions of which no model could make a vector: only the same text was looked for.
    pub embedding_failures: u64,
    /// Naive UTC with microseconds; null where nothing was looked for.
    pub last_updated: Option<String>,
}

impl From<cache::Counts> for CacheStats {
    fn from(counts: cache::Counts) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "counts of questions are far below 2^52")]
        let hit_rate = if counts.looks == 0 { 0.0 } else { counts.hits as f64 / counts.looks as f64 };
        Self {
            total_queries: counts.looks,
            cache_hits: counts.hits,
            cache_misses: counts.looks.saturating_sub(counts.hits),
            hit_rate,
            cost_saved: counts.saved_usd,
            time_saved: counts.saved_ms,
            total_cost_saved: counts.saved_usd,
            total_time_saved_ms: counts.saved_ms,
            embedding_failures: counts.embedding_failures,
            last_updated: counts.last.map(naive),
        }
    }
}

/// What looking for earlier answers came to for the caller.
#[utoipa::path(tag = "cache", responses((status = 200, body = CacheStats), (status = 401, body = ProblemBody)))]
#[get("/cache/stats")]
pub(super) async fn stats(app: web::Data<App>, caller: Caller) -> Result<web::Json<CacheStats>, Problem> {
    caller.may(Permission::Read)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    Ok(web::Json(cache::mine(&mut tx).await?.into()))
}

/// The caller's cache, in figures.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheReport {
    /// Answers that are kept.
    pub cache_size: u64,
    pub max_entries: u32,
    pub similarity_threshold: f64,
    pub use_api_embeddings: bool,
    /// How often the answers that are kept were given again.
    pub total_entry_hits: u64,
    /// Answers whose question's vector a model made, and others.
    pub api_embedding_entries: u64,
    pub hash_embedding_entries: u64,
    /// Naive UTC with microseconds; null where there is none.
    pub last_updated: Option<String>,
    pub stats: CacheStats,
}

/// The caller's cache, in figures.
#[utoipa::path(tag = "cache", responses((status = 200, body = CacheReport), (status = 401, body = ProblemBody)))]
#[get("/cache/info")]
pub(super) async fn info(app: web::Data<App>, caller: Caller) -> Result<web::Json<CacheReport>, Problem> {
    caller.may(Permission::Read)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (settings, _) = app.settings_in(&mut tx).await?;
    let overview = cache::overview(&mut tx).await?;
    let counts = cache::mine(&mut tx).await?;
    Ok(web::Json(CacheReport {
        cache_size: overview.entries,
        max_entries: app.config.cache.max_entries,
        similarity_threshold: threshold(&settings),
        use_api_embeddings: by_model(&app, &settings.options.cache),
        total_entry_hits: overview.hits,
        api_embedding_entries: overview.by_model,
        hash_embedding_entries: overview.by_hash,
        last_updated: overview.last.map(naive),
        stats: counts.into(),
    }))
}

/// Which entries.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct EntriesQuery {
    /// How many, 1 to 200; 50 when left out.
    limit: Option<u32>,
    /// How many of them to pass over.
    offset: Option<u32>,
    /// Words that the question has.
    q: Option<String>,
}

/// An answer that is kept.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheEntry {
    pub id: Uuid,
    /// The question.
    pub query: String,
    pub conversation_id: ConversationId,
    pub run_id: RunId,
    /// The format it was deliberated in.
    pub format: String,
    /// `api` where a model made the question's vector, else `hash`.
    pub embedding_method: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_model: Option<String>,
    /// Naive UTC with microseconds.
    pub created_at: String,
    /// When it was last given again.
    pub last_hit: Option<String>,
    pub hit_count: u32,
    /// What it cost, in USD; null where that is not known.
    pub cost_usd: Option<f64>,
    pub took_ms: u64,
    /// Whether it may be given to others.
    pub shared: bool,
    /// What the caller thought of it, wherever it was given; what others thought is not told.
    pub thumbs_up: u64,
    pub thumbs_down: u64,
}

impl From<cache::Entry> for CacheEntry {
    fn from(entry: cache::Entry) -> Self {
        Self {
            id: entry.id,
            query: entry.query,
            conversation_id: entry.conversation,
            run_id: entry.run,
            format: entry.format,
            embedding_method: entry.method,
            embedding_model: entry.model,
            created_at: naive(entry.created_at),
            last_hit: entry.last_hit_at.map(naive),
            hit_count: entry.hit_count,
            cost_usd: entry.cost_usd,
            took_ms: entry.took_ms,
            shared: entry.is_shared,
            thumbs_up: entry.thumbs_up,
            thumbs_down: entry.thumbs_down,
        }
    }
}

/// A page of the answers that are kept.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheEntries {
    /// Most recently used first; without vectors.
    pub entries: Vec<CacheEntry>,
    pub total: u64,
    pub limit: u32,
    pub offset: u32,
}

const MAX_LIMIT: u32 = 200;

/// The caller's answers that are kept.
#[utoipa::path(tag = "cache", params(EntriesQuery), responses(
    (status = 200, body = CacheEntries), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/cache/entries")]
pub(super) async fn entries(
    app: web::Data<App>,
    caller: Caller,
    query: Query<EntriesQuery>,
) -> Result<web::Json<CacheEntries>, Problem> {
    caller.may(Permission::Read)?;
    let EntriesQuery { limit, offset, q } = query.into_inner();
    let (limit, offset) = (limit.unwrap_or(50), offset.unwrap_or(0));
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Problem::field("limit", &format!("must be from 1 to {MAX_LIMIT}; it is {limit}")));
    }
    let words: Vec<String> = q.unwrap_or_default().split_whitespace().take(20).map(str::to_owned).collect();
    if words.iter().any(|word| word.contains('\0')) {
        return Err(Problem::field("q", "must not contain U+0000"));
    }
    let mut tx = app.db.begin(&caller.scope()).await?;
    let listed = cache::list(&mut tx, (limit, offset), &words).await?;
    let entries = listed.entries.into_iter().map(CacheEntry::from).collect();
    Ok(web::Json(CacheEntries { entries, total: listed.total, limit, offset }))
}

/// Confirms a deletion, as existing clients read it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheDeleted {
    pub success: bool,
    /// The id of the one that was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted: Option<String>,
    /// How many there were, where all were deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries_cleared: Option<u64>,
    pub message: String,
}

/// Deletes one of the caller's answers that are kept. The conversation that has it stays.
#[utoipa::path(tag = "cache", params(("id" = String, Path)), responses(
    (status = 200, body = CacheDeleted), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[delete("/cache/entries/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<CacheDeleted>, Problem> {
    removed(&app, &caller, &path).await
}

/// Deletes one of the caller's answers that are kept, as `DELETE /api/cache/entries/{id}` does.
#[utoipa::path(tag = "cache", params(("id" = String, Path)), responses(
    (status = 200, body = CacheDeleted), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
// An id is none of the names at the same place, such as `config`.
#[delete("/cache/{id:[0-9a-f-]+}")]
pub(super) async fn remove_by_id(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<CacheDeleted>, Problem> {
    removed(&app, &caller, &path).await
}

async fn removed(app: &App, caller: &Caller, id: &str) -> Result<web::Json<CacheDeleted>, Problem> {
    caller.may(Permission::Ask)?;
    let entry: Uuid = id.parse().map_err(|_| Problem::not_found("Cache entry"))?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    cache::remove(&mut tx, entry).await.map_err(|error| Problem::from(error).naming("Cache entry"))?;
    audit::append(&mut tx, &caller.user, "cache.delete", Some(&entry.to_string()), &json!({})).await?;
    tx.commit().await?;
    let message = format!("Deleted cache entry {entry}");
    Ok(web::Json(CacheDeleted {
        success: true,
        deleted: Some(entry.to_string()),
        entries_cleared: None,
        message,
    }))
}

/// Deletes all of the caller's answers that are kept. The conversations that have them stay.
#[utoipa::path(tag = "cache", responses((status = 200, body = CacheDeleted), (status = 401, body = ProblemBody)))]
#[delete("/cache")]
pub(super) async fn clear(app: web::Data<App>, caller: Caller) -> Result<web::Json<CacheDeleted>, Problem> {
    caller.may(Permission::Ask)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    let cleared = cache::clear(&mut tx).await?;
    audit::append(&mut tx, &caller.user, "cache.clear", None, &json!({ "entries": cleared })).await?;
    tx.commit().await?;
    let message = format!("Cleared {cleared} cache entries");
    Ok(web::Json(CacheDeleted { success: true, deleted: None, entries_cleared: Some(cleared), message }))
}

/// Forgets what looking for earlier answers came to for the caller. The answers stay.
#[utoipa::path(tag = "cache", responses((status = 200, body = CacheDeleted), (status = 401, body = ProblemBody)))]
#[delete("/cache/stats")]
pub(super) async fn forget(app: web::Data<App>, caller: Caller) -> Result<web::Json<CacheDeleted>, Problem> {
    caller.may(Permission::Ask)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    cache::forget(&mut tx).await?;
    audit::append(&mut tx, &caller.user, "cache.clear_stats", None, &json!({})).await?;
    tx.commit().await?;
    let message = "Cache statistics cleared".to_owned();
    Ok(web::Json(CacheDeleted { success: true, deleted: None, entries_cleared: None, message }))
}

/// What to search the caller's answers for, in the query or in the body.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct CacheQuery {
    /// The question, 1 to 100,000 characters. Required here or in the body.
    query: Option<String>,
    /// The system prompt it would be asked with.
    system_prompt: Option<String>,
    /// From which similarity on it counts as the same; 0.5 to 1, 0.92 when left out.
    similarity_threshold: Option<f64>,
}

/// What to search the caller's answers for. Each field counts before the same one of the query.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[expect(dead_code, reason = "documents the body; it is read field by field")]
pub struct CacheSearchRequest {
    /// The question, 1 to 100,000 characters. Required here or in the query.
    query: Option<String>,
    /// The system prompt it would be asked with.
    system_prompt: Option<String>,
    /// From which similarity on it counts as the same; 0.5 to 1, 0.92 when left out.
    similarity_threshold: Option<f64>,
}

impl CacheQuery {
    /// This query, with the fields of the body in place of the URL's.
    ///
    /// # Errors
    /// Every wrong field of the body.
    fn over(self, body: &Value) -> Result<Self, Problem> {
        let mut fields = Fields::of(body)?;
        let query = fields.take("query", "text").or(self.query);
        let system_prompt = fields.take("system_prompt", "text").or(self.system_prompt);
        let similarity_threshold =
            fields.take("similarity_threshold", "a number").or(self.similarity_threshold);
        Ok(fields.finish(|| Self { query, system_prompt, similarity_threshold })?)
    }
}

/// What was found.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct CacheSearch {
    pub found: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub similarity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_query: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_id: Option<String>,
    /// RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_count: Option<u32>,
}

/// The ledger's format for searches.
const SEARCH: &str = "cache_search";

/// Says whether a question, asked now as the first of a conversation, would be given an earlier answer of the caller's.
/// Where no text is the same it makes one call to the embedding model, for which budgets hold and which the ledger has
/// under the format `cache_search`.
#[utoipa::path(tag = "cache", params(CacheQuery), request_body = Option<CacheSearchRequest>, responses(
    (status = 200, body = CacheSearch), (status = 401, body = ProblemBody), (status = 402, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/cache/search")]
pub(super) async fn search(
    app: web::Data<App>,
    caller: Caller,
    request: HttpRequest,
    query: Query<CacheQuery>,
    payload: web::Payload,
) -> Result<web::Json<CacheSearch>, Problem> {
    caller.may(Permission::Ask)?;
    let body = body_if_any(&request, payload).await?;
    let CacheQuery { query: question, system_prompt, similarity_threshold } =
        query.into_inner().over(&body)?;
    let question = question.ok_or_else(|| Problem::field("query", "the question is required, as text"))?;
    let body = json!({
        "content": question, "system_prompt": system_prompt, "use_cache": true,
        "cache_similarity_threshold": similarity_threshold,
    });
    let plan = asking::plan(&app, &caller, None, &body, None).await?;
    let Some(CachePlan { scope, threshold, .. }) = plan.cache else { return Err(Problem::internal()) };
    let same = EarlierQuery { scope, question: &question, near: None };
    let mut looked = app.runs.look_for_earlier(&caller.user, &same).await;
    if matches!(looked, EarlierLookup::Nothing { .. })
        && let Some(embedded) = embed(&app, &caller, &plan.brief().settings.options.cache, &question).await?
    {
        let near = EarlierQuery { near: Some((&embedded, threshold)), ..same };
        looked = app.runs.look_for_earlier(&caller.user, &near).await;
    }
    Ok(web::Json(match looked {
        EarlierLookup::Answer(answer) => CacheSearch {
            found: true,
            similarity: Some(answer.similarity),
            cached_query: answer.question,
            cache_id: Some(answer.id),
            created_at: Some(answer.created_at),
            hit_count: Some(answer.hit_count),
        },
        EarlierLookup::Nothing { .. } => CacheSearch {
            found: false,
            similarity: None,
            cached_query: None,
            cache_id: None,
            created_at: None,
            hit_count: None,
        },
        EarlierLookup::Unavailable => {
            return Err(Problem::unavailable("the database cannot be asked now; try again"));
        }
    }))
}

/// The question as a vector; none where the model fails, so that only the same text counts.
async fn embed(
    app: &App,
    caller: &Caller,
    settings: &CacheSettings,
    question: &str,
) -> Result<Option<Embedded>, Problem> {
    if !settings.use_api_embeddings {
        return Ok(Some(Embedded::Hash(hash_embedding::embed(question))));
    }
    let model = settings.embedding_model.clone();
    let request = ChatRequest::embedding(&model, &EMBEDDING, question);
    let payer = budgets::payer(app, caller).await?;
    let reply = app.runs.call_once(payer, SEARCH, option::STAGE, request).await?;
    let vector = reply.ok().and_then(|reply| reply.embedding);
    Ok(vector.map(|vector| Embedded::Model { model, vector: vector.into_components() }))
}
