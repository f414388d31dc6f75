//! The deliberation that is read.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::frame::framed;
use crate::terminal::text::{width, wrap};
use crate::terminal::tui::panes::{Pane, Tab};
use crate::terminal::tui::reading::{Page, lines};
use crate::terminal::tui::state::{State, Target};

/// Draws the deliberation, from its top line on.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    state.targets.push((area, Target::Pane(Pane::Reading)));
    let has_keys = state.pane == Pane::Reading;
    let theme = state.theme.clone();
    let (now, open) = (state.now, state.open.clone());
    let Some(thread) = open.and_then(|id| state.threads.get_mut(&id)) else {
        let block = framed("A new conversation", has_keys, area.width, &theme);
        let inner = block.inner(area);
        frame.render_widget(block, area);
        let said = "Write a question below, and press Enter. The council answers, its members review each \
                    other, and a chairman writes the answer. F1 lists the keys.";
        let lines = wrap(&Line::styled(said, theme.dim), usize::from(inner.width).min(80));
        frame.render_widget(Paragraph::new(lines), inner);
        return;
    };
    let mut title = if thread.title.is_empty() { "A conversation".to_owned() } else { thread.title.clone() };
    if thread.turns.len() > 1 {
        title =
            format!("{} of {} {} {title}", thread.shown + 1, thread.turns.len(), theme.frames.pick("·", "-"));
    }
    let item = state.list.items.iter().find(|item| state.open.as_ref() == Some(&item.id));
    title.extend(item.into_iter().flat_map(|item| &item.tags).map(|tag| format!(" #{tag}")));
    let block = framed(&title, has_keys, area.width, &theme);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let [bar, body] = [
        Rect { height: inner.height.min(1), ..inner },
        Rect { y: inner.y + 1, height: inner.height.saturating_sub(2), ..inner },
    ];
    let page =
        Page { columns: usize::from(body.width).max(1), rows: usize::from(body.height), theme: &theme, now };
    let lines = lines(thread, &mut state.layouts, &page);
    let last = lines.len().saturating_sub(page.rows);
    if thread.follows {
        thread.top = last;
    }
    thread.top = thread.top.min(last);
    let (top, tab, follows) = (thread.top, thread.tab, thread.follows && thread.live().is_some());
    state.page = page.rows.saturating_sub(1).max(1);
    let shown: Vec<Line> = lines.into_iter().skip(top).take(page.rows).collect();
    frame.render_widget(Paragraph::new(shown), body);
    let below = last - top;
    let foot = match (follows, below) {
        (true, _) => "following (f scrolls)".to_owned(),
        (false, 0) => String::new(),
        (false, 1) => "1 more line".to_owned(),
        (false, below) => format!("{below} more lines"),
    };
    let foot_area =
        Rect { y: body.bottom(), height: inner.height.saturating_sub(body.height + 1).min(1), ..inner };
    frame.render_widget(Paragraph::new(Line::styled(foot, theme.dim).right_aligned()), foot_area);
    tabs(frame, bar, tab, state);
}

fn tabs(frame: &mut Frame<'_>, area: Rect, shown: Tab, state: &mut State) {
    let mut spans = Vec::new();
    let mut x = area.x;
    // Where there is no room, tabs other than the current one show only their number.
    let is_narrow = area.width < 48;
    for (at, tab) in Tab::ALL.into_iter().enumerate() {
        let is_shown = tab == shown;
        let name = match (is_shown, is_narrow) {
            (true, _) => format!("[{} {}]", at + 1, tab.title()),
            (false, true) => format!(" {} ", at + 1),
            (false, false) => format!(" {} {} ", at + 1, tab.title()),
        };
        let columns = u16::try_from(width(&name)).unwrap_or_default();
        let at = Rect { x, width: columns, height: 1, ..area }.intersection(area);
        state.targets.push((at, Target::Tab(tab)));
        x = x.saturating_add(columns);
        let style = if is_shown { state.theme.heading } else { Style::new().add_modifier(Modifier::DIM) };
        spans.push(Span::styled(name, style));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}
