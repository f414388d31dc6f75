//! Asks whether to take an earlier answer that is offered, by a single key.

use std::io::IsTerminal as _;

use crossterm::event::{Event, EventStream, KeyCode, KeyEvent, KeyModifiers};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use futures_util::StreamExt as _;

use super::view::View;
use crate::terminal::live::{Earlier, LiveRun};
use crate::terminal::session::Session;
use crate::terminal::text::one_line;

/// The person wants to stop the run instead of answering.
#[derive(Debug, PartialEq, Eq)]
pub struct Stop;

/// Asks the person, and tells the run, which waits; if nobody answers, it goes on by itself.
///
/// # Errors
/// When the run is to be stopped.
pub async fn ask(
    session: &dyn Session,
    run: &LiveRun,
    earlier: &Earlier,
    view: &mut dyn View,
) -> Result<(), Stop> {
    let Some(id) = run.run_id.clone() else { return Ok(()) };
    let when = earlier.created_at.as_deref().unwrap_or_default();
    let when: String = when.chars().take(16).map(|c| if c == 'T' { ' ' } else { c }).collect();
    view.say(&format!("Asked before ({}): {}", one_line(&when), one_line(&earlier.asked())));
    // Piped input holds questions, not answers to this one: nobody declines.
    let mut take = true;
    if std::io::stdin().is_terminal() {
        view.say("Take that answer? [Y/n]");
        take = key().await?;
    }
    answer(session, &id, take, view).await;
    Ok(())
}

/// Takes the offer, since nobody can be asked.
pub async fn take(session: &dyn Session, run: &LiveRun, view: &mut dyn View) {
    if let Some(id) = &run.run_id {
        answer(session, id, true, view).await;
    }
}

async fn answer(session: &dyn Session, run: &str, take: bool, view: &mut dyn View) {
    if let Err(trouble) = session.answer_offer(run, take).await {
        view.say(&format!("The offer is over: {trouble}"));
    }
}

/// While this exists, keys come one by one, without Enter, and Ctrl-C is one of them.
struct Raw;

impl Drop for Raw {
    fn drop(&mut self) {
        if let Err(error) = disable_raw_mode() {
            tracing::debug!(%error, "the terminal is gone");
        }
    }
}

/// Whether the answer is taken.
async fn key() -> Result<bool, Stop> {
    if enable_raw_mode().is_err() {
        return Ok(true);
    }
    let _raw = Raw;
    let mut events = EventStream::new();
    while let Some(Ok(event)) = events.next().await {
        if let Event::Key(key) = event
            && let Some(said) = said(key)
        {
            return said;
        }
    }
    // The input has ended: nobody declines.
    Ok(true)
}

/// The decision that a key stands for; `None` for any other key.
fn said(key: KeyEvent) -> Option<Result<bool, Stop>> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    let KeyCode::Char(letter) = key.code else { return (key.code == KeyCode::Enter).then_some(Ok(true)) };
    match (letter.to_ascii_lowercase(), is_control) {
        ('c', true) => Some(Err(Stop)),
        ('d', true) | ('y', false) => Some(Ok(true)),
        ('n', false) => Some(Ok(false)),
        _ => None,
    }
}
