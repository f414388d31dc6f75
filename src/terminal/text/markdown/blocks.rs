//! The blocks of a text, from the parser's events to lines.

use pulldown_cmark::{BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::super::width::spans_width;
use super::super::{Frames, Theme, harmless, line_width, one_line, truncate, wrap_hanging};
use super::code;
use super::inline::Inline;
use super::prefix::Prefix;
use super::tables::Table;

/// Widest rule.
const MAX_RULE: usize = 40;
/// Longest label of a footnote, in columns.
const MAX_LABEL: usize = 12;

/// An open list: the next number and the columns of its widest, if it is numbered.
struct List {
    number: Option<(u64, usize)>,
}

/// What a footnote interrupts.
struct Outside {
    prefix: Prefix,
    lines: Vec<Line<'static>>,
    needs_blank: bool,
}

pub(super) struct Writer<'a> {
    theme: &'a Theme,
    columns: usize,
    lines: Vec<Line<'static>>,
    /// The footnotes, which stand at the end.
    notes: Vec<Line<'static>>,
    outside: Vec<Outside>,
    prefix: Prefix,
    inline: Inline,
    lists: Vec<List>,
    lengths: std::vec::IntoIter<u64>,
    code: Option<(String, String)>,
    html: Option<String>,
    table: Option<Table>,
    needs_blank: bool,
}

impl<'a> Writer<'a> {
    /// A writer. `lengths` has the number of items of every list, in the order in which lists begin.
    pub fn new(columns: usize, theme: &'a Theme, lengths: Vec<u64>) -> Self {
        Self {
            theme,
            columns,
            lines: Vec::new(),
            notes: Vec::new(),
            outside: Vec::new(),
            prefix: Prefix::new(columns),
            inline: Inline::default(),
            lists: Vec::new(),
            lengths: lengths.into_iter(),
            code: None,
            html: None,
            table: None,
            needs_blank: false,
        }
    }

