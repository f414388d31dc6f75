//! What lies over the screen: the keys, the options, an offer, a line to type, a confirmation before something is
//! deleted.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};
use ratatui_textarea::TextArea;

use super::frame::framed;
use crate::terminal::live::Earlier;
use crate::terminal::session::Place;
use crate::terminal::text::{Theme, amounts, one_line, truncate, width, wrap};
use crate::terminal::tui::keys::KEYS;
use crate::terminal::tui::options;
use crate::terminal::tui::panes::Pane;
use crate::terminal::tui::state::{Popup, Prompt, State};

/// The most columns of a popup.
const MAX_COLUMNS: u16 = 76;

/// The most lines of a question that was asked before.
const QUESTION_LINES: usize = 4;

/// How wide the keys are in their list, in columns.
const KEY_COLUMNS: usize = 19;

/// Draws the open popup: an offer, which a run waits for, comes before all others.
pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &mut State) {
    let theme = state.theme.clone();
    if state.popup.is_none() {
        let Some(offer) = state.thread().and_then(|thread| thread.offer()) else { return };
        let lines = offered(offer, area, &theme);
        show(frame, area, "Asked before", &lines, 0, &theme);
        return;
    }
    let place = state.place.clone();
    let options = options::rows(&state.settings, &state.presets);
    match &mut state.popup {
        None => {}
        Some(Popup::Help { top }) => {
            *top = show(frame, area, "Keys (Esc closes)", &help(inner_columns(area), &theme), *top, &theme);
        }
        Some(Popup::Options { at }) => {
            *at = (*at).min(options.len().saturating_sub(1));
            let mut lines: Vec<Line> = options
                .iter()
                .enumerate()
                .map(|(n, row)| {
                    chosen(
                        &format!("{} {}", if row.is_on { "[x]" } else { "[ ]" }, row.says),
                        n == *at,
                        &theme,
                    )
                })
                .collect();
            lines.push(Line::default());
            lines.push(Line::styled(
                "Space changes it, Esc closes. Set anything else with /set FIELD=VALUE.",
                theme.dim,
            ));
            let top = down_to(&lines, *at, area);
            show(frame, area, "How the next question is asked", &lines, top, &theme);
        }
        Some(Popup::Skip { members, at }) => {
            let lines =
                members.iter().enumerate().map(|(n, member)| chosen(&one_line(member), n == *at, &theme));
            let lines = lines
                .chain([Line::default(), Line::styled("Enter goes on without it, Esc waits.", theme.dim)]);
            let lines: Vec<_> = lines.collect();
            let top = down_to(&lines, *at, area);
            show(frame, area, "Go on without", &lines, top, &theme);
        }
        Some(Popup::Prompt { asks, area: typed }) => prompt(frame, area, asks, typed, &theme),
        Some(Popup::Delete(_, title)) => {
            let said =
                format!("Delete \"{}\"? It can be restored through the API for 30 days.", one_line(title));
            let lines = vec![Line::raw(said), Line::default(), Line::raw("y  delete it    Esc  keep it")];
            show(frame, area, "Delete", &lines, 0, &theme);
        }
        Some(Popup::Leave) => {
            let becomes = match place {
                Place::Server(_) => "The server continues it.",
                Place::Here => "The next command or server on this machine continues it.",
                Place::Ephemeral => "It will be lost.",
            };
            let lines = vec![
                Line::raw(format!("A run is still going on. {becomes}")),
                Line::default(),
                Line::raw("l  leave    s  stop it and leave    Esc  stay"),
            ];
            show(frame, area, "Leave", &lines, 0, &theme);
        }
    }
}

/// The offer; a long question is cut so that the keys stay in sight.
fn offered(offer: &Earlier, area: Rect, theme: &Theme) -> Vec<Line<'static>> {
    let when: String = offer.created_at.as_deref().unwrap_or_default().chars().take(16).collect();
    let mut facts = vec![when.replace('T', " ")];
    facts.extend(offer.similarity.map(|alike| format!("{:.0} % alike", alike * 100.0)));
    facts.extend(offer.cost_saved.map(|usd| format!("saves {}", amounts::usd(Some(usd)))));
    let rest = [
        Line::styled(one_line(&facts.join(", ")).into_owned(), theme.dim),
        Line::default(),
        Line::raw("t  take that answer    a  ask anyway    Esc  decide later"),
    ];
    let columns = inner_columns(area);
    let taken: usize = rest.iter().map(|line| wrap(line, columns).len()).sum();
    let room = usize::from(area.height).saturating_sub(taken + 2).clamp(1, QUESTION_LINES);
    let question = truncate(&one_line(&offer.asked()), columns * room).into_owned();
    wrap(&Line::raw(question), columns).into_iter().take(room).chain(rest).collect()
}

