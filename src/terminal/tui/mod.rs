//! `tui`: the whole council on one screen: conversations, the deliberation as it goes on, and what is asked next.
//!
//! Keys and clicks ([`keys`], [`input`]) are actions ([`acting`]), which change the [`state`], and request [`effects`]
//! from the session, which are done in the background; their replies ([`asking`]) change the state again, and [`draw`]
//! shows it.

mod acting;
mod asking;
mod commands;
mod draw;
mod effects;
mod input;
mod keys;
mod layouts;
mod options;
mod panes;
mod reading;
mod screen;
#[cfg(test)]
mod screen_tests;
mod state;
#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use crossterm::event::EventStream;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{MissedTickBehavior, interval};

use super::arguments::{Council, Where};
use super::chat::begin;
use super::exit;
use super::profile::Profiles;
use super::session::{Session, Trouble};
use super::text::{Theme, is_dumb};
use effects::{Effect, Reply, perform};
use screen::Screen;
use state::State;

/// The least time between two redraws: faster changes are shown together.
const LOOK: Duration = Duration::from_millis(66);
/// How often the screen is redrawn to count the seconds of runs under way.
const TICK: Duration = Duration::from_secs(1);
/// How many replies may wait to be handled: a faster stream waits.
const REPLIES: usize = 1024;

/// `tui`: the whole council on one screen.
#[derive(Debug, Clone, Default, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub place: Where,
    #[command(flatten)]
    pub council: Council,
    /// No colours.
    #[arg(long, help_heading = "Output")]
    pub no_color: bool,
    /// Leave the mouse to the terminal, which selects text with it.
    #[arg(long, help_heading = "Output")]
    pub no_mouse: bool,
    /// Open this conversation.
    #[arg(long, value_name = "ID")]
    pub conversation: Option<String>,
}

/// Shows the screen until the person leaves; returns the exit code.
///
/// # Errors
/// Why there is no screen.
pub async fn run(
    session: Arc<dyn Session>,
    arguments: &Arguments,
    profiles: &Profiles,
) -> Result<u8, Trouble> {
    if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
        return Err(Trouble::Wrong(vec![
            "tui needs a terminal; `llm-council query` and `chat` do without one".to_owned(),
        ]));
    }
    if is_dumb(|name| std::env::var(name).ok()) {
        return Err(Trouble::Wrong(vec![
            "tui cannot draw on this terminal (TERM is not set, or dumb); `llm-council query` and `chat` do without"
                .to_owned(),
        ]));
    }
    let settings = begin(session.as_ref(), &arguments.council, profiles).await?;
    let theme = Theme::of_output(arguments.no_color, true, false);
    let mut state = State::new(theme, session.place().clone(), settings);
    let mut effects = vec![Effect::List { query: String::new() }];
    if let Some(conversation) = &arguments.conversation {
        state.threads.insert(conversation.clone(), state::Thread::default());
        state.open = Some(conversation.clone());
        effects.push(Effect::Open { conversation: conversation.clone() });
    }
    state.list.is_loading = true;
    let mut screen = Screen::enter(!arguments.no_mouse).map_err(|error| broken(&error))?;
    let (send, receive) = channel(REPLIES);
    lead(&mut screen, state, session, effects, (send, receive)).await
}

fn broken(error: &io::Error) -> Trouble {
    Trouble::Failed(format!("the terminal cannot be used: {error}"))
}

/// The loop: one redraw after another.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "everything that is not for the terminal is for the session"
)]
async fn lead(
    screen: &mut Screen,
    mut state: State,
    session: Arc<dyn Session>,
    mut effects: Vec<Effect>,
    (send, mut receive): (Sender<Reply>, Receiver<Reply>),
) -> Result<u8, Trouble> {
    let mut events = EventStream::new();
    let mut under_way = FuturesUnordered::new();
    let mut terminate = signal(SignalKind::terminate()).map_err(|error| broken(&error))?;
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut is_stale = true;
    let mut looked: Option<Instant> = None;
    loop {
        for effect in std::mem::take(&mut effects) {
            match effect {
                Effect::Copy { text, says } => {
                    screen.copy(&text).map_err(|error| broken(&error))?;
                    state.say(says);
                }
                Effect::Redraw => screen.clear().map_err(|error| broken(&error))?,
                Effect::Suspend => {
                    drop(events);
                    screen.suspend().await.map_err(|error| broken(&error))?;
                    events = EventStream::new();
                }
                Effect::Leave { ref stop, code } if stop.is_empty() => return Ok(code),
                effect => under_way.push(perform(effect, session.clone(), send.clone())),
            }
            is_stale = true;
        }
        let wait = looked.map_or(Duration::ZERO, |looked| LOOK.saturating_sub(looked.elapsed()));
        if is_stale && wait.is_zero() {
            state.now = Instant::now();
            screen.draw(&mut state).map_err(|error| broken(&error))?;
            looked = Some(Instant::now());
            is_stale = false;
        }
        tokio::select! {
            event = events.next() => match event {
                Some(Ok(event)) => {
                    effects.extend(input::input(&mut state, event));
                    is_stale = true;
                }
                // The terminal is gone; runs at a server go on.
                Some(Err(_)) | None => return Ok(exit::CANCELLED),
            },
            reply = receive.recv() => {
                let mut next = reply;
                while let Some(reply) = next {
                    if let Reply::Left(code) = reply {
                        return Ok(code);
                    }
                    effects.extend(asking::reply(&mut state, reply));
                    next = receive.try_recv().ok();
                }
                is_stale = true;
            }
            Some(()) = under_way.next() => {}
            _ = ticks.tick(), if state.is_live() => is_stale = true,
            _ = terminate.recv() => return Ok(exit::CANCELLED),
            () = tokio::time::sleep(wait), if is_stale => {}
        }
    }
}
