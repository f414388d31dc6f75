//! The screen's requests to the session, and the replies. Everything is done in the background: the screen never waits.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tokio::sync::mpsc::Sender;

use super::state::{Item, Prompt, text};
use crate::terminal::chat::settings::Preset;
use crate::terminal::chat::{again, at_home, escaped, save_new};
use crate::terminal::files::{self, Attached};
use crate::terminal::live::LiveRun;
use crate::terminal::live::features::path_of_correction;
use crate::terminal::live::piece::Costs;
use crate::terminal::session::{Following, Method, Question, Session, Step, Trouble};

/// How many conversations are listed.
const LISTED: usize = 100;

/// Something to do in the background.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    List {
        query: String,
    },
    Open {
        conversation: String,
    },
    Ask {
        conversation: String,
        begins: bool,
        body: Map<String, Value>,
    },
    Follow {
        conversation: String,
        run: String,
    },
    Retry {
        conversation: String,
        run: String,
    },
    /// Reads what these runs of a conversation have cost.
    Costs {
        conversation: String,
        runs: Vec<String>,
    },
    Cancel {
        run: String,
    },
    Skip {
        run: String,
        member: String,
    },
    Offer {
        run: String,
        take: bool,
    },
    Change {
        asks: Prompt,
        value: String,
    },
    Delete {
        conversation: String,
    },
    Export {
        conversation: String,
        file: String,
    },
    Presets,
    Preset {
        name: String,
    },
    /// A file goes with the questions of a conversation, or of the one that is to begin; `already` is how many do so
    /// far.
    Attach {
        file: String,
        already: usize,
        to: Option<String>,
    },
    Copy {
        text: String,
        says: &'static str,
    },
    Redraw,
    Suspend,
    /// Leaves with this exit code, after stopping these runs.
    Leave {
        stop: Vec<String>,
        code: u8,
    },
}

/// The result of an effect.
#[derive(Debug)]
pub enum Reply {
    Listed {
        query: String,
        items: Result<Vec<Item>, Trouble>,
    },
    Opened {
        conversation: String,
        stored: Result<Value, Trouble>,
    },
    /// The question was refused.
    Refused {
        conversation: String,
        trouble: Trouble,
    },
    Step {
        conversation: String,
        step: Step,
    },
    /// Failed parts of this run are asked again: the new run takes its place.
    Again {
        conversation: String,
        run: String,
    },
    /// What runs have cost, as far as it could be read, each with its id.
    Costs {
        conversation: String,
        costs: Vec<(String, Costs)>,
    },
    Deleted {
        conversation: String,
    },
    /// The stream has ended.
    Ended {
        conversation: String,
    },
    Presets(Vec<Preset>),
    Preset(Preset),
    /// The server has taken these files for a conversation, or for the one that is to begin.
    Attached {
        files: Vec<Attached>,
        to: Option<String>,
    },
    /// A sentence; the list may have changed.
    Done {
        said: String,
        is_new: bool,
    },
    Trouble(Trouble),
    Left(u8),
}

/// Performs an effect, and sends the replies. Effects on the terminal itself are handled elsewhere.
pub async fn perform(effect: Effect, session: Arc<dyn Session>, replies: Sender<Reply>) {
    let reply = match effect {
        Effect::List { query } => {
            let items = list(session.as_ref(), &query).await;
            Reply::Listed { query, items }
        }
        Effect::Open { conversation } => {
            let stored = session.get(&format!("/api/conversations/{}", escaped(&conversation))).await;
            Reply::Opened { conversation, stored }
        }
        Effect::Ask { conversation, begins, body } => {
            let question = Question { begins, ..Question::in_conversation(conversation.clone(), body) };
            match session.ask(question).await {
                Ok(following) => return follow(conversation, following, &replies).await,
                Err(trouble) => Reply::Refused { conversation, trouble },
            }
        }
        Effect::Follow { conversation, run } => match session.follow(&run, 0).await {
            Ok(following) => return follow(conversation, following, &replies).await,
            Err(trouble) => Reply::Step { conversation, step: Step::Gone(trouble) },
        },
        Effect::Retry { conversation, run } => {
            let retried = async { session.follow(&again(session.as_ref(), &run).await?, 0).await };
            match retried.await {
                Ok(following) => {
                    let asked = Reply::Again { conversation: conversation.clone(), run };
                    if replies.send(asked).await.is_ok() {
                        follow(conversation, following, &replies).await;
                    }
                    return;
                }
                Err(trouble) => Reply::Trouble(trouble),
            }
        }
        Effect::Costs { conversation, runs } => {
            let costs = costs(session.as_ref(), runs).await;
            Reply::Costs { conversation, costs }
        }
        Effect::Cancel { run } => match session.cancel(&run).await {
            Ok(()) => return,
            Err(trouble) => Reply::Trouble(trouble),
        },
        Effect::Skip { run, member } => {
            let path = format!("/api/runs/{}/skip", escaped(&run));
            match session.request(Method::POST, &path, Some(&json!({ "member": member }))).await {
                Ok(_) => return,
                Err(trouble) => Reply::Trouble(trouble),
            }
        }
        Effect::Offer { run, take } => match session.answer_offer(&run, take).await {
            Ok(()) => return,
            Err(trouble) => Reply::Trouble(trouble),
        },
        Effect::Change { asks, value } => change(session.as_ref(), &asks, &value).await,
        Effect::Delete { conversation } => {
            let path = format!("/api/conversations/{}", escaped(&conversation));
            match session.request(Method::DELETE, &path, None).await {
                Ok(_) => Reply::Deleted { conversation },
                Err(trouble) => Reply::Trouble(trouble),
            }
        }
        Effect::Export { conversation, file } => export(session.as_ref(), &conversation, &file).await,
        Effect::Presets => match session.get("/api/settings/presets").await {
            Ok(answer) => Reply::Presets(presets(&answer)),
            Err(trouble) => Reply::Trouble(trouble),
        },
        Effect::Preset { name } => match crate::terminal::query::preset(session.as_ref(), &name).await {
            Ok(id) => Reply::Preset(Preset { id, name }),
            Err(trouble) => Reply::Trouble(trouble),
        },
        Effect::Attach { file, already, to } => {
            match files::attach_one(session.as_ref(), at_home(&file), already).await {
                Ok(files) => Reply::Attached { files, to },
                Err(trouble) => Reply::Trouble(trouble),
            }
        }
        Effect::Leave { stop, code } => {
            for run in stop {
                if let Err(trouble) = session.cancel(&run).await {
                    tracing::error!(%trouble, run, "a run could not be stopped");
                }
            }
            Reply::Left(code)
        }
        Effect::Copy { .. } | Effect::Redraw | Effect::Suspend => return,
    };
    // There is no receiver left when the program ends.
    drop(replies.send(reply).await);
}

