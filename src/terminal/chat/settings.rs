//! How the next question is asked: what the commands of a chat change, and what its prompt shows. Pure: no requests are
//! made here.

use serde_json::{Map, Value, json};

use super::command::Setting;
use crate::terminal::files::{self, Attached};
use crate::terminal::live::asked::{COUNCIL, Format, Own};
use crate::terminal::live::features;
use crate::terminal::text::one_line;

/// Fields that the chat sets itself, besides [`features::OWN`].
const OWN: [Own; 5] = [
    Own { field: "content", in_chat: "type the question", of_file: "it belongs to a question" },
    Own { field: "new_conversation", in_chat: "use /new", of_file: "every chat begins a conversation" },
    Own { field: files::FIELD, in_chat: "use /attach FILE", of_file: "it belongs to a question" },
    Own { field: "preset_id", in_chat: "use /preset NAME", of_file: "write preset = \"NAME\"" },
    Own { field: "one_at_a_time", in_chat: "use /stream on", of_file: "write stream = true" },
];

/// A preset, as the server knows it and as people do.
#[derive(Debug, Clone, PartialEq)]
pub struct Preset {
    pub id: Value,
    pub name: String,
}

/// How the next question is asked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// Fields of a request; those that are missing here are left to the server's settings.
    fields: Map<String, Value>,
    pub preset: Option<Preset>,
    /// The files that go with each further question of this conversation.
    pub files: Vec<Attached>,
    /// Members are asked one after another, and shown word by word.
    pub stream: bool,
}