/// A line of a list; the chosen one is marked by a sign too.
fn chosen(said: &str, is_chosen: bool, theme: &Theme) -> Line<'static> {
    let sign = if is_chosen { theme.frames.pick("▸ ", "> ") } else { "  " };
    let style = if is_chosen { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    Line::from(vec![Span::styled(sign, theme.accent), Span::styled(said.to_owned(), style)])
}

fn help(columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let panes = [
        (None, "Everywhere"),
        (Some(Pane::Reading), "While reading"),
        (Some(Pane::List), "In the conversations"),
        (Some(Pane::Writing), "While writing"),
    ];
    for (when, title) in panes {
        lines.push(Line::styled(title, theme.heading));
        for binding in KEYS.iter().filter(|binding| binding.when == when) {
            let room = " ".repeat(KEY_COLUMNS.saturating_sub(width(binding.shown) + 2));
            let keys = Span::styled(format!("  {}{room}", binding.shown), theme.accent);
            let says = Line::raw(binding.says);
            let left = columns.saturating_sub(KEY_COLUMNS).max(12);
            for (at, rest) in wrap(&says, left).into_iter().enumerate() {
                let before = if at == 0 { keys.clone() } else { Span::raw(" ".repeat(KEY_COLUMNS)) };
                lines.push(Line::from_iter(std::iter::once(before).chain(rest.spans)));
            }
        }
        lines.push(Line::default());
    }
    lines.push(Line::raw("The mouse opens, switches and scrolls; hold Shift to select text."));
    lines
}

/// The top line with which this one is still in sight.
fn down_to(lines: &[Line<'static>], at: usize, area: Rect) -> usize {
    let down_to_it = lines.iter().take(at + 1);
    let rows: usize = down_to_it.map(|line| wrap(line, inner_columns(area)).len()).sum();
    rows.saturating_sub(usize::from(area.height.saturating_sub(2)))
}

/// Draws lines in the middle, from `top` on; where that is too far, the last ones. Returns the resulting top line.
fn show(
    frame: &mut Frame<'_>,
    area: Rect,
    title: &str,
    lines: &[Line<'static>],
    top: usize,
    theme: &Theme,
) -> usize {
    let columns = area.width.saturating_sub(2).min(MAX_COLUMNS);
    let lines: Vec<Line> = lines.iter().flat_map(|line| wrap(line, inner_columns(area))).collect();
    let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2).min(area.height);
    let at = middle(area, columns, rows);
    let block = framed(title, true, at.width, theme);
    let inner = block.inner(at);
    let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
    let top = top.min(lines.len().saturating_sub(usize::from(inner.height)));
    frame.render_widget(Clear, at);
    frame.render_widget(block, at);
    let shown: Vec<Line> = lines.into_iter().skip(top).take(usize::from(inner.height)).collect();
    frame.render_widget(Paragraph::new(shown), inner);
    top
}

fn prompt(frame: &mut Frame<'_>, area: Rect, asks: &Prompt, typed: &TextArea<'static>, theme: &Theme) {
    let title = match asks {
        Prompt::Search => "Search for words, or #tag",
        Prompt::Title(_) => "The conversation's title",
        Prompt::Tags(_) => "Tags, separated by spaces",
        Prompt::Export(_) => "Export to this file (.md or .json)",
        Prompt::Correction(_) => "Add to the question, for reviewers and the chairman",
    };
    let columns = area.width.saturating_sub(2).min(MAX_COLUMNS);
    let at = middle(area, columns, 3.min(area.height));
    let title = truncate(title, usize::from(columns).saturating_sub(6)).into_owned();
    let block = framed(&title, true, at.width, theme);
    let inner = block.inner(at);
    frame.render_widget(Clear, at);
    frame.render_widget(block, at);
    frame.render_widget(typed, inner);
    let (cursor, (top, left)) = (typed.screen_cursor(), typed.scroll_offset());
    let row = u16::try_from(cursor.row).unwrap_or(u16::MAX).saturating_sub(top);
    let column = u16::try_from(cursor.col).unwrap_or(u16::MAX).saturating_sub(left);
    let at = Position::new(inner.x.saturating_add(column), inner.y.saturating_add(row));
    if inner.contains(at) {
        frame.set_cursor_position(at);
    }
}

/// Columns for the content of a popup.
fn inner_columns(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(2).min(MAX_COLUMNS).saturating_sub(4)).max(1)
}

fn middle(area: Rect, columns: u16, rows: u16) -> Rect {
    Rect {
        x: area.x + (area.width - columns) / 2,
        y: area.y + (area.height - rows) / 2,
        width: columns,
        height: rows,
    }
}
