//! Commands that ask the server, or that look back at the chat.

use serde_json::{Value, json};

use super::command::{COMMANDS, Command, Export};
use super::settings::{Preset, names};
use super::{Chat, at_home, escaped, save_new, short};
use crate::terminal::files;
use crate::terminal::live::LiveRun;
use crate::terminal::query;
use crate::terminal::session::{Method, Trouble};
use crate::terminal::text::{amounts, harmless, harmless_json, one_line, width};

/// How many conversations `/history` shows.
const LISTED: usize = 20;
/// How wide a command is in the list of commands.
const USAGE_COLUMNS: usize = 44;
/// How wide a title or a question may be in a list.
const COLUMNS: usize = 60;

impl Chat {
    /// The result of a command.
    pub(super) async fn answer(&mut self, command: Command) -> Result<String, Trouble> {
        match command {
            Command::Help => Ok(help()),
            Command::New => {
                self.conversation = None;
                self.last = None;
                self.settings.files.clear();
                Ok("The next question begins a conversation of its own.".to_owned())
            }
            Command::History => self.history().await,
            Command::Use(number) => self.go_on_with(number).await,
            Command::Title(title) => self.title(title).await,
            Command::Set(setting) => self.settings.apply(&setting).map_err(Trouble::Failed),
            Command::ShowModels => self.council().await,
            Command::ShowPresets => self.presets().await,
            Command::Preset(name) => {
                let id = query::preset(self.session.as_ref(), &name).await?;
                let said = format!("Preset: {}.", one_line(&name));
                self.settings.preset = Some(Preset { id, name });
                Ok(said)
            }
            Command::ShowFiles => Ok(self.settings.attached()),
            Command::Attach(file) => {
                let already = self.settings.files.len();
                let files = files::attach_one(self.session.as_ref(), at_home(&file), already).await?;
                Ok(self.settings.attach(files))
            }
            Command::Cost => Ok(self.cost()),
            Command::Save(path) => self.save(&path),
            Command::Export(format) => self.export(format).await,
            // The chat itself handles these two.
            Command::Retry | Command::Exit => Ok(String::new()),
        }
    }

    /// Who answers the next question.
    pub(super) async fn council(&self) -> Result<String, Trouble> {
        let config = self.session.get("/api/config").await?;
        let members = config.get("council_models").and_then(Value::as_array);
        let members = members.map(|members| names(members)).unwrap_or_default();
        let members = self.settings.models().unwrap_or(members);
        let fields = self.settings.fields();
        let chairman = fields.get("chairman_model").or_else(|| config.get("chairman_model"));
        let chairman = chairman.and_then(Value::as_str).unwrap_or_default();
        let said = format!("The council: {}; {chairman} writes the answer.", members.join(", "));
        let preset = self.settings.preset.as_ref();
        let but = preset.map(|preset| format!(" The preset {} may say otherwise.", preset.name));
        Ok(one_line(&(said + &but.unwrap_or_default())).into_owned())
    }

    async fn history(&mut self) -> Result<String, Trouble> {
        let answer = self.session.get(&format!("/api/conversations?limit={LISTED}")).await?;
        let conversations: Vec<&Value> = answer.as_array().into_iter().flatten().collect();
        let text =
            |item: &Value, name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        self.listed = conversations.iter().map(|item| text(item, "id")).collect();
        if conversations.is_empty() {
            return Ok("No conversations yet.".to_owned());
        }
        let line = |(at, item): (usize, &&Value)| {
            let is_this = self.conversation.is_some() && self.conversation == self.listed.get(at).cloned();
            let when: String =
                text(item, "updated_at").chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect();
            let running = item.get("running").and_then(Value::as_bool) == Some(true);
            format!(
                "{mark}{number:>3}  {when}  {title}{running}",
                mark = if is_this { '*' } else { ' ' },
                number = at + 1,
                when = one_line(&when),
                title = short(&text(item, "title"), COLUMNS),
                running = if running { " (running)" } else { "" },
            )
        };
        let lines: Vec<String> = conversations.iter().enumerate().map(line).collect();
        Ok(lines.join("\n"))
    }

    async fn go_on_with(&mut self, number: usize) -> Result<String, Trouble> {
        if self.listed.is_empty() {
            self.history().await?;
        }
        let Some(id) = self.listed.get(number - 1).cloned() else {
            return Err(Trouble::Failed(format!(
                "there is no number {number}: /history shows {}",
                self.listed.len()
            )));
        };
        self.enter(id).await
    }