async fn follow(conversation: String, mut following: Following, replies: &Sender<Reply>) {
    while let Some(step) = following.next().await {
        let conversation = conversation.clone();
        if replies.send(Reply::Step { conversation, step }).await.is_err() {
            return;
        }
    }
    drop(replies.send(Reply::Ended { conversation }).await);
}

async fn list(session: &dyn Session, query: &str) -> Result<Vec<Item>, Trouble> {
    let (path, is_search) = match (query, query.strip_prefix('#')) {
        ("", _) => (format!("/api/conversations?limit={LISTED}"), false),
        (_, Some(tag)) => (format!("/api/conversations?limit={LISTED}&tag={}", escaped(tag)), false),
        (words, None) => (format!("/api/search?limit={LISTED}&q={}", escaped(words)), true),
    };
    let answer = session.get(&path).await?;
    let tags = |item: &Value| {
        let tags = item.get("tags").and_then(Value::as_array).into_iter().flatten();
        tags.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let item = |item: &Value| Item {
        id: text(item, if is_search { "conversation_id" } else { "id" }),
        title: text(item, "title"),
        tags: tags(item),
        running: item.get("running").and_then(Value::as_bool) == Some(true),
        snippet: is_search.then(|| text(item, "snippet")),
    };
    Ok(answer.as_array().into_iter().flatten().map(item).collect())
}

/// What these runs have cost. One that cannot be read is left out: the sum then says that it is not all.
async fn costs(session: &dyn Session, runs: Vec<String>) -> Vec<(String, Costs)> {
    let mut known = Vec::new();
    for run in runs {
        match session.get(&format!("/api/runs/{}", escaped(&run))).await {
            Ok(result) => known.extend(LiveRun::of_message(&result).costs.clone().map(|costs| (run, costs))),
            Err(trouble) => tracing::debug!(%trouble, run, "the cost of a run cannot be read"),
        }
    }
    known
}

async fn change(session: &dyn Session, asks: &Prompt, value: &str) -> Reply {
    let path = |id: &str| format!("/api/conversations/{}", escaped(id));
    match asks {
        Prompt::Title(id) => {
            let changed = session.request(Method::PATCH, &path(id), Some(&json!({ "title": value }))).await;
            done(changed, "The title is changed.")
        }
        Prompt::Tags(id) => {
            let tags: Vec<&str> = value
                .split([',', ' '])
                .map(|tag| tag.trim_start_matches('#'))
                .filter(|tag| !tag.is_empty())
                .collect();
            let path = format!("{}/tags", path(id));
            done(
                session.request(Method::PUT, &path, Some(&json!({ "tags": tags }))).await,
                "The tags are changed.",
            )
        }
        Prompt::Correction(run) => {
            let path = path_of_correction(&escaped(run));
            match session.request(Method::POST, &path, Some(&json!({ "content": value }))).await {
                Ok(_) => Reply::Done { said: "The question is corrected.".to_owned(), is_new: false },
                Err(trouble) => Reply::Trouble(trouble),
            }
        }
        Prompt::Search | Prompt::Export(_) => Reply::Done { said: String::new(), is_new: true },
    }
}

async fn export(session: &dyn Session, conversation: &str, file: &str) -> Reply {
    let format = if file.ends_with(".json") { "json" } else { "md" };
    let path = format!("/api/conversations/{}/export?format={format}", escaped(conversation));
    let written = match session.text(&path).await {
        Ok(text) => save_new(file, &text),
        Err(trouble) => Err(trouble),
    };
    match written {
        Ok(said) => Reply::Done { said, is_new: false },
        Err(trouble) => Reply::Trouble(trouble),
    }
}

fn done(result: Result<Value, Trouble>, said: &str) -> Reply {
    match result {
        Ok(_) => Reply::Done { said: said.to_owned(), is_new: true },
        Err(trouble) => Reply::Trouble(trouble),
    }
}

/// The presets of an answer.
pub fn presets(answer: &Value) -> Vec<Preset> {
    let all = answer.get("presets").and_then(Value::as_array).into_iter().flatten();
    let preset = |preset: &Value| Preset {
        id: preset.get("id").cloned().unwrap_or_default(),
        name: text(preset, "name"),
    };
    all.map(preset).collect()
}
