//! Conversations: list, create, read, rename, tag, delete, restore, search, export.

use actix_web::http::header;
use actix_web::{HttpResponse, delete, get, patch, post, put, web};
use serde::Deserialize;
use serde_json::json;

use super::app::App;
use super::extract::{Body, Caller, id};
use super::folders;
use super::page::{WholeQuery, paged};
use super::problem::{Problem, ProblemBody};
use super::projects::placing;
use super::query::Query;
use super::shape::{Changed, Conversation, ConversationSummary, Deleted, Restored, SearchHit, Status, Tags};
use crate::council::field::{FieldErrorKind, Fields, name_problem};
use crate::id::{ConversationId, FolderId, MessageId, ProjectId};
use crate::identity::Permission;
use crate::store::conversations::{self, Filter, InFolder, Node, Order, PurgeState, Tree};
use crate::store::{StoreError, audit, purge_now};

const MAX_TITLE_CHARS: usize = 200;
const MAX_TAGS: usize = 20;
const MAX_TAG_CHARS: usize = 40;
/// How many tags of a list are looked at, the same ones among them: each is compared with those before it, and a list may fill a
/// whole body.
const MOST_READ: usize = 100;
const MAX_PER_PAGE: u32 = 500;

/// Tags that are offered before a user has own ones.
const SUGGESTIONS: [&str; 8] =
    ["coding", "writing", "analysis", "research", "creative", "technical", "business", "learning"];

/// Which conversations to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct ListQuery {
    /// How many at most, 1 to 500.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
    /// Only those with this tag.
    tag: Option<String>,
    /// The archived ones instead of the others; of deleted ones both when left out.
    archived: Option<bool>,
    /// Only the pinned ones.
    pinned: Option<bool>,
    /// The deleted ones instead of the others.
    deleted: Option<bool>,
    /// What comes first: `created` (the newest one; so without this) or `asked` (the one that was asked in last).
    order: Option<String>,
    /// Only those in this project; others' are in `GET /api/projects/{id}/conversations`.
    project_id: Option<ProjectId>,
    /// Only those in this folder; `none`: only those in no folder.
    folder_id: Option<String>,
}

/// The caller's conversations, newest first unless another order is asked for: a plain array, its paging in `X-Total-Count` and
/// `Link`.
#[utoipa::path(tag = "conversations", params(ListQuery), responses(
    (status = 200, body = Vec<ConversationSummary>), (status = 401, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/conversations")]
pub(super) async fn list(
    app: web::Data<App>,
    caller: Caller,
    query: Query<ListQuery>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Read)?;
    let limit = query.limit.unwrap_or(200).clamp(1, MAX_PER_PAGE);
    let offset = query.offset.unwrap_or(0);
    let tag = query.tag.as_deref().map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty());
    if tag.as_deref().is_some_and(|tag| tag.contains('\0')) {
        return Err(Problem::field("tag", "must not contain U+0000"));
    }
    let order = match query.order.as_deref() {
        None | Some("created") => Order::Created,
        Some("asked") => Order::Asked,
        Some(_) => return Err(Problem::field("order", "must be created or asked")),
    };
    let folder = match query.folder_id.as_deref() {
        None => None,
        Some("none") => Some(InFolder::None),
        Some(text) => match text.parse() {
            Ok(id) => Some(InFolder::This(id)),
            Err(_) => return Err(Problem::field(folders::FIELD, "must be the id of a folder, or none")),
        },
    };
    let deleted = query.deleted.unwrap_or(false);
    let filter = Filter {
        tag: tag.as_deref(),
        archived: query.archived.or((!deleted).then_some(false)),
        pinned: query.pinned.unwrap_or(false),
        deleted,
        order,
        project: query.project_id,
        folder,
    };
    let mut tx = app.db.begin(&caller.scope()).await?;
    let page = conversations::list(&mut tx, &filter, limit, offset).await?;
    let flag = |flag: Option<bool>| flag.map(|flag| flag.to_string());
    let asked = [
        ("tag", tag.clone()),
        (placing::FIELD, query.project_id.map(|id| id.to_string())),
        (folders::FIELD, query.folder_id.clone()),
        ("archived", flag(query.archived)),
        ("pinned", flag(query.pinned)),
        ("deleted", flag(query.deleted)),
        ("order", query.order.clone()),
    ];
    let mut response = paged("/api/conversations", limit, offset, page.total, asked);
    Ok(response.json(page.conversations.into_iter().map(ConversationSummary::from).collect::<Vec<_>>()))
}

