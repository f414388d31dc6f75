//! The screen: where its parts are, and what each shows.

mod composer;
mod frame;
mod list;
mod place;
mod popups;
mod thread;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::keys::Action;
use super::reading::summary;
use super::state::{Link, State, Target};
use crate::terminal::text::{one_line, truncate, width};
use place::places;

/// The smallest screen on which anything can be read.
const SMALLEST: (u16, u16) = (20, 6);

/// Draws the whole screen.
pub fn draw(frame: &mut Frame<'_>, state: &mut State) {
    let area = frame.area();
    state.targets.clear();
    state.layouts.begin();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        let said = Paragraph::new("The terminal is too small.");
        frame.render_widget(said.wrap(Wrap { trim: true }), area);
        return;
    }
    let at = places(area, state.pane, composer::rows(state, area));
    if let Some(area) = at.list {
        list::draw(frame, area, state);
    }
    if let Some(area) = at.reading {
        thread::draw(frame, area, state);
    }
    if let Some(area) = at.writing {
        composer::draw(frame, area, state);
    }
    bottom(frame, at.bottom, state);
    popups::draw(frame, area, state);
}

/// The last message, or the progress of the run; and how to get help.
fn bottom(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let help = " F1 keys ";
    let room = usize::from(area.width).saturating_sub(width(help) + 1);
    let thread = state.thread();
    let (said, style) = match (&state.message, thread.map(|thread| &thread.link)) {
        (Some(message), _) => {
            let style = if message.is_bad { state.theme.error } else { state.theme.ok };
            (one_line(&message.text).into_owned(), style)
        }
        (None, Some(Link::Lost(why))) => (format!("{}; trying again …", one_line(why)), state.theme.warning),
        (None, _) => match thread.and_then(super::state::Thread::live) {
            Some(run) => (summary(run, room), state.theme.dim),
            None => (one_line(&state.place.to_string()).into_owned(), state.theme.dim),
        },
    };
    let said = truncate(&said, room).into_owned();
    let gap = " ".repeat(usize::from(area.width).saturating_sub(width(&said) + width(help) + 1));
    let line = Line::from(vec![
        Span::raw(" "),
        Span::styled(said, style),
        Span::raw(gap),
        Span::styled(help, state.theme.dim),
    ]);
    frame.render_widget(Paragraph::new(line), area);
    let help = u16::try_from(width(help)).unwrap_or(area.width).min(area.width);
    state.targets.push((Rect { x: area.right() - help, width: help, ..area }, Target::Key(Action::Help)));
}
