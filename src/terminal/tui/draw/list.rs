//! The conversations.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::frame::framed;
use crate::terminal::text::{Theme, one_line, truncate, width, wrap};
use crate::terminal::tui::keys::Action;
use crate::terminal::tui::panes::Pane;
use crate::terminal::tui::state::{Item, State, Target};

/// Draws the conversations, the selected one in sight.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let title = match state.list.query.as_str() {
        "" => "Conversations".to_owned(),
        query => format!("Found: {query}"),
    };
    let block = framed(&title, state.pane == Pane::List, area.width, &state.theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    state.targets.push((area, Target::Pane(Pane::List)));
    if state.list.items.is_empty() {
        let said = match (&state.list.problem, state.list.is_loading, state.list.query.is_empty()) {
            (Some(problem), _, _) => one_line(problem).into_owned(),
            (None, true, _) => "Reading …".to_owned(),
            (None, false, true) => "No conversations yet.".to_owned(),
            (None, false, false) => "Nothing found. Esc shows all conversations.".to_owned(),
        };
        let lines = wrap(&Line::styled(said, state.theme.dim), usize::from(inner.width));
        frame.render_widget(Paragraph::new(lines), inner);
        return;
    }
    let rows = usize::from(inner.height);
    let first = state.list.selected.saturating_sub(rows.saturating_sub(1));
    let mut lines = Vec::new();
    for (at, item) in state.list.items.iter().enumerate().skip(first).take(rows) {
        let is_open = state.open.as_ref() == Some(&item.id);
        let is_selected = at == state.list.selected;
        lines.push(line(item, is_open, is_selected, usize::from(inner.width), &state.theme));
        let y = inner.y + u16::try_from(at - first).unwrap_or(u16::MAX);
        state.targets.push((Rect { y, height: 1, ..inner }, Target::Item(at)));
    }
    frame.render_widget(Paragraph::new(lines), inner);
    if area.height > 1 {
        let keys = Rect { y: area.y, height: 1, ..area };
        state.targets.push((keys, Target::Key(Action::Search)));
    }
}

fn line(item: &Item, is_open: bool, is_selected: bool, columns: usize, theme: &Theme) -> Line<'static> {
    let sign = match (is_selected, is_open) {
        (true, _) => theme.frames.pick("▸", ">"),
        (false, true) => theme.frames.pick("•", "*"),
        (false, false) => " ",
    };
    let running = if item.running { theme.frames.pick(" ⋯", " ~") } else { "" };
    let tags: String = item.tags.iter().map(|tag| format!(" #{}", one_line(tag))).collect();
    let room = columns.saturating_sub(2 + width(running));
    let title = truncate(&one_line(&item.title), room).into_owned();
    let left = room.saturating_sub(width(&title));
    let beside = match &item.snippet {
        Some(snippet) => format!("  {}", one_line(snippet)),
        None => tags,
    };
    let beside = if left > 3 { truncate(&beside, left).into_owned() } else { String::new() };
    let style = if is_selected { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    Line::from(vec![
        Span::styled(format!("{sign} "), theme.accent),
        Span::styled(title, style),
        Span::styled(beside, theme.dim),
        Span::styled(running, theme.ok),
    ])
}