/// A conversation to begin.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct NewConversation {
    /// The project that it is begun in; none when left out.
    project_id: Option<ProjectId>,
}

/// Begins a conversation.
#[utoipa::path(tag = "conversations", request_body = NewConversation, responses(
    (status = 200, body = Conversation), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[post("/conversations")]
pub(super) async fn create(
    app: web::Data<App>,
    caller: Caller,
    body: Body,
) -> Result<web::Json<Conversation>, Problem> {
    caller.may(Permission::Ask)?;
    let mut fields = Fields::of(&body.0)?;
    let project: Option<ProjectId> = fields.take(placing::FIELD, "the id of a project");
    fields.finish(|| ())?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    if let Some(project) = project {
        placing::to_write_in(&mut tx, &caller, project).await?;
    }
    let row = conversations::create(&mut tx, project).await?;
    if let Some(project) = project {
        placing::note_moved(&mut tx, &caller, project, row.id, true).await?;
    }
    tx.commit().await?;
    Ok(web::Json(Conversation::new(row, &Tree::default(), Vec::new())))
}

/// Which messages to read; by default the branch that was looked at last.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ReadQuery {
    /// The id of a message: the branch through it. Where the conversation branches after that, it is the branch written
    /// last. Nothing is remembered.
    branch: Option<String>,
    /// Whether all messages are read, in the order of writing, on whichever branch they are. False by default.
    all: Option<bool>,
    /// How many of the last answers are read whole. Of those before them there is no more than the final answer's text
    /// (`brief`), which is a small part of what led to it. All of them are whole without this.
    whole: Option<u32>,
}

/// A conversation with its messages: one branch, or all of them.
#[utoipa::path(tag = "conversations", params(("id" = String, Path), ReadQuery), responses(
    (status = 200, body = Conversation), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 422, body = ProblemBody)))]
#[get("/conversations/{id}")]
pub(super) async fn read(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    query: Query<ReadQuery>,
) -> Result<web::Json<Conversation>, Problem> {
    caller.may(Permission::Read)?;
    let which = Which::of(query.branch.as_deref(), query.all)?;
    Ok(web::Json(found(&app, &caller, id(&path, "Conversation")?, which, query.whole).await?))
}

/// Which messages of a conversation are read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Which {
    /// The branch that was looked at last.
    InForce,
    /// The branch through this message.
    Through(MessageId),
    /// What was said up to this message, and it.
    UpTo(MessageId),
    /// The messages of all branches.
    All,
}

impl Which {
    fn of(branch: Option<&str>, all: Option<bool>) -> Result<Self, Problem> {
        match (branch, all.unwrap_or(false)) {
            (None, false) => Ok(Self::InForce),
            (None, true) => Ok(Self::All),
            (Some(branch), false) => {
                branch.parse().map(Self::Through).map_err(|_| Problem::not_found("Branch"))
            }
            (Some(_), true) => Err(Problem::field("branch", "names one branch: leave it out to read all")),
        }
    }

    /// `None` where the message is not in the conversation.
    pub(super) fn choose(self, tree: &Tree) -> Option<Vec<Node>> {
        match self {
            Self::InForce => Some(tree.in_force()),
            Self::Through(message) => Some(tree.path(tree.end_through(tree.find(message)?))),
            Self::UpTo(message) => Some(tree.path(tree.find(message)?)),
            Self::All => Some(tree.all().collect()),
        }
    }
}

/// A conversation of the caller's with these messages.
///
/// # Errors
/// When it is not theirs, or has no such branch.
pub(super) async fn find(
    app: &App,
    caller: &Caller,
    id: ConversationId,
    which: Which,
) -> Result<Conversation, Problem> {
    found(app, caller, id, which, None).await
}

/// Like `find`, with only so many of the last answers in full.
async fn found(
    app: &App,
    caller: &Caller,
    id: ConversationId,
    which: Which,
    whole: Option<u32>,
) -> Result<Conversation, Problem> {
    let mut tx = app.db.begin(&caller.scope()).await?;
    let row = conversations::head(&mut tx, id).await.map_err(named)?;
    let tree = conversations::tree(&mut tx, id).await.map_err(named)?;
    let nodes = which.choose(&tree).ok_or_else(|| Problem::not_found("Branch"))?;
    let from = whole.map_or(0, |answers| whole_from(&nodes, answers));
    let messages = conversations::messages_whole_from(&mut tx, id, &nodes, from).await?;
    Ok(Conversation::new(row, &tree, messages))
}

