//! Titles and excerpts of pages as plain text: without HTML, without characters that nobody sees, of bounded length.

use crate::invisible::{is_hidden, is_joiner};

/// Elements of HTML that end a line, or at least a word.
const BLOCKS: [&str; 29] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "button",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "form",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "table",
    "td",
    "th",
    "title",
    "tr",
    "ul",
];
/// Elements within a line, and elements that show nothing.
const INLINE: [&str; 49] = [
    "a", "abbr", "audio", "b", "base", "big", "canvas", "center", "cite", "code", "del", "dfn", "em",
    "embed", "font", "head", "i", "iframe", "img", "input", "ins", "kbd", "label", "link", "mark", "math",
    "meta", "noscript", "object", "option", "param", "picture", "pre", "q", "s", "samp", "select", "small",
    "source", "span", "strike", "strong", "sub", "summary", "sup", "svg", "template", "u", "video",
];
/// Elements whose content is not text.
const DROPPED: [&str; 2] = ["script", "style"];
/// The longest text that is taken for a tag.
const MAX_TAG_BYTES: usize = 2000;

/// The references by name that pages use; the others stay as they are written.
const NAMED: [(&str, &str); 40] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("hellip", "…"),
    ("mdash", "—"),
    ("ndash", "–"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("sbquo", "‚"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("bdquo", "„"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("middot", "·"),
    ("bull", "•"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("euro", "€"),
    ("pound", "£"),
    ("deg", "°"),
    ("times", "×"),
    ("plusmn", "±"),
    ("sect", "§"),
    ("auml", "ä"),
    ("ouml", "ö"),
    ("uuml", "ü"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("ccedil", "ç"),
    ("ntilde", "ñ"),
];

/// A text from a page as one line of plain text, at most `max_chars` characters long; an ellipsis stands where it was
/// cut. Empty where nothing is left to read.
#[must_use]
pub fn plain(text: &str, max_chars: usize) -> String {
    line(&references(&untagged(text)), max_chars)
}

/// Like [`plain`], for a text that is not HTML.
#[must_use]
pub fn line(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut count = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        let mut chars = word.chars().filter(|c| !is_hidden(*c)).peekable();
        // A joiner at the beginning, or on its own, joins nothing.
        while chars.next_if(|c| is_joiner(*c)).is_some() {}
        if chars.peek().is_none() {
            continue;
        }
        if count > 0 {
            if count + 2 > max_chars {
                return cut(out);
            }
            out.push(' ');
            count += 1;
        }
        for c in chars {
            if count + 1 > max_chars {
                return cut(out);
            }
            out.push(c);
            count += 1;
        }
    }
    out
}

/// Makes room for the ellipsis, without leaving a joiner at the end.
fn cut(mut out: String) -> String {
    out.pop();
    out.truncate(out.trim_end_matches(|c: char| c.is_whitespace() || is_joiner(c)).len());
    out.push('…');
    out
}

/// The text without the tags of HTML. What only looks like a tag (`a < b`, `Vec<String>`) stays.
fn untagged(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let Some((tag, after)) = tag(from) else {
            out.push('<');
            rest = from.split_at(1).1;
            continue;
        };
        rest = after;
        match tag {
            Tag::Nothing => {}
            Tag::Gap => out.push(' '),
            Tag::Until(end) => {
                // Unclosed, it is the rest of the text.
                let is_end = |from: &[u8]| from.eq_ignore_ascii_case(end.as_bytes());
                let close = rest.as_bytes().windows(end.len()).position(is_end);
                rest = close.map_or("", |at| rest.split_at(at).1);
                out.push(' ');
            }
        }
    }
    out.push_str(rest);
    out
}

enum Tag {
    Nothing,
    Gap,
    /// The part that is dropped ends here.
    Until(&'static str),
}

/// The tag at the beginning of `text`, and what follows it.
fn tag(text: &str) -> Option<(Tag, &str)> {
    if let Some(comment) = text.strip_prefix("<!--") {
        return Some((Tag::Nothing, comment.split_once("-->").map_or("", |(_, after)| after)));
    }
    let head = text.split_at(text.floor_char_boundary(MAX_TAG_BYTES)).0;
    let end = head.find('>')?;
    let (inside, after) = (text.get(1..end)?, text.get(end + 1..)?);
    let closes = inside.starts_with('/');
    let name: String = inside
        .trim_start_matches(['/', '!', '?'])
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let rest = inside.trim_start_matches(['/', '!', '?']).get(name.len()..).unwrap_or_default();
    if !(rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '/')) {
        return None;
    }
    let is_heading =
        name.len() == 2 && name.starts_with('h') && name.ends_with(|c: char| ('1'..='6').contains(&c));
    let name = name.as_str();
    if is_heading || BLOCKS.contains(&name) {
        Some((Tag::Gap, after))
    } else if DROPPED.contains(&name) {
        let until = if name == "script" { "</script" } else { "</style" };
        Some((if closes { Tag::Gap } else { Tag::Until(until) }, after))
    } else if INLINE.contains(&name) || (name == "doctype" || name == "xml") {
        Some((Tag::Nothing, after))
    } else {
        None
    }
}

/// Resolves character references once: what they spell is text.
fn references(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let head = from.split_at(from.floor_char_boundary(12)).0;
        let resolved = head.find(';').and_then(|end| {
            let name = head.get(1..end)?;
            Some((reference(name)?, from.get(end + 1..)?))
        });
        if let Some((character, after)) = resolved {
            out.push_str(&character);
            rest = after;
        } else {
            out.push('&');
            rest = from.split_at(1).1;
        }
    }
    out.push_str(rest);
    out
}

fn reference(name: &str) -> Option<String> {
    let Some(number) = name.strip_prefix('#') else {
        return NAMED.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code).map(String::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn html_becomes_plain_text() {
        for (html, expected) in [
            ("The <strong>tides</strong> &amp; the <em class=\"x\">moon</em>", "The tides & the moon"),
            ("<p>One</p><p>Two<br/>Three</p>", "One Two Three"),
            ("a<script>alert('<p>')</script>b<STYLE>p{}</STYLE>c", "a b c"),
            ("x<img src=x onerror=alert(1)>y<!-- hidden -->z", "xyz"),
            ("cut <script>for ever", "cut"),
            ("&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"),
            ("&amp;lt;", "&lt;"),
            ("caf&#233; &#x1F600; &nbsp; &unknown; &#xD800; AT&T", "café 😀 &unknown; &#xD800; AT&T"),
            ("a < b and c > d, Vec<String>, 1<2", "a < b and c > d, Vec<String>, 1<2"),
            ("<h2>Heading</h2>text", "Heading text"),
            ("<a href='https://bad.example'>click</a>", "click"),
            ("<", "<"),
            ("&", "&"),
            ("<b", "<b"),
        ] {
            assert_eq!(plain(html, 200), expected, "{html}");
        }
    }

    #[test]
    fn what_nobody_sees_is_gone_and_what_scripts_need_stays() {
        assert_eq!(plain(" a\u{202e}b\u{0}c\r\n\td\u{e0041}\u{feff} ", 200), "ab c d");
        assert_eq!(plain("&#8238;x&#0;y", 200), "x y");
        let family = "👨\u{200d}👩\u{200d}👧 می\u{200c}خواهم";
        assert_eq!(plain(family, 200), family);
        assert_eq!(plain("\u{200d} \u{200d}", 200), "");
    }

    #[test]
    fn a_page_of_scripts_alone_is_read_in_time() {
        assert_eq!(plain(&"<script>ü</SCRIPT>".repeat(200_000), 9), "");
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(plain("12345", 5), "12345");
        assert_eq!(plain("123456", 5), "1234…");
        assert_eq!(plain("ab cdef", 4), "ab…");
        assert_eq!(plain("ab c", 2), "a…");
        assert_eq!(plain("äöüß", 3), "äö…");
    }

    proptest! {
        #[test]
        fn whatever_comes_is_one_bounded_line(
            text in ".*",
            html in "(<[a-z/!]{0,6}[ >]|&#?[a-z0-9]{0,5};|<script>|</script>|[a-zä<>& ]){0,30}",
            max in 1usize..80,
        ) {
            for text in [text, html] {
                let line = plain(&text, max);
                prop_assert!(line.chars().count() <= max, "{line:?}");
                prop_assert!(!line.chars().any(|c| c.is_control() || is_hidden(c)), "{line:?}");
                prop_assert_eq!(line.trim(), line.as_str());
            }
        }
    }
}
