//! Markdown as styled lines: CommonMark with tables, strikethrough, task lists, footnotes and maths left as it is.
//!
//! No part recurses, and what stands before a line takes at most half of it, so that hostile nesting costs no more
//! than other text.

mod blocks;
mod code;
mod inline;
mod prefix;
mod shallow;
mod tables;

use pulldown_cmark::{Event, Options, Parser, Tag};
use ratatui::text::Line;

use self::blocks::Writer;
use self::shallow::shallow;
use super::{Theme, harmless};

/// `text` in at most `columns` (at least 1). It is made harmless first, and so is what its entities stand for.
#[must_use]
pub fn markdown(text: &str, columns: usize, theme: &Theme) -> Vec<Line<'static>> {
    let text = harmless(text);
    let text = shallow(&text);
    let mut writer = Writer::new(columns.max(1), theme, lengths(&text));
    for event in parser(&text) {
        writer.event(event);
    }
    writer.finish()
}

fn parser(text: &str) -> Parser<'_> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    Parser::new_ext(text, options)
}

/// How many items each list has, in the order in which lists begin: the width of the numbers is needed with the first.
fn lengths(text: &str) -> Vec<u64> {
    let mut lengths: Vec<u64> = Vec::new();
    let mut open = Vec::new();
    for event in parser(text) {
        if let Event::Start(Tag::List(_)) = event {
            open.push(lengths.len());
            lengths.push(0);
        } else if let Event::End(pulldown_cmark::TagEnd::List(_)) = event {
            open.pop();
        } else if let (Event::Start(Tag::Item), Some(at)) = (event, open.last())
            && let Some(length) = lengths.get_mut(*at)
        {
            *length += 1;
        }
    }
    lengths
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
