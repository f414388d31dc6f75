//! What the screen shows: conversations, the deliberation that is read, what is typed, and what covers them.

use std::collections::HashMap;
use std::time::Instant;

use ratatui::layout::Rect;
use ratatui_textarea::{TextArea, WrapMode};
use serde_json::Value;

use super::keys::Action;
use super::layouts::Layouts;
use super::panes::{Pane, Tab};
use crate::terminal::chat::settings::{Preset, Settings};
use crate::terminal::live::piece::Costs;
use crate::terminal::live::{Earlier, LiveRun};
use crate::terminal::session::Place;
use crate::terminal::text::{Theme, amounts};

/// A conversation in the list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Item {
    pub id: String,
    pub title: String,
    pub tags: Vec<String>,
    pub running: bool,
    /// The passage that has the words of the search.
    pub snippet: Option<String>,
}

/// The conversations, or those that a search has found.
#[derive(Debug, Default)]
pub struct List {
    pub items: Vec<Item>,
    pub selected: usize,
    /// The words of the search, `#tag` for a tag; empty where all are listed.
    pub query: String,
    pub is_loading: bool,
    /// Why there are none.
    pub problem: Option<String>,
}

/// A run whose answer another one has replaced: it was asked again. What it cost was spent all the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Replaced {
    pub run_id: String,
    /// `None` until they are known.
    pub costs: Option<Costs>,
}

/// A question and what became of it.
#[derive(Debug, Default)]
pub struct Turn {
    pub question: String,
    pub run: LiveRun,
    /// The runs before this one, oldest first.
    pub replaced: Vec<Replaced>,
    /// Why there are no events.
    pub problem: Option<String>,
}

/// How a run is connected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Link {
    /// Nothing is followed.
    #[default]
    None,
    Following,
    /// The connection is lost, for this reason; reconnecting is tried.
    Lost(String),
}

/// A conversation that was opened.
#[derive(Debug, Default)]
pub struct Thread {
    pub title: String,
    pub turns: Vec<Turn>,
    /// The turn that is read.
    pub shown: usize,
    pub tab: Tab,
    /// The first line that is shown.
    pub top: usize,
    /// Whether progress is followed: then its tab is shown, and the end of each text.
    pub follows: bool,
    pub link: Link,
    /// Whether the run is to be stopped as soon as its id is known.
    pub stopping: bool,
    /// The run whose offer is not to be shown again.
    pub offer_seen: Option<String>,
    /// When each call was first seen here, to count its seconds.
    pub begun: HashMap<String, Instant>,
}

impl Thread {
    #[must_use]
    pub fn turn(&self) -> Option<&Turn> {
        self.turns.get(self.shown)
    }

    /// The run under way; it is always the last.
    #[must_use]
    pub fn live(&self) -> Option<&LiveRun> {
        let run = &self.turns.last()?.run;
        (run.status.is_live() && self.link != Link::None).then_some(run)
    }

    /// An earlier answer that somebody has to decide on.
    #[must_use]
    pub fn offer(&self) -> Option<&Earlier> {
        let run = self.live()?;
        run.options.offer().filter(|_| self.offer_seen != run.run_id)
    }

    /// What the conversation has cost, and whether that is complete: each of its runs counts once, also one that was
    /// replaced, since a run that replaces it pays only for what it asks anew.
    #[must_use]
    pub fn cost(&self) -> String {
        let mut runs: Vec<Option<&Costs>> = Vec::new();
        for turn in &self.turns {
            runs.extend(turn.replaced.iter().map(|run| run.costs.as_ref()));
            runs.push(turn.run.costs.as_ref());
        }
        let known: Vec<f64> = runs.iter().flatten().filter_map(|costs| costs.total).collect();
        let is_all = known.len() == runs.len() && runs.iter().flatten().all(|costs| costs.unknown_calls == 0);
        let sum = amounts::usd(Some(known.iter().sum()));
        match (known.is_empty(), is_all) {
            (true, _) => "What this conversation has cost is not known.".to_owned(),
            (false, true) => format!("This conversation has cost {sum}."),
            (false, false) => format!("This conversation has cost at least {sum}."),
        }
    }