    pub fn finish(mut self) -> Vec<Line<'static>> {
        self.flush();
        if !self.notes.is_empty() {
            if !self.lines.is_empty() {
                self.lines.push(Line::default());
            }
            let dash = self.theme.frames.pick("─", "-");
            self.lines.push(Line::styled(dash.repeat(self.columns.min(12)), self.theme.border));
            self.lines.append(&mut self.notes);
        }
        self.lines
    }

    pub fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match (&mut self.code, &mut self.html) {
                (Some((_, code)), _) => code.push_str(&text),
                (None, Some(html)) => html.push_str(&text),
                (None, None) => self.inline.text(&text),
            },
            Event::Html(html) => match &mut self.html {
                Some(block) => block.push_str(&html),
                None => self.inline.html(&html),
            },
            Event::InlineHtml(html) => self.inline.html(&html),
            Event::Code(text) => self.inline.code(&text, self.theme),
            Event::InlineMath(text) => self.inline.text(&format!("${text}$")),
            Event::DisplayMath(text) => self.inline.text(&format!("$${text}$$")),
            Event::FootnoteReference(label) => {
                self.inline.reference(&truncate(&one_line(&label), MAX_LABEL), self.theme);
            }
            Event::SoftBreak => self.inline.text(" "),
            Event::HardBreak => self.inline.hard_break(),
            Event::Rule => {
                self.space();
                let columns = (self.columns - self.prefix.width()).min(MAX_RULE);
                let dash = self.theme.frames.pick("─", "-");
                self.line(&Line::styled(dash.repeat(columns), self.theme.border));
                self.needs_blank = true;
            }
            Event::TaskListMarker(is_done) => self.task(is_done),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.space(),
            Tag::Heading { level, .. } => {
                self.space();
                self.inline.base = heading(level, self.theme);
            }
            Tag::BlockQuote(kind) => {
                self.space();
                let bar = match self.theme.frames {
                    Frames::Unicode => "│ ",
                    Frames::Ascii | Frames::Plain => "> ",
                };
                let bar = Span::styled(bar, self.theme.accent);
                self.prefix.open(bar.clone(), bar);
                if let Some(kind) = kind {
                    self.line(&Line::styled(
                        quote_name(kind),
                        self.theme.accent.add_modifier(Modifier::BOLD),
                    ));
                }
            }
            Tag::CodeBlock(kind) => {
                self.space();
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((info, String::new()));
            }
            Tag::HtmlBlock => {
                self.space();
                self.html = Some(String::new());
            }
            Tag::List(first) => {
                self.flush();
                if self.lists.is_empty() {
                    self.space();
                }
                let length = self.lengths.next().unwrap_or(1);
                let last = |first: u64| first.saturating_add(length.saturating_sub(1));
                self.lists.push(List { number: first.map(|first| (first, last(first).to_string().len())) });
            }
            Tag::Item => self.item(),
            Tag::FootnoteDefinition(label) => {
                self.flush();
                let label = format!("[{}] ", truncate(&one_line(&label), MAX_LABEL));
                let rest = " ".repeat(spans_width(&[Span::raw(label.as_str())]));
                self.outside.push(Outside {
                    prefix: std::mem::replace(&mut self.prefix, Prefix::new(self.columns)),
                    lines: std::mem::take(&mut self.lines),
                    needs_blank: std::mem::take(&mut self.needs_blank),
                });
                self.prefix.open(Span::styled(label, self.theme.accent), Span::raw(rest));
            }
            Tag::Table(aligns) => {
                self.space();
                self.table = Some(Table { aligns, rows: Vec::new() });
            }
            Tag::TableHead => {
                self.inline.base = Style::new().add_modifier(Modifier::BOLD);
                self.row();
            }
            Tag::TableRow => self.row(),
            Tag::Emphasis => self.inline.italic(true, self.theme),
            Tag::Strong => self.inline.bold(true, self.theme),
            Tag::Strikethrough => self.inline.struck(true, self.theme),
            Tag::Link { dest_url, .. } => self.inline.begin_link(&dest_url),
            Tag::Image { dest_url, .. } => self.inline.begin_image(&dest_url),
            Tag::TableCell
            | Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.flush();
                self.needs_blank = true;
            }
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.prefix.close();
                self.needs_blank = true;
            }
            TagEnd::CodeBlock => {
                if let Some((info, text)) = self.code.take() {
                    let columns = self.room();
                    self.block(code::block(&info, &harmless(&text), columns, self.theme));
                }
            }
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    self.inline.text(html.trim_end());
                    self.flush();
                    self.needs_blank = true;
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.needs_blank |= self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush();
                if self.prefix.is_unmarked() {
                    self.line(&Line::default());
                }
                self.prefix.close();
            }
            TagEnd::FootnoteDefinition => {
                self.flush();
                if let Some(outside) = self.outside.pop() {
                    self.prefix = outside.prefix;
                    self.notes.append(&mut std::mem::replace(&mut self.lines, outside.lines));
                    self.needs_blank = outside.needs_blank;
                }
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let columns = self.room();
                    self.block(table.lines(columns, self.theme));
                }
            }
            TagEnd::TableHead => self.inline.base = Style::new(),
            TagEnd::TableCell => {
                let cell = self.inline.take();
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis => self.inline.italic(false, self.theme),
            TagEnd::Strong => self.inline.bold(false, self.theme),
            TagEnd::Strikethrough => self.inline.struck(false, self.theme),
            TagEnd::Link => self.inline.end_link(self.theme),
            TagEnd::Image => self.inline.end_image(self.theme),
            TagEnd::TableRow
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    fn row(&mut self) {
        if let Some(table) = &mut self.table {
            table.rows.push(Vec::new());
        }
    }

    fn item(&mut self) {
        self.flush();
        self.space();
        let bullet = match self.lists.len() % 3 {
            1 => self.theme.frames.pick("• ", "* "),
            2 => self.theme.frames.pick("◦ ", "- "),
            _ => self.theme.frames.pick("▪ ", "+ "),
        };
        let mark = match self.lists.last_mut().and_then(|list| list.number.as_mut()) {
            Some((number, digits)) => {
                let mark = format!("{number:>digits$}. ");
                *number = number.saturating_add(1);
                mark
            }
            None => bullet.to_owned(),
        };
        let rest = " ".repeat(spans_width(&[Span::raw(mark.as_str())]));
        self.prefix.open(Span::styled(mark, self.theme.accent), Span::raw(rest));
    }

    /// A task of a list has a box in place of its bullet; a numbered one has both.
    fn task(&mut self, is_done: bool) {
        let (mark, style) = if is_done { ("[x] ", self.theme.ok) } else { ("[ ] ", self.theme.dim) };
        if self.lists.last().is_some_and(|list| list.number.is_none()) {
            self.prefix.mark(Span::styled(mark, style), Span::raw("    "));
        } else {
            self.inline.text(mark);
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let from = self.lines.len();
        self.flush();
        self.inline.base = Style::new();
        // Where no style is shown, a line says that this is a heading.
        if !self.theme.is_styled() && self.theme.frames != Frames::Plain {
            let before = self.prefix.width();
            let widest =
                self.lines.iter().skip(from).map(line_width).max().unwrap_or(0).saturating_sub(before);
            let dash = match level {
                HeadingLevel::H1 => self.theme.frames.pick("═", "="),
                HeadingLevel::H2
                | HeadingLevel::H3
                | HeadingLevel::H4
                | HeadingLevel::H5
                | HeadingLevel::H6 => self.theme.frames.pick("─", "-"),
            };
            if widest > 0 {
                self.line(&Line::from(dash.repeat(widest)));
            }
        }
        self.needs_blank = true;
    }

    /// An empty line before a block, where another stands before it.
    fn space(&mut self) {
        self.flush();
        if !std::mem::take(&mut self.needs_blank) || self.lines.is_empty() {
            return;
        }
        let mut spans = self.prefix.rest();
        while spans.last().is_some_and(|span| span.content.trim().is_empty()) {
            spans.pop();
        }
        if let Some(last) = spans.last_mut() {
            last.content = last.content.trim_end().to_owned().into();
        }
        self.lines.push(Line::from(spans));
    }

    /// Writes the text so far.
    fn flush(&mut self) {
        if self.inline.is_empty() {
            self.inline.take();
            return;
        }
        for spans in self.inline.take() {
            self.line(&Line::from(spans));
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        let (first, rest) = self.prefix.next();
        self.lines.extend(wrap_hanging(line, self.columns, &first, &rest));
    }

    /// Columns for a block that is not wrapped.
    fn room(&self) -> usize {
        // The mark of an item that is hidden may stand before it, and is as wide as a half at most.
        (self.columns - self.prefix.width()).max(1)
    }

    /// Writes lines that have their width already.
    fn block(&mut self, lines: Vec<Line<'static>>) {
        for line in lines {
            let (mut spans, _) = self.prefix.next();
            if spans_width(&spans) + line_width(&line) > self.columns {
                // The mark of a hidden item has a line of its own.
                self.lines.push(Line::from(std::mem::replace(&mut spans, self.prefix.rest())));
            }
            spans.extend(
                line.spans.into_iter().map(|span| Span::styled(span.content, line.style.patch(span.style))),
            );
            self.lines.push(Line::from(spans));
        }
        self.needs_blank = true;
    }
}

fn heading(level: HeadingLevel, theme: &Theme) -> Style {
    match level {
        HeadingLevel::H1 => theme.heading.add_modifier(Modifier::UNDERLINED),
        HeadingLevel::H2 => theme.heading,
        HeadingLevel::H3 => Style::new().add_modifier(Modifier::BOLD),
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => {
            Style::new().add_modifier(Modifier::BOLD | Modifier::ITALIC)
        }
    }
}

fn quote_name(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note",
        BlockQuoteKind::Tip => "Tip",
        BlockQuoteKind::Important => "Important",
        BlockQuoteKind::Warning => "Warning",
        BlockQuoteKind::Caution => "Caution",
    }
}
