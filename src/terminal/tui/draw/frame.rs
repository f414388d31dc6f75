//! The frame of a pane.

use ratatui::symbols::border;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders};

use crate::terminal::text::{Frames, Theme, one_line, truncate};

const ASCII: border::Set<'static> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// A frame with this title; the focused one is also marked by a sign, for people who see no colours.
#[must_use]
pub fn framed(title: &str, has_keys: bool, columns: u16, theme: &Theme) -> Block<'static> {
    let set = if theme.frames == Frames::Unicode { border::ROUNDED } else { ASCII };
    let sign = if has_keys { theme.frames.pick("● ", "* ") } else { "" };
    let room = usize::from(columns).saturating_sub(6);
    let title = truncate(&format!("{sign}{}", one_line(title)), room).into_owned();
    let (title_style, border_style) =
        if has_keys { (theme.heading, theme.accent) } else { (theme.dim, theme.border) };
    let block = Block::new().borders(Borders::ALL).border_set(set).border_style(border_style);
    if title.is_empty() { block } else { block.title(Line::styled(format!(" {title} "), title_style)) }
}
