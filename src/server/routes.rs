//! The table of routes. What is served here is in the OpenAPI document, and the other way round.

use std::sync::OnceLock;

use actix_web::middleware::from_fn;
use actix_web::{HttpRequest, HttpResponse, get, web};
use bytes::Bytes;
use utoipa::OpenApi;
use utoipa_actix_web::service_config::ServiceConfig;
use utoipa_actix_web::{AppExt, scope};

use super::middleware::gate;
use super::problem::Problem;
use super::{
    admin, analytics, attachments, benches, branches, budgets, cache, classify, conversations, corrections,
    feedback, folders, health, library, mcp, me, messages, openapi, options, own_data, presets, projects,
    push, regions, retry_member, runs, schedules, settings, sharing, skip, v1, version, webhooks, weights,
};

/// Every route but the web app's files. They are served by actix-web alone: utoipa would otherwise collect the document
/// at each start, although it is rarely asked for.
macro_rules! table {
    ($(#[$about:meta])* $name:ident, $config:ty, $scope:path) => {
        $(#[$about])*
        pub(super) fn $name(routes: &mut $config) {
            routes.service(health::live).service(health::ready).service(health::metrics);
            routes.service(
                $scope("/api")
                    .wrap(from_fn(gate::identify))
                    .service(conversations::list)
                    .service(conversations::create)
                    .service(conversations::read)
                    .service(conversations::change)
                    .service(conversations::remove)
                    .service(conversations::restore)
                    .service(conversations::set_tags)
                    .service(branches::choose)
                    .service(conversations::export)
                    .service(conversations::list_tags)
                    .service(conversations::search)
                    .service(folders::list)
                    .service(folders::create)
                    .service(folders::change)
                    .service(folders::remove)
                    .service(messages::ask_whole)
                    .service(messages::ask_streaming)
                    .service(messages::estimate)
                    .service(messages::estimate_first)
                    .service(messages::cancel)
                    .service(sharing::create)
                    .service(sharing::list)
                    .service(sharing::read)
                    .service(sharing::remove)
                    .service(sharing::copy)
                    .service(projects::list)
                    .service(projects::create)
                    .service(projects::read)
                    .service(projects::change)
                    .service(projects::remove)
                    .service(projects::members::put_member)
                    .service(projects::members::remove_member)
                    .service(projects::members::leave)
                    .service(projects::files::list)
                    .service(projects::files::add)
                    .service(projects::files::content)
                    .service(projects::files::remove)
                    .service(projects::conversations::list)
                    .service(projects::conversations::read)
                    .service(projects::conversations::copy)
                    .service(projects::conversations::place)
                    .service(projects::conversations::take_out)
                    .service(schedules::list)
                    .service(schedules::create)
                    .service(schedules::read)
                    .service(schedules::change)
                    .service(schedules::remove)
                    .service(schedules::run)
                    .service(schedules::results)
                    .service(schedules::times)
                    .service(attachments::uploading::upload)
                    .service(attachments::list)
                    .service(attachments::read)
                    .service(attachments::content)
                    .service(attachments::remove)
                    .service(runs::read)
                    .service(runs::events)
                    .service(runs::cancel)
                    .service(runs::retry)
                    .service(skip::skip)
                    .service(retry_member::retry_member)
                    .service(corrections::correct)
                    .service(cache::answer_offer)
                    .service(cache::config)
                    .service(cache::embeddings)
                    .service(cache::stats)
                    .service(cache::info)
                    .service(cache::entries)
                    .service(cache::remove)
                    .service(cache::clear)
                    .service(cache::forget)
                    .service(cache::search)
                    .service(cache::remove_by_id)
                    .service(feedback::read)
                    .service(feedback::say)
                    .service(feedback::withdraw)
                    .service(analytics::models)
                    .service(analytics::by_days)
                    .service(analytics::chairmen)
                    .service(analytics::head_to_head)
                    .service(analytics::reviewers)
                    .service(analytics::leaderboard)
                    .service(analytics::council)
                    .service(analytics::recent)
                    .service(analytics::clear)
                    .service(benches::list)
                    .service(benches::read)
                    .service(settings::show)
                    .service(settings::change)
                    .service(settings::reset)
                    .service(settings::council_models)
                    .service(settings::list_models)
                    .service(regions::list)
                    .service(presets::list)
                    .service(presets::save)
                    .service(presets::apply)
                    .service(presets::remove)
                    .service(library::list)
                    .service(library::create)
                    .service(library::read)
                    .service(library::change)
                    .service(library::remove)
                    .service(library::versions::read_version)
                    .service(library::versions::restore)
                    .service(library::rubric::draft)
                    .service(classify::classify)
                    .configure(options::$name)
                    .service(weights::list)
                    .service(weights::read)
                    .service(version::read)
                    .service(me::whoami)
                    .service(me::list_tokens)
                    .service(me::create_token)
                    .service(me::revoke_token)
                    .service(own_data::show)
                    .service(own_data::erase)
                    .service(own_data::export::download)
                    .service(webhooks::list)
                    .service(webhooks::create)
                    .service(webhooks::change)
                    .service(webhooks::remove)
                    .service(webhooks::replace_secret)
                    .service(webhooks::test)
                    .service(webhooks::deliveries)
                    .service(webhooks::resend)
                    .service(push::list)
                    .service(push::add)
                    .service(push::change)
                    .service(push::remove)
                    .service(push::test)
                    .service(push::saw)
                    .service(budgets::mine)
                    .service(budgets::set_my_caps)
                    .service(admin::usage::report)
                    .service(admin::search::report)
                    .service(admin::cache::report)
                    .service(admin::users::list)
                    .service(admin::runs::list)
                    .service(admin::runs::cancel)
                    .service(admin::audit::list)
                    .service(admin::settings::show)
                    .service(admin::settings::change)
                    .service(admin::settings::reset)
                    .service(admin::analytics::models)
                    .service(admin::analytics::by_days)
                    .service(admin::analytics::chairmen)
                    .service(admin::analytics::head_to_head)
                    .service(admin::analytics::reviewers)
                    .service(admin::analytics::leaderboard)
                    .service(admin::analytics::council)
                    .service(admin::budgets::list)
                    .service(admin::budgets::change)
                    .service(admin::providers::check)
                    .service(admin::retention::show)
                    .service(admin::retention::change)
                    .service(admin::retention::list_projects)
                    .service(admin::retention::change_in_project)
                    .service(admin::blocks::list)
                    .service(admin::blocks::place)
                    .service(admin::blocks::lift)
                    .service(admin::holds::list)
                    .service(admin::holds::place)
                    .service(admin::holds::lift)
                    .service(admin::access::list)
                    .service(admin::access::ask)
                    .service(admin::access::approve)
                    .service(admin::access::revoke)
                    .service(admin::access::read_list)
                    .service(admin::access::read_one)
                    .default_service(web::to(no_such_route)),
            );
            routes.service(
                $scope("/mcp")
                    .wrap(from_fn(mcp::gate::identify))
                    .service(mcp::endpoint::speak)
                    .default_service(web::to(no_such_route)),
            );
            routes.service(
                $scope("/v1")
                    .wrap(from_fn(v1::gate::identify))
                    .service(v1::models::list)
                    .service(v1::models::read)
                    .service(v1::chat::complete)
                    .service(v1::responses::create)
                    .service(v1::responses::read)
                    .service(v1::responses::delete)
                    .service(v1::responses::cancel)
                    .default_service(web::to(v1::gate::no_such_route)),
            );
        }
    };
}

table!(
    /// Serves them.
    served, web::ServiceConfig, web::scope
);
table!(
    /// Collects their part of the OpenAPI document.
    documented, ServiceConfig<'_>, scope
);

/// A path that does not exist, or a method that a path does not support.
async fn no_such_route(request: HttpRequest) -> HttpResponse {
    match request.match_pattern().as_deref().and_then(openapi::allowed) {
        Some(methods) => Problem::method_not_allowed(methods).response(),
        None => Problem::not_found("Page").response(),
    }
}

/// The document's frame.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "LLM Council",
        description = "A question goes to several language models at once, they review each other's answers \
                       blind, and a chairman writes the answer. Errors are problem details (RFC 9457, \
                       `application/problem+json`); a method that a path does not know is answered with 405 and \
                       `Allow`. HEAD is answered as GET is, without the body, but for streams."
    ),
    components(schemas(
        crate::council::Event,
        crate::council::run_event::RunEvent,
        crate::council::features::ProcessFact,
        super::shape::Conversation,
        super::problem::ProblemBody
    ))
)]
struct Document;

/// The OpenAPI document of the table above.
#[must_use]
pub fn openapi() -> utoipa::openapi::OpenApi {
    let (_, mut document) = actix_web::App::new()
        .into_utoipa_app()
        .openapi(Document::openapi())
        .configure(documented)
        .split_for_parts();
    openapi::complete(&mut document);
    document
}

/// Serves the document, which is made at the first request for it.
#[get("/openapi.json")]
pub(super) async fn serve_document() -> Result<HttpResponse, Problem> {
    static JSON: OnceLock<Bytes> = OnceLock::new();
    let json = web::block(|| {
        JSON.get_or_init(|| openapi().to_json().expect("plain data with string keys").into()).clone()
    });
    let json = json.await.map_err(|_| Problem::unavailable("this server is shutting down"))?;
    Ok(HttpResponse::Ok().content_type("application/json").body(json))
}