/// The position from which on answers are whole, where so many of the last ones are; 0 where all are.
fn whole_from(nodes: &[Node], answers: u32) -> i32 {
    let answers = usize::try_from(answers).unwrap_or(usize::MAX);
    let last_brief = nodes.iter().rev().filter(|node| !node.is_question).nth(answers);
    last_brief.map_or(0, |node| node.position + 1)
}

/// What can be changed of a conversation; what is left out stays.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct ConversationChange {
    title: Option<String>,
    /// Put aside, and so pinned no longer.
    archived: Option<bool>,
    /// Whether it is kept at the top of the list.
    pinned: Option<bool>,
    /// The project that it is moved to, where the caller may write: everybody in it reads it then. `null` takes it out of the one
    /// that it is in.
    #[schema(nullable)]
    project_id: Option<ProjectId>,
    /// The folder of the caller's that it is put into. `null` takes it out of the one that it is in.
    #[schema(nullable)]
    folder_id: Option<FolderId>,
}

/// Renames, archives or pins a conversation, puts it into a folder, or moves it to a project.
#[utoipa::path(tag = "conversations", params(("id" = String, Path)), request_body = ConversationChange, responses(
    (status = 200, body = Changed), (status = 401, body = ProblemBody), (status = 403, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[patch("/conversations/{id}")]
pub(super) async fn change(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<Changed>, Problem> {
    caller.may(Permission::Ask)?;
    let id: ConversationId = id(&path, "Conversation")?;
    let mut fields = Fields::of(&body.0)?;
    let title: Option<String> = fields.take("title", "a string");
    let archived: Option<bool> = fields.take("archived", "true or false");
    let pinned: Option<bool> = fields.take("pinned", "true or false");
    let project: Option<ProjectId> = fields.take(placing::FIELD, "the id of a project, or null");
    let is_moved = body.0.get(placing::FIELD).is_some();
    let folder: Option<FolderId> = fields.take(folders::FIELD, "the id of a folder, or null");
    let is_filed = body.0.get(folders::FIELD).is_some();
    let title = title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
    if let Some(problem) = title.as_deref().and_then(|title| name_problem(title, MAX_TITLE_CHARS)) {
        fields.refuse("title", FieldErrorKind::Value, problem);
    }
    fields.finish(|| ())?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    if let Some(title) = &title {
        conversations::rename(&mut tx, id, title).await.map_err(named)?;
    }
    if let Some(archived) = archived {
        conversations::set_archived(&mut tx, id, archived).await.map_err(named)?;
    }
    if let Some(pinned) = pinned {
        conversations::set_pinned(&mut tx, id, pinned).await.map_err(named)?;
    }
    if is_filed {
        folders::put(&mut tx, id, folder).await?;
    }
    if is_moved {
        placing::move_to(&mut tx, &caller, id, project).await?;
    }
    let row = conversations::head(&mut tx, id).await.map_err(named)?;
    if row.archived && row.pinned {
        return Err(Problem::field("pinned", "what is archived is not pinned: take it back first"));
    }
    tx.commit().await?;
    if title.is_some() {
        app.runs.named(id);
    }
    Ok(web::Json(Changed { status: Status::Ok, conversation: row.into() }))
}

/// A conversation's tags, all of them.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes the fields that are read one by one, to name every wrong one")]
struct NewTags {
    tags: Vec<String>,
}

/// Replaces a conversation's tags.
#[utoipa::path(tag = "conversations", params(("id" = String, Path)), request_body = NewTags, responses(
    (status = 200, body = ConversationSummary), (status = 401, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[put("/conversations/{id}/tags")]
pub(super) async fn set_tags(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    body: Body,
) -> Result<web::Json<ConversationSummary>, Problem> {
    caller.may(Permission::Ask)?;
    let id: ConversationId = id(&path, "Conversation")?;
    let mut fields = Fields::of(&body.0)?;
    let tags: Option<Vec<String>> = fields.take("tags", "a list of strings");
    if !fields.has("tags") {
        fields.refuse("tags", FieldErrorKind::Missing, "the list of tags is required");
    }
    let tags = tags.unwrap_or_default();
    let mut clean: Vec<String> = Vec::new();
    for (place, tag) in tags.iter().take(MOST_READ).enumerate() {
        let tag = tag.trim().to_lowercase();
        if let Some(problem) = name_problem(&tag, MAX_TAG_CHARS) {
            fields.refuse(format!("tags.{place}"), FieldErrorKind::Value, problem);
        } else if !clean.contains(&tag) {
            clean.push(tag);
        }
    }
    if clean.len() > MAX_TAGS || tags.len() > MOST_READ {
        fields.refuse("tags", FieldErrorKind::Value, format!("at most {MAX_TAGS} tags"));
    }
    let tags = fields.finish(|| clean)?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    conversations::set_tags(&mut tx, id, &tags).await.map_err(named)?;
    let row = conversations::head(&mut tx, id).await.map_err(named)?;
    tx.commit().await?;
    Ok(web::Json(row.into()))
}

/// How to delete.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct RemoveQuery {
    /// Whether a conversation that is deleted already is purged at once: what was written in it is gone for good, and
    /// of its runs only who, which models, when and for how much stays. False by default.
    purge: Option<bool>,
}

/// Deletes a conversation; it can be restored for 30 days (`deleted=true` lists those), unless it is then purged.
#[utoipa::path(tag = "conversations", params(("id" = String, Path), RemoveQuery), responses(
    (status = 200, body = Deleted), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody),
    (status = 409, body = ProblemBody,
     description = "To be purged, and not deleted yet, a run of it is not over, or there is a hold on the caller's data")))]