impl Settings {
    /// Reads the table `[chat]` of the user's file: fields of a request, and `stream`, `verbose` and `preset`. The
    /// preset is returned by its name, since only the server knows its id.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn of_file(chat: &toml::Table) -> Result<(Self, Option<String>), Vec<String>> {
        let mut settings = Self::default();
        let mut preset = None;
        let mut problems = Vec::new();
        for (name, value) in chat {
            let value = json!(value);
            let wrong = |what: &str| format!("cli.toml, [chat]: {name} {what}");
            match (name.as_str(), value) {
                ("stream", Value::Bool(on)) => settings.stream = on,
                ("stream", _) => problems.push(wrong("is true or false")),
                ("verbose", value) => match value.as_u64() {
                    Some(level @ 0..=3) => drop(settings.fields.insert("verbosity".to_owned(), json!(level))),
                    _ => problems.push(wrong("is a number from 0 to 3")),
                },
                ("preset", Value::String(name)) => preset = Some(name),
                ("preset", _) => problems.push(wrong("is the name of a preset")),
                (field, value) => match own(field) {
                    Some(instead) => {
                        problems.push(wrong(&format!("is not a setting of a chat; {}", instead.of_file)));
                    }
                    None => drop(settings.fields.insert(field.to_owned(), value)),
                },
            }
        }
        if problems.is_empty() { Ok((settings, preset)) } else { Err(problems) }
    }

    /// Adds the fields of the command line, which takes precedence over the file.
    pub fn take(&mut self, flags: Map<String, Value>) {
        if let Some(mode) = flags.get("mode")
            && Some(mode) != self.fields.get("mode")
        {
            self.forget_format();
        }
        if flags.contains_key(features::STYLE) {
            // Rounds have several field names; the flags decide which one is meant.
            self.remove_rounds();
        }
        self.fields.extend(flags);
    }

    /// Applies a command; returns a sentence that says what is set now.
    ///
    /// # Errors
    /// Why it cannot be; nothing has changed then.
    pub fn apply(&mut self, setting: &Setting) -> Result<String, String> {
        match setting {
            Setting::Format(format, true) => {
                self.enter(*format);
                Ok(format!("The next question: {}.", format.name))
            }
            Setting::Format(format, false) => {
                if self.mode() != Some(format.name) {
                    return Ok(format!("No {} was on.", format.name));
                }
                self.enter(COUNCIL);
                Ok("The next question: council.".to_owned())
            }
            Setting::Rounds(rounds) => {
                let Some(field) = self.field_of_rounds() else {
                    return Err(features::NO_ROUNDS.to_owned());
                };
                self.fields.insert(field.to_owned(), json!(rounds));
                Ok(format!("{rounds} rounds."))
            }
            Setting::Stream(on) => {
                self.stream = *on;
                Ok(match on {
                    true => "Members speak one after another, word by word.",
                    false => "Members are asked at once.",
                }
                .to_owned())
            }
            Setting::Switch(switch, on) => {
                self.fields.insert(switch.field.to_owned(), json!(on));
                Ok(format!("{}: {}.", switch.says, if *on { "on" } else { "off" }))
            }
            Setting::Models(Some(models)) => {
                self.fields.insert("models".to_owned(), json!(models));
                Ok(format!("The council: {}.", one_line(&models.join(", "))))
            }
            Setting::Models(None) => {
                self.fields.remove("models");
                Ok("Your council, as it is set.".to_owned())
            }
            Setting::NoPreset => {
                self.preset = None;
                Ok("No preset.".to_owned())
            }
            Setting::NoFiles => {
                self.files.clear();
                Ok("No files.".to_owned())
            }
            Setting::Verbose(level) => {
                self.fields.insert("verbosity".to_owned(), json!(level));
                Ok(format!("Progress is shown at level {level}."))
            }
            Setting::Field(name, value) => self.set(name, value),
        }
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<String, String> {
        if let Some(instead) = own(name) {
            return Err(format!("{name} is not set like this: {}", instead.in_chat));
        }
        let rounds = self.rounds();
        if name == "mode" && self.fields.get("mode") != Some(value) {
            self.forget_format();
        }
        let style_changes = name == features::STYLE && rounds.is_some();
        if style_changes {
            self.remove_rounds();
        }
        if value.is_null() {
            self.fields.remove(name);
        } else {
            self.fields.insert(name.to_owned(), value.clone());
        }
        if let (true, Some(field), Some(rounds)) = (style_changes, self.field_of_rounds(), rounds) {
            self.fields.insert(field.to_owned(), json!(rounds));
        }
        let name = one_line(name);
        Ok(if value.is_null() {
            format!("{name} is as your settings have it.")
        } else {
            format!("{name} = {}", one_line(&value.to_string()))
        })
    }

    fn mode(&self) -> Option<&str> {
        self.fields.get("mode").and_then(Value::as_str)
    }

    fn enter(&mut self, format: Format) {
        if self.mode() != Some(format.name) {
            self.forget_format();
        }
        self.fields.insert("mode".to_owned(), json!(format.name));
    }

    fn forget_format(&mut self) {
        for field in features::FORMATS.iter().flat_map(|format| format.fields) {
            self.fields.remove(*field);
        }
    }

    fn remove_rounds(&mut self) {
        for field in features::BY_STYLE {
            self.fields.remove(field);
        }
    }

    fn field_of_rounds(&self) -> Option<&'static str> {
        let style = self.fields.get(features::STYLE).and_then(Value::as_str);
        features::field_of_rounds(self.mode()?, style)
    }

    fn rounds(&self) -> Option<u64> {
        self.fields.get(self.field_of_rounds()?)?.as_u64()
    }

    /// Who answers, if the chat says so.
    #[must_use]
    pub fn models(&self) -> Option<Vec<String>> {
        self.fields.get("models").and_then(Value::as_array).map(|models| names(models))
    }

    /// The fields of a request.
    #[must_use]
    pub fn fields(&self) -> Map<String, Value> {
        let mut fields = self.fields.clone();
        if self.stream {
            fields.insert("one_at_a_time".to_owned(), json!(true));
        }
        if let Some(preset) = &self.preset {
            fields.insert("preset_id".to_owned(), preset.id.clone());
        }
        if !self.files.is_empty() {
            fields.insert(files::FIELD.to_owned(), files::field(&self.files));
        }
        fields
    }

    /// Adds files to those that go with questions; returns a sentence that lists all of them.
    pub fn attach(&mut self, files: Vec<Attached>) -> String {
        for file in files {
            self.files.retain(|other| other.id != file.id);
            self.files.push(file);
        }
        self.attached()
    }

    /// Which files go with questions.
    #[must_use]
    pub fn attached(&self) -> String {
        if self.files.is_empty() {
            return "No files go with questions: /attach FILE adds one.".to_owned();
        }
        let names: Vec<&str> = self.files.iter().map(|file| file.name.as_str()).collect();
        format!("With each question of this conversation: {}.", one_line(&names.join(", ")))
    }

    /// What is on, for the prompt: `council·stream·2 models`.
    #[must_use]
    pub fn prompt(&self) -> String {
        let is_on = |field: &str| self.fields.get(field) == Some(&Value::Bool(true));
        let mut parts = Vec::new();
        parts.extend(self.preset.as_ref().map(|preset| one_line(&preset.name).into_owned()));
        match self.mode() {
            Some(mode) => parts.push(one_line(mode).into_owned()),
            // With a preset the format is the preset's.
            None if self.preset.is_none() => parts.push("council".to_owned()),
            None => {}
        }
        parts.extend(self.rounds().map(|rounds| format!("{rounds} rounds")));
        parts.extend(self.stream.then(|| "stream".to_owned()));
        let switches = features::SWITCHES.iter().filter(|switch| is_on(switch.field));
        parts.extend(switches.map(|switch| switch.word.to_owned()));
        parts.extend(self.models().map(|models| match models.len() {
            1 => "1 model".to_owned(),
            count => format!("{count} models"),
        }));
        parts.extend(match self.files.len() {
            0 => None,
            1 => Some("1 file".to_owned()),
            count => Some(format!("{count} files")),
        });
        parts.join("·")
    }
}

fn own(field: &str) -> Option<&'static Own> {
    OWN.iter().chain(&features::OWN).find(|own| own.field == field)
}

/// The names of members, as a request or the settings have them.
pub fn names(members: &[Value]) -> Vec<String> {
    let name = |member: &Value| {
        let of = |field: &str| member.get(field).and_then(Value::as_str);
        member.as_str().or_else(|| of("alias")).or_else(|| of("model")).map(str::to_owned)
    };
    members.iter().filter_map(name).collect()
}
