//! What is typed, and how it will be asked.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::frame::framed;
use crate::terminal::text::{truncate, width};
use crate::terminal::tui::keys::Action;
use crate::terminal::tui::panes::Pane;
use crate::terminal::tui::state::{State, Target};

/// The most lines that are shown of what is typed.
const MOST: usize = 8;

/// The rows that the composer would like: what is typed, its frame, and the line of options.
#[must_use]
pub fn rows(state: &State, area: Rect) -> u16 {
    let columns = usize::from(area.width).saturating_sub(4).max(1);
    let typed: usize = state.area.lines().iter().map(|line| width(line) / columns + 1).sum();
    u16::try_from(typed.clamp(1, MOST)).unwrap_or(1) + 3
}

/// Draws the composer, with the cursor if it has the focus.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    state.targets.push((area, Target::Pane(Pane::Writing)));
    let has_keys = state.pane == Pane::Writing;
    let block = framed("Ask", has_keys, area.width, &state.theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let body = Rect { height: inner.height.saturating_sub(1), ..inner };
    let chips_area = Rect { y: body.bottom(), height: inner.height - body.height, ..inner };
    if state.area.is_empty() {
        let says = if has_keys { "Ask anything; / begins a command" } else { "Enter writes a question" };
        frame.render_widget(Paragraph::new(Line::styled(says, state.theme.dim)), body);
    } else {
        frame.render_widget(&state.area, body);
    }
    if has_keys && state.popup.is_none() {
        let (cursor, (top, left)) = (state.area.screen_cursor(), state.area.scroll_offset());
        let row = u16::try_from(cursor.row).unwrap_or(u16::MAX).saturating_sub(top);
        let column = u16::try_from(cursor.col).unwrap_or(u16::MAX).saturating_sub(left);
        let at = Position::new(body.x.saturating_add(column), body.y.saturating_add(row));
        if body.contains(at) {
            frame.set_cursor_position(at);
        }
    }
    chips(frame, chips_area, state);
}

fn chips(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let keys = if area.width >= 40 { ["F2 ", "  F3 options: "] } else { ["", " "] };
    let said = state.settings.prompt();
    let (format, rest) = said.split_once('·').unwrap_or((&said, ""));
    let format = if format.is_empty() { "the preset's" } else { format };
    let rest = if rest.is_empty() { "none changed" } else { rest };
    let before = format!("{}{format}", keys[0]);
    let room = usize::from(area.width).saturating_sub(width(&before) + width(keys[1]));
    let columns = u16::try_from(width(&before)).unwrap_or(area.width).min(area.width);
    state.targets.push((Rect { width: columns, ..area }, Target::Key(Action::Format)));
    let right = Rect { x: area.x + columns, width: area.width - columns, ..area };
    state.targets.push((right, Target::Key(Action::Options)));
    let line = Line::from(vec![
        Span::styled(keys[0], state.theme.dim),
        Span::styled(format.to_owned(), state.theme.accent),
        Span::styled(keys[1], state.theme.dim),
        Span::styled(truncate(&rest.replace('·', ", "), room).into_owned(), state.theme.accent),
    ]);
    frame.render_widget(Paragraph::new(line), area);
}