#[delete("/conversations/{id}")]
pub(super) async fn remove(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    query: Query<RemoveQuery>,
) -> Result<web::Json<Deleted>, Problem> {
    caller.may(Permission::Ask)?;
    let id: ConversationId = id(&path, "Conversation")?;
    if query.purge == Some(true) {
        return purge(&app, &caller, id).await;
    }
    if let Some(run) = crate::store::runs::live_of(&app.db, &caller.scope(), id).await.map_err(named)? {
        app.runs.cancel(&caller.user, run).await?;
    }
    let mut tx = app.db.begin(&caller.scope()).await?;
    conversations::delete(&mut tx, id).await.map_err(named)?;
    audit::append(&mut tx, &caller.user, "conversation.delete", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    Ok(web::Json(Deleted { status: Status::Ok, id, deleted: true, purged: false }))
}

/// The request and its line in the audit log are one transaction; the purge follows it, and is caught up on later if
/// this server dies in between.
async fn purge(app: &App, caller: &Caller, id: ConversationId) -> Result<web::Json<Deleted>, Problem> {
    let mut tx = app.db.begin(&caller.scope()).await?;
    match conversations::make_due(&mut tx, id).await.map_err(named)? {
        PurgeState::Now => {}
        PurgeState::NotDeleted => {
            return Err(Problem::not_to_purge("only a deleted conversation can be purged"));
        }
        PurgeState::Running => {
            return Err(Problem::not_to_purge("a run of this conversation is not over yet"));
        }
        PurgeState::Held => return Err(Problem::held()),
    }
    audit::append(&mut tx, &caller.user, "conversation.purge", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    purge_now(&app.db, id).await?;
    Ok(web::Json(Deleted { status: Status::Ok, id, deleted: true, purged: true }))
}

/// Takes a deletion back.
#[utoipa::path(tag = "conversations", params(("id" = String, Path)), responses(
    (status = 200, body = Restored), (status = 401, body = ProblemBody), (status = 404, body = ProblemBody)))]
#[post("/conversations/{id}/restore")]
pub(super) async fn restore(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
) -> Result<web::Json<Restored>, Problem> {
    caller.may(Permission::Ask)?;
    let id: ConversationId = id(&path, "Conversation")?;
    let mut tx = app.db.begin(&caller.scope()).await?;
    conversations::restore(&mut tx, id).await.map_err(named)?;
    let row = conversations::head(&mut tx, id).await.map_err(named)?;
    tx.commit().await?;
    Ok(web::Json(Restored { status: Status::Ok, restored: true, conversation: row.into() }))
}

/// The caller's tags, and some to begin with.
#[utoipa::path(tag = "conversations", params(WholeQuery), responses(
    (status = 200, body = Tags), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/tags")]
