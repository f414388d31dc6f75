//! A council in this process without a database: conversations live as long as the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::web;
use async_trait::async_trait;
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::cli::build;
use crate::config::Config;
use crate::council::estimate::Kept;
use crate::council::prompts::history::Turn;
use crate::id::{ConversationId, MessageId, RunId};
use crate::runs::ephemeral::{EphemeralOutcome, execute};
use crate::server::app::App;
use crate::server::command_line::{answer, configured, plan_without_database};
use crate::shutdown::Shutdown;
use crate::store::Db;
use crate::telemetry::Telemetry;
use crate::terminal::session::{Following, Method, Place, Question, Session, Step, Trouble, ends};

/// How many events may wait to be shown.
const EVENTS: usize = 256;

/// See the module.
pub(super) struct Ephemeral {
    app: web::Data<App>,
    kept: Arc<Mutex<Conversations>>,
}

#[derive(Default)]
struct Conversations {
    /// The messages of each, in order.
    messages: HashMap<String, Vec<Value>>,
    /// What stops each run that is under way.
    running: HashMap<String, CancellationToken>,
}

impl Ephemeral {
    /// A council of the configured providers.
    ///
    /// # Errors
    /// When a part cannot be built.
    pub async fn start(config: &Config) -> anyhow::Result<Self> {
        let telemetry = Arc::new(Telemetry::init(config)?);
        // No connection is made before one is asked for, and nothing here asks for one.
        let db = Db::lazy(Db::options("postgres://nowhere")?, 1);
        let app = web::Data::new(build::app(config, db, Shutdown::new(), telemetry)?);
        app.models.refresh_models().await;
        Ok(Self { app, kept: Arc::default() })
    }

    fn history(&self, conversation: &str) -> Vec<Turn> {
        let kept = lock(&self.kept);
        let messages = kept.messages.get(conversation).map(Vec::as_slice).unwrap_or_default();
        let text = |message: &Value, name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
        let turns = messages.chunks(2).filter_map(|turn| match turn {
            [question, answer] => {
                Some(Turn { question: text(question, "content")?, answer: text(answer, "final_text")? })
            }
            _ => None,
        });
        turns.collect()
    }
}

#[async_trait]
impl Session for Ephemeral {
    fn place(&self) -> &Place {
        &Place::Ephemeral
    }

    async fn request(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, Trouble> {
        let path = path.split_once('?').map_or(path, |(path, _)| path);
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match (method, parts.as_slice()) {
            (Method::GET, ["api", "conversations", id]) => {
                let kept = lock(&self.kept);
                let messages = kept.messages.get(*id);
                let shown = |message: &Value| {
                    let mut message = message.clone();
                    if let Some(fields) = message.as_object_mut() {
                        fields.remove("final_text");
                    }
                    message
                };
                let messages = messages.map(|all| all.iter().map(shown).collect::<Vec<_>>());
                let messages =
                    messages.ok_or_else(|| Trouble::NotFound("Conversation not found".to_owned()))?;
                Ok(json!({ "id": id, "messages": messages }))
            }
            (Method::POST, ["api", "runs", id, "cancel"]) => {
                let running = lock(&self.kept).running.get(*id).cloned();
                if let Some(run) = &running {
                    run.cancel();
                }
                Ok(json!({ "cancelled": running.is_some() }))
            }
            (Method::POST, ["api", "estimate"]) => {
                let plan = plan_without_database(&self.app, body.unwrap_or(&Value::Null), Vec::new());
                let estimate = self.app.runs.estimate(&plan.map_err(Trouble::Wrong)?, &Kept::default());
                serde_json::to_value(estimate).map_err(|error| Trouble::Failed(error.to_string()))
            }
            (Method::GET, ["api", "config"]) => Ok(configured(&self.app)),
            (Method::GET, ["api", "settings", "presets"]) => Ok(json!({ "presets": [] })),
            _ => Err(Trouble::Wrong(vec![
                "with --ephemeral nothing is kept, and so nothing is listed".to_owned(),
            ])),
        }
    }

    async fn upload(&self, _name: &str, _bytes: Vec<u8>) -> Result<Value, Trouble> {
        Err(Trouble::Wrong(vec!["with --ephemeral nothing is kept, and so nothing is uploaded; -f puts a text into the question itself".to_owned()]))
    }

    async fn text(&self, _path: &str) -> Result<String, Trouble> {
        Err(Trouble::Wrong(vec!["with --ephemeral nothing is kept, and so nothing is exported".to_owned()]))
    }

    async fn ask(&self, question: Question) -> Result<Following, Trouble> {
        let history = self.history(&question.conversation);
        let text = question.body.get("content").cloned().unwrap_or_default();
        let plan = plan_without_database(&self.app, &Value::Object(question.body), history)
            .map_err(Trouble::Wrong)?;
        let (run, message) = (RunId::generate(), MessageId::generate());
        let id: ConversationId = question
            .conversation
            .parse()
            .map_err(|_| Trouble::NotFound("Conversation not found".to_owned()))?;
        let cancel = CancellationToken::new();
        lock(&self.kept).running.insert(run.to_string(), cancel.clone());
        let (send, receive) = mpsc::channel(EVENTS);
        let (kept, models) = (self.kept.clone(), self.app.models.clone());
        let conversation = question.conversation;
        let seed = self.app.config.runs.seed.map(RunId);
        self.app.shutdown.tasks().spawn_background(async move {
            let (last, shown) = mpsc::channel(EVENTS);
            let executed = execute((run, id, message), (&plan, seed), models, &cancel, last);
            let ended = pass_on(executed, shown, &send, |ended| {
                let final_text = ended.deliberation.answer_text().map(str::to_owned);
                let mut answer = answer(run, message, ended);
                if let Some(fields) = answer.as_object_mut() {
                    fields.insert("final_text".to_owned(), json!(final_text));
                }
                let mut kept = lock(&kept);
                kept.running.remove(&run.to_string());
                let messages = kept.messages.entry(conversation.clone()).or_default();
                let question = json!({ "role": "user", "id": MessageId::generate(), "content": text });
                messages.extend([question, answer]);
            });
            ended.await;
        });
        Ok(following(receive))
    }

    async fn follow(&self, _run: &str, _after: u64) -> Result<Following, Trouble> {
        Err(Trouble::NotFound("with --ephemeral no run can be resumed".to_owned()))
    }
}

/// Passes the events on, and the last one when the answer is kept: who has read it finds the answer.
async fn pass_on(
    executed: impl Future<Output = EphemeralOutcome>,
    mut shown: mpsc::Receiver<String>,
    send: &mpsc::Sender<String>,
    keep: impl FnOnce(EphemeralOutcome),
) {
    let mut last = None;
    let forward = async {
        while let Some(event) = shown.recv().await {
            if serde_json::from_str(&event).is_ok_and(|event| ends(&event)) {
                last = Some(event);
            } else {
                // Nobody reads any more: the run goes on until it is stopped.
                drop(send.send(event).await);
            }
        }
    };
    let (ended, ()) = tokio::join!(executed, forward);
    keep(ended);
    if let Some(last) = last {
        drop(send.send(last).await);
    }
}

fn following(receive: mpsc::Receiver<String>) -> Following {
    Following::new(stream::unfold((receive, 0), |(mut receive, seq)| async move {
        let json = receive.recv().await?;
        let event = serde_json::from_str(&json).unwrap_or_default();
        Some((Step::Event { seq: Some(seq + 1), event }, (receive, seq + 1)))
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