    /// Reads this turn from its beginning.
    pub fn show(&mut self, turn: usize, tab: Tab) {
        self.shown = turn.min(self.turns.len().saturating_sub(1));
        self.tab = tab;
        self.top = 0;
        self.follows = false;
    }
}

/// The purpose of a line that is prompted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prompt {
    Search,
    /// The title of this conversation.
    Title(String),
    Tags(String),
    /// The file that it is exported to.
    Export(String),
    /// What is added to the question of this run.
    Correction(String),
}

/// A popup over the screen, which takes the keys.
#[derive(Debug)]
pub enum Popup {
    Help {
        top: usize,
    },
    Options {
        at: usize,
    },
    /// Members without which the run can go on.
    Skip {
        members: Vec<String>,
        at: usize,
    },
    Prompt {
        asks: Prompt,
        area: Box<TextArea<'static>>,
    },
    /// A conversation, by its id and title.
    Delete(String, String),
    Leave,
}

/// A sentence at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub text: String,
    pub is_bad: bool,
}

/// The target of a click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Pane(Pane),
    /// A place in the list.
    Item(usize),
    Tab(Tab),
    Key(Action),
}

/// Everything that the screen shows.
pub struct State {
    pub theme: Theme,
    pub place: Place,
    pub settings: Settings,
    pub presets: Vec<Preset>,
    pub list: List,
    pub threads: HashMap<String, Thread>,
    /// The conversation that is read; `None` if the next question begins one.
    pub open: Option<String>,
    pub pane: Pane,
    pub area: TextArea<'static>,
    pub popup: Option<Popup>,
    pub message: Option<Message>,
    /// Whether the last key was Ctrl-C.
    pub interrupted: bool,
    /// The time of this redraw, which seconds are counted to.
    pub now: Instant,
    /// Where a click goes, as it was last drawn: the last that fits wins.
    pub targets: Vec<(Rect, Target)>,
    /// How many lines a page has, as it was last drawn.
    pub page: usize,
    pub layouts: Layouts,
}

impl State {
    #[must_use]
    pub fn new(theme: Theme, place: Place, settings: Settings) -> Self {
        Self {
            theme,
            place,
            settings,
            presets: Vec::new(),
            list: List::default(),
            threads: HashMap::new(),
            open: None,
            pane: Pane::Writing,
            area: area(""),
            popup: None,
            message: None,
            interrupted: false,
            now: Instant::now(),
            targets: Vec::new(),
            page: 10,
            layouts: Layouts::default(),
        }
    }

    #[must_use]
    pub fn thread(&self) -> Option<&Thread> {
        self.threads.get(self.open.as_ref()?)
    }

    pub fn thread_mut(&mut self) -> Option<&mut Thread> {
        self.threads.get_mut(self.open.as_ref()?)
    }

    /// Whether anything changes by itself.
    #[must_use]
    pub fn is_live(&self) -> bool {
        self.threads.values().any(|thread| thread.live().is_some())
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), is_bad: false });
    }

    pub fn complain(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), is_bad: true });
    }

    /// Takes what was typed, and clears it.
    pub fn take_typed(&mut self) -> String {
        let typed = self.area.lines().join("\n");
        self.area = area("");
        typed
    }
}

/// An editor with this text, the cursor at its end.
#[must_use]
pub fn area(text: &str) -> TextArea<'static> {
    let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
    area.move_cursor(ratatui_textarea::CursorMove::Bottom);
    area.move_cursor(ratatui_textarea::CursorMove::End);
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area.set_cursor_line_style(ratatui::style::Style::new());
    // The terminal's own cursor stands there: screen readers and magnifiers follow it.
    area.set_cursor_style(ratatui::style::Style::new());
    area
}

/// The text in a field of one of the API's objects; empty if there is none.
#[must_use]
pub fn text(of: &Value, name: &str) -> String {
    of.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