pub(super) async fn list_tags(
    app: web::Data<App>,
    caller: Caller,
    page: Query<WholeQuery>,
) -> Result<web::Json<Tags>, Problem> {
    caller.may(Permission::Read)?;
    let (limit, offset) = page.bounds();
    let mut tx = app.db.begin(&caller.scope()).await?;
    let (tags, total) = conversations::tags_of_user(&mut tx, limit, offset).await?;
    Ok(web::Json(Tags { tags, total, suggestions: SUGGESTIONS.to_vec() }))
}

/// What to look for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct SearchQuery {
    /// Words in titles, questions and answers.
    q: String,
    /// How many hits at most, 1 to 100.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

/// Searches the caller's titles, questions and answers, the best match first: a plain array, its paging in `X-Total-Count` and
/// `Link`.
#[utoipa::path(tag = "conversations", params(SearchQuery), responses(
    (status = 200, body = Vec<SearchHit>), (status = 401, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/search")]
pub(super) async fn search(
    app: web::Data<App>,
    caller: Caller,
    query: Query<SearchQuery>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Read)?;
    let words = query.q.trim();
    if words.is_empty() || words.chars().count() > 500 || words.contains('\0') {
        return Err(Problem::field("q", "must be 1 to 500 characters"));
    }
    let limit = query.limit.unwrap_or(30).clamp(1, 100);
    let offset = query.offset.unwrap_or(0);
    let mut tx = app.db.begin(&caller.scope()).await?;
    let found = conversations::search(&mut tx, words, limit, offset).await?;
    let mut response = paged("/api/search", limit, offset, found.total, [("q", Some(words.to_owned()))]);
    let hits = found.hits.into_iter().map(|hit| SearchHit {
        conversation_id: hit.conversation_id,
        title: hit.title,
        title_is_default: hit.title_is_default,
        message_id: hit.message_id,
        snippet: hit.snippet,
        at: super::shape::naive(hit.created_at),
    });
    Ok(response.json(hits.collect::<Vec<_>>()))
}

/// The form of an export.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct ExportQuery {
    /// `md` (default) or `json`.
    format: Option<String>,
    /// The id of a message: the branch through it, in the place of the one that was looked at last.
    branch: Option<String>,
    /// Whether all branches are exported. False by default.
    all: Option<bool>,
}

/// A conversation as a file: one branch, or all of them.
#[utoipa::path(tag = "conversations", params(("id" = String, Path), ExportQuery), responses(
    (status = 200, description = "Markdown or JSON"), (status = 401, body = ProblemBody),
    (status = 404, body = ProblemBody), (status = 422, body = ProblemBody)))]
#[get("/conversations/{id}/export")]
pub(super) async fn export(
    app: web::Data<App>,
    caller: Caller,
    path: web::Path<String>,
    query: Query<ExportQuery>,
) -> Result<HttpResponse, Problem> {
    caller.may(Permission::Read)?;
    let id: ConversationId = id(&path, "Conversation")?;
    let which = Which::of(query.branch.as_deref(), query.all)?;
    let conversation = find(&app, &caller, id, which).await?;
    let (kind, extension, body) = match query.format.as_deref().unwrap_or("md") {
        "md" | "markdown" => {
            let text = match which {
                Which::All => super::markdown_branches::conversation(&conversation),
                Which::InForce | Which::Through(_) | Which::UpTo(_) => {
                    super::markdown::conversation(&conversation)
                }
            };
            ("text/markdown; charset=utf-8", "md", text)
        }
        "json" => {
            // By way of a value: written out directly, all that a message can hold would be compiled once more.
            let body = serde_json::to_value(&conversation).map_err(|_| Problem::internal())?;
            ("application/json", "json", format!("{body:#}"))
        }
        _ => return Err(Problem::field("format", "must be md or json")),
    };
    let mut tx = app.db.begin(&caller.scope()).await?;
    audit::append(&mut tx, &caller.user, "conversation.export", Some(&id.to_string()), &json!({})).await?;
    tx.commit().await?;
    let name: String = conversation
        .summary
        .title
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' })
        .take(60)
        .collect();
    Ok(HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, kind))
        .insert_header((header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.{extension}\"")))
        .body(body))
}

pub(super) fn named(error: StoreError) -> Problem {
    Problem::from(error).naming("Conversation")
}
