//! The semantic caches of everybody, in counts.

use actix_web::{get, web};
use serde::Serialize;

use crate::server::app::App;
use crate::server::cache::CacheStats;
use crate::server::extract::Caller;
use crate::server::problem::{Problem, ProblemBody};
use crate::store::{Scope, cache};

/// The caches of everybody, in counts: nothing of what was asked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(in crate::server) struct CacheUsage {
    /// Answers that are kept.
    entries: u64,
    /// People who have some.
    users: u64,
    /// Questions for which an earlier answer was looked for.
    queries: u64,
    hits: u64,
    misses: u64,
    /// Hits by questions, 0 to 1.
    hit_rate: f64,
    /// What the answers that were given again had cost, in USD, where that is known.
    cost_saved: f64,
    /// How long they had taken, in milliseconds.
    time_saved: u64,
    /// Questions of which no model could make a vector.
    embedding_failures: u64,
    api_embedding_entries: u64,
    hash_embedding_entries: u64,
}

/// The caches of everybody, in counts.
#[utoipa::path(tag = "admin", responses(
    (status = 200, body = CacheUsage), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody)))]
#[get("/admin/cache")]
pub(in crate::server) async fn report(
    app: web::Data<App>,
    caller: Caller,
) -> Result<web::Json<CacheUsage>, Problem> {
    caller.admin()?;
    let mut tx = app.db.begin(&Scope::Admin).await?;
    let (entries, counts) = cache::of_everybody(&mut tx).await?;
    let stats = CacheStats::from(counts);
    Ok(web::Json(CacheUsage {
        entries: entries.entries,
        users: entries.users,
        queries: stats.total_queries,
        hits: stats.cache_hits,
        misses: stats.cache_misses,
        hit_rate: stats.hit_rate,
        cost_saved: stats.cost_saved,
        time_saved: stats.time_saved,
        embedding_failures: stats.embedding_failures,
        api_embedding_entries: entries.by_model,
        hash_embedding_entries: entries.by_hash,
    }))
}