    /// Continues this conversation.
    pub(super) async fn enter(&mut self, id: String) -> Result<String, Trouble> {
        let stored = self.session.get(&format!("/api/conversations/{}", escaped(&id))).await?;
        let messages = stored.get("messages").and_then(Value::as_array);
        let of = |role: &str| {
            let is_it = |message: &&Value| message.get("role").and_then(Value::as_str) == Some(role);
            messages.into_iter().flatten().rev().find(is_it)
        };
        let title = stored.get("title").and_then(Value::as_str).unwrap_or_default();
        let question = of("user").and_then(|message| message.get("content")).and_then(Value::as_str);
        let asked = question.map(|question| format!(" Asked last: {}", short(question, COLUMNS)));
        let said = format!("Going on with: {}.{}", short(title, COLUMNS), asked.unwrap_or_default());
        self.last = of("assistant").map(LiveRun::of_message);
        self.settings.files.clear();
        self.conversation = Some(id);
        Ok(said)
    }

    fn path(&self) -> Result<String, Trouble> {
        let id = self.conversation.as_ref();
        let id = id.ok_or_else(|| {
            Trouble::Failed("there is no conversation yet: the first question begins it".to_owned())
        })?;
        Ok(format!("/api/conversations/{}", escaped(id)))
    }

    async fn title(&self, title: Option<String>) -> Result<String, Trouble> {
        let path = self.path()?;
        let stored = match title {
            Some(title) => {
                self.session.request(Method::PATCH, &path, Some(&json!({ "title": title }))).await?
            }
            None => self.session.get(&path).await?,
        };
        let title = stored.get("title").and_then(Value::as_str);
        let title = title.ok_or_else(|| Trouble::Failed("the server names no title".to_owned()))?;
        Ok(format!("Title: {}", one_line(title)))
    }

    async fn presets(&self) -> Result<String, Trouble> {
        let answer = self.session.get("/api/settings/presets").await?;
        let presets = answer.get("presets").and_then(Value::as_array).into_iter().flatten();
        let on = self.settings.preset.as_ref().map(|preset| &preset.id);
        let line = |preset: &Value| {
            let name = preset.get("name").and_then(Value::as_str).unwrap_or_default();
            let shared = preset.get("shared").and_then(Value::as_bool) == Some(true);
            let mark = if on.is_some() && on == preset.get("id") { '*' } else { ' ' };
            format!("{mark} {}{}", one_line(name), if shared { " (everybody's)" } else { "" })
        };
        let lines: Vec<String> = presets.map(line).collect();
        if lines.is_empty() {
            return Ok("No presets yet: the web app's settings make them.".to_owned());
        }
        Ok(lines.join("\n"))
    }

    fn cost(&self) -> String {
        if self.spent.is_empty() {
            return "Nothing was asked yet.".to_owned();
        }
        let lines = self.spent.iter().map(|spent| {
            let unknown = match spent.unknown_calls {
                0 => String::new(),
                calls => format!(", and {calls} calls of unknown cost"),
            };
            let tokens = amounts::tokens(spent.tokens);
            let usd = amounts::usd(spent.usd);
            format!("{usd}, {tokens} tokens{unknown}  {}", short(&spent.what, COLUMNS))
        });
        let known: Vec<f64> = self.spent.iter().filter_map(|spent| spent.usd).collect();
        let all_known =
            known.len() == self.spent.len() && self.spent.iter().all(|spent| spent.unknown_calls == 0);
        let sum = (!known.is_empty()).then(|| known.iter().sum());
        let at_least = if all_known || known.is_empty() { "" } else { "at least " };
        let tokens = amounts::tokens(self.spent.iter().map(|spent| spent.tokens).sum());
        let total = format!("In all: {at_least}{}, {tokens} tokens", amounts::usd(sum));
        lines.chain([total]).collect::<Vec<_>>().join("\n")
    }

    fn save(&self, path: &str) -> Result<String, Trouble> {
        let answer = self.last.as_ref().map(|run| run.final_answer.piece.text.trim());
        let Some(answer) = answer.filter(|answer| !answer.is_empty()) else {
            return Err(Trouble::Failed("there is no answer yet to save".to_owned()));
        };
        save_new(path, &format!("{}\n", query::for_pipe(answer)))
    }

    async fn export(&self, format: Export) -> Result<String, Trouble> {
        let name = match format {
            Export::Markdown => "md",
            Export::Json => "json",
        };
        let text = self.session.text(&format!("{}/export?format={name}", self.path()?)).await?;
        Ok(match format {
            Export::Markdown if self.printer.alone => query::for_pipe(&text),
            Export::Markdown => harmless(&text).into_owned(),
            Export::Json => harmless_json(&text).into_owned(),
        })
    }
}

fn help() -> String {
    let lines = COMMANDS.iter().map(|(name, takes, says)| {
        let usage = format!("/{name} {takes}");
        let room = " ".repeat(USAGE_COLUMNS.saturating_sub(width(&usage)));
        format!("  {usage}{room}{says}")
    });
    let end = [
        "Everything else is a question; // begins one with a slash.".to_owned(),
        "Alt-Enter, or a backslash at the end, begins another line. Ctrl-C stops a run.".to_owned(),
    ];
    lines.chain(end).collect::<Vec<_>>().join("\n")
}
