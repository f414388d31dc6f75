//! Text within a paragraph: its styles, links and breaks.

use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::super::{Theme, harmless, one_line};

/// The text of a paragraph, a heading or a cell that is being written.
#[derive(Default)]
pub(super) struct Inline {
    /// The lines between hard breaks.
    lines: Vec<Vec<Span<'static>>>,
    bold: usize,
    italic: usize,
    struck: usize,
    /// Open links and pictures: their address, and where their text begins.
    links: Vec<Target>,
    /// Style of a heading or a cell of a table's head.
    pub base: Style,
}

struct Target {
    address: String,
    text: String,
}

/// Longest text of a link that is compared with its address.
const MAX_COMPARED: usize = 4096;

impl Inline {
    pub fn is_empty(&self) -> bool {
        self.lines.iter().all(Vec::is_empty)
    }

    /// Takes the lines so far; the text after them starts afresh.
    pub fn take(&mut self) -> Vec<Vec<Span<'static>>> {
        std::mem::take(&mut self.lines)
    }

    fn style(&self) -> Style {
        let mut style = self.base;
        for (depth, modifier) in [
            (self.bold, Modifier::BOLD),
            (self.italic, Modifier::ITALIC),
            (self.struck, Modifier::CROSSED_OUT),
        ] {
            if depth > 0 {
                style = style.add_modifier(modifier);
            }
        }
        if self.links.is_empty() { style } else { style.add_modifier(Modifier::UNDERLINED) }
    }

    fn push(&mut self, text: &str, style: Style) {
        let text = harmless(text);
        for (at, part) in text.split('\n').enumerate() {
            if at > 0 {
                self.lines.push(Vec::new());
            }
            if part.is_empty() {
                continue;
            }
            if self.lines.is_empty() {
                self.lines.push(Vec::new());
            }
            let Some(line) = self.lines.last_mut() else { continue };
            match line.last_mut() {
                // One grapheme may come in pieces.
                Some(last) if last.style == style => last.content.to_mut().push_str(part),
                _ => line.push(Span::styled(part.to_owned(), style)),
            }
        }
    }

    pub fn text(&mut self, text: &str) {
        if let Some(link) = self.links.last_mut()
            && link.text.len() < MAX_COMPARED
        {
            link.text.push_str(text);
        }
        self.push(text, self.style());
    }

    pub fn code(&mut self, text: &str, theme: &Theme) {
        if let Some(link) = self.links.last_mut()
            && link.text.len() < MAX_COMPARED
        {
            link.text.push_str(text);
        }
        let style = self.style().patch(theme.code);
        if theme.is_styled() { self.push(text, style) } else { self.push(&format!("`{text}`"), style) }
    }

    /// HTML is text like other text, but for a line break, which models write into the cells of tables.
    pub fn html(&mut self, html: &str) {
        let tag: String = html.chars().take(8).filter(|c| *c != ' ').collect();
        if matches!(&*tag.to_ascii_lowercase(), "<br>" | "<br/>") {
            self.hard_break();
        } else {
            self.text(html);
        }
    }

    pub fn hard_break(&mut self) {
        self.push("\n", Style::new());
    }

    pub fn reference(&mut self, label: &str, theme: &Theme) {
        self.push(&format!("[{}]", one_line(label)), self.base.patch(theme.accent));
    }

    pub fn bold(&mut self, begins: bool, theme: &Theme) {
        self.sign("*", theme);
        self.bold = if begins { self.bold + 1 } else { self.bold.saturating_sub(1) };
    }

    pub fn italic(&mut self, begins: bool, theme: &Theme) {
        self.sign("_", theme);
        self.italic = if begins { self.italic + 1 } else { self.italic.saturating_sub(1) };
    }

    pub fn struck(&mut self, begins: bool, theme: &Theme) {
        self.sign("~~", theme);
        self.struck = if begins { self.struck + 1 } else { self.struck.saturating_sub(1) };
    }

    /// Where no style is shown, a sign says it.
    fn sign(&mut self, sign: &str, theme: &Theme) {
        if !theme.is_styled() {
            self.push(sign, Style::new());
        }
    }

    pub fn begin_link(&mut self, address: &str) {
        self.links.push(Target { address: one_line(address).into_owned(), text: String::new() });
    }

    pub fn begin_image(&mut self, address: &str) {
        self.push("[image: ", self.base);
        self.begin_link(address);
    }

    /// The address stands after the text where the two differ: a text must not pass for another address.
    pub fn end_link(&mut self, theme: &Theme) {
        let Some(link) = self.links.pop() else { return };
        if !link.address.is_empty() && !is_same(&link.text, &link.address) {
            self.push(&format!(" ({})", link.address), self.base.patch(theme.dim));
        }
    }

    pub fn end_image(&mut self, theme: &Theme) {
        let Some(image) = self.links.pop() else { return };
        self.push("]", self.base);
        if !image.address.is_empty() {
            self.push(&format!(" ({})", image.address), self.base.patch(theme.dim));
        }
    }
}

fn is_same(text: &str, address: &str) -> bool {
    let bare = |address: &str| {
        let address = address.trim();
        let address = ["https://", "http://", "mailto:"]
            .iter()
            .find_map(|start| address.strip_prefix(start))
            .unwrap_or(address);
        address.strip_suffix('/').unwrap_or(address).to_owned()
    };
    bare(text) == bare(address)
}
