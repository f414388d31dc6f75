//! A model's Markdown made as harmless for another program as it is on the page: no image that is
//! fetched, no HTML but the little that the page reads too, no link to anything but the web and mail.
//! `static/src/markdown/neutral.ts` does the same to what the page copies.

/// The longest tag or address in angle brackets that is left alone, in bytes.
const LONGEST_TAG: usize = 2_000;

/// The text with everything live in it escaped, and its last fence closed.
pub(super) fn neutral(markdown: &str) -> String {
    let lines: Vec<&str> = markdown.lines().collect();
    let (is_code, tail) = code_lines(&lines);
    let mut out: Vec<String> = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (line, is_code) in lines.iter().zip(is_code) {
        if is_code || line.trim().is_empty() {
            out.extend(paragraph(&std::mem::take(&mut open)));
            out.push((*line).to_owned());
        } else {
            open.push(line);
        }
    }
    out.extend(paragraph(&open));
    out.extend(tail);
    out.join("\n")
}

/// Like [`neutral`], for a name within a line: members have the names that the council's author gave them.
pub(super) fn neutral_name(name: &str) -> String {
    neutral(name).replace('\n', " ")
}

/// Lines without a blank one between them: only together do they say what is code within them.
fn paragraph(lines: &[&str]) -> Option<String> {
    let mut code = Some(Vec::new());
    let mut from = 0;
    for line in lines {
        code = code.zip(spans(line)).map(|(mut code, spans)| {
            code.extend(spans.into_iter().map(|(start, end)| (from + start, from + end)));
            code
        });
        from += line.len() + 1;
    }
    (!lines.is_empty()).then(|| harmless(&lines.join("\n"), &code.unwrap_or_default()))
}

/// A line that may be a fence.
struct Fence<'a> {
    /// What stands before its marks.
    before: &'a str,
    marks: &'a str,
    after: &'a str,
}

impl<'a> Fence<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let rest = line.trim_start_matches(|c: char| " \t>*+-.)".contains(c) || c.is_ascii_digit());
        let mark = rest.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let after = rest.trim_start_matches(mark);
        let marks = rest.strip_suffix(after)?;
        (marks.len() >= 3).then_some(Self { before: line.strip_suffix(rest)?, marks, after })
    }

    fn is_indented_only(&self) -> bool {
        self.before.chars().all(|c| c == ' ')
    }
}

/// Which lines are certainly code for every reader of Markdown, and what closes a fence that is left open.
fn code_lines(lines: &[&str]) -> (Vec<bool>, Option<String>) {
    let mut is_code = vec![false; lines.len()];
    let mut open: Option<(usize, &str)> = None;
    for (at, line) in lines.iter().enumerate() {
        let found = Fence::of(line);
        let Some((indent, marks)) = open else {
            let Some(found) = found else { continue };
            if found.marks.starts_with('`') && found.after.contains('`') {
                continue;
            }
            // Whether this is a fence depends on what stands around it.
            if !found.is_indented_only() || found.before.len() > 3 {
                return (is_code, Some(found.marks.to_owned()));
            }
            open = Some((found.before.len(), found.marks));
            is_code[at] = true;
            continue;
        };
        let end = found.filter(|found| {
            found.marks.starts_with(marks) && found.after.trim().is_empty() && found.is_indented_only()
        });
        let is_dedented = !line.trim().is_empty() && line.len() - line.trim_start_matches(' ').len() < indent;
        match &end {
            Some(end) if (indent == 0 && end.before.len() <= 3) || end.before.len() == indent => open = None,
            Some(_) if indent > 0 => return (is_code, Some(marks.to_owned())),
            None if indent > 0 && is_dedented => return (is_code, Some(marks.to_owned())),
            Some(_) | None => {}
        }
        is_code[at] = true;
    }
    (is_code, open.map(|(indent, marks)| format!("{}{marks}", " ".repeat(indent))))
}

/// Where code stands within a line; `None` where its marks do not come in pairs.
fn spans(line: &str) -> Option<Vec<(usize, usize)>> {
    if line.contains("\\`") {
        return None;
    }
    let mut marks: Vec<(usize, usize)> = Vec::new();
    for (at, _) in line.match_indices('`') {
        match marks.last_mut() {
            Some((_, end)) if *end == at => *end = at + 1,
            Some(_) | None => marks.push((at, at + 1)),
        }
    }
    let mut found = Vec::new();
    let mut rest = marks.as_slice();
    while let Some(((start, end), after)) = rest.split_first() {
        let closing = after.iter().position(|mark| mark.1 - mark.0 == end - start)?;
        found.push((*start, after.get(closing)?.1));
        rest = after.get(closing + 1..).unwrap_or_default();
    }
    Some(found)
}

/// Escapes whatever is live outside of `code`.
fn harmless(text: &str, code: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut code = code.iter();
    let mut next = code.next();
    let mut is_escaped = false;
    let mut until = 0;
    for (at, c) in text.char_indices() {
        if let Some((start, end)) = next
            && *start == at
        {
            until = *end;
            next = code.next();
        }
        if at < until {
            is_escaped = false;
            out.push(c);
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        if !is_escaped && is_live(rest) {
            out.push('\\');
        }
        is_escaped = c == '\\' && !is_escaped;
        out.push(c);
    }
    out
}

/// Whether something that another program would fetch, run or follow begins here.
fn is_live(rest: &str) -> bool {
    if let Some(place) = rest.strip_prefix("](") {
        let place = place.trim_start();
        return !place.starts_with(')') && !leads_to_the_web(place);
    }
    rest.starts_with("![") || defines_a_link(rest) || is_html(rest)
}

fn leads_to_the_web(place: &str) -> bool {
    let place = place.strip_prefix('<').unwrap_or(place);
    let begins = |with: &str| place.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    ["http://", "https://", "mailto:", "#"].into_iter().any(begins)
}

/// `[label]: target`, where the target is not a web address; footnotes do not count.
fn defines_a_link(rest: &str) -> bool {
    let Some(label) = rest.strip_prefix('[').filter(|label| !label.starts_with('^')) else { return false };
    let mut is_escaped = false;
    for (at, c) in label.char_indices().take(1_000) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => return false,
            ']' => {
                let place = label.get(at + 1..).and_then(|after| after.strip_prefix(':'));
                return place.is_some_and(|place| !leads_to_the_web(place.trim_start()));
            }
            _ => {}
        }
    }
    false
}

/// HTML, but for the few elements that stay and addresses in angle brackets.
fn is_html(rest: &str) -> bool {
    let Some(tag) = rest.strip_prefix('<') else { return false };
    if !tag.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)) {
        return false;
    }
    // No further: a text may open a hundred thousand of them and close none.
    let near = tag.get(..tag.floor_char_boundary(LONGEST_TAG)).unwrap_or_default();
    let Some((tag, _)) = near.split_once('>') else { return true };
    let name = tag.to_ascii_lowercase();
    let is_kept = matches!(name.trim_start_matches('/'), "sub" | "sup" | "kbd") && !name.starts_with("//")
        || matches!(name.trim_end_matches('/').trim_end(), "br") && !name.ends_with("//");
    let is_address = leads_to_the_web(tag)
        && !tag.starts_with('#')
        && !tag.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '`'));
    !is_kept && !is_address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_an_exported_text_is_live() {
        for (text, expected) in [
            ("![a](https://evil.example/?q=1)", "\\![a](https://evil.example/?q=1)"),
            ("\\\\![a](x) and \\![b](https://b.example)", "\\\\\\![a\\](x) and \\![b](https://b.example)"),
            ("[a](javascript:alert(1))", "[a\\](javascript:alert(1))"),
            (
                "[a](JaVa&#x53;cript:x) [b](  data:text/html,x)",
                "[a\\](JaVa&#x53;cript:x) [b\\](  data:text/html,x)",
            ),
            ("[a](/api/user) [b](//evil.example)", "[a\\](/api/user) [b\\](//evil.example)"),
            ("[a]\n\n[a]: javascript:x", "[a]\n\n\\[a]: javascript:x"),
            ("<script>alert(1)</script>", "\\<script>alert(1)\\</script>"),
            ("<!-- x --> <?x?> <br onload=x>", "\\<!-- x --> \\<?x?> \\<br onload=x>"),
            ("<javascript:alert(1)>", "\\<javascript:alert(1)>"),
            ("```js\n1", "```js\n1\n```"),
        ] {
            assert_eq!(neutral(text), expected);
        }
    }

    #[test]
    fn code_and_what_is_harmless_stay_as_they_are() {
        for text in [
            "[a](https://a.example) [b](#b) [c](mailto:c@c.example) [d]()",
            "[a]: https://a.example\n[^1]: A note.",
            "a<br>b<br />c <sub>d</sub> <kbd>E</kbd> x < y <https://a.example>",
            "```html\n<img src=x>\n```\n\nAnd `Vec<T>`, ``a ` <b>``.",
            "1. Do:\n   ```sh\n   git clone <url>\n   ```",
            "~~~\n```\n<b>\n~~~",
            "Ünïcode `ß<ü>` 😀",
        ] {
            assert_eq!(neutral(text), text);
        }
    }

    #[test]
    fn what_only_looks_like_code_is_escaped() {
        for text in [
            "``<img src=x>`",
            "x ` y\nz ` <img src=x> ` w",
            "```\n   ```\n<img src=x>",
            "- a\n  ```\n<img src=x>",
            "   ```\n```\n<img src=x>",
            "> ```\n\n<img src=x>",
            "```a`b\n<img src=x>",
            "\\`<img src=x>`",
            "para\n        ```\n        <img src=x>",
        ] {
            assert!(neutral(text).contains("\\<img"), "{text}");
        }
    }

    #[test]
    fn what_is_never_closed_takes_no_longer_than_other_texts() {
        // If each were followed to the end, this would take minutes.
        assert_eq!(neutral(&"<a".repeat(300_000)), "\\<a".repeat(300_000));
        let address = format!("<https://a.example/{}>", "x".repeat(1_900));
        assert_eq!(neutral(&address), address);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_taken(text in "[`~<>!\\[\\]():a \\\\\nü-]{0,80}") {
            let once = neutral(&text);
            proptest::prop_assert!(once.len() >= text.trim_end_matches('\n').len().min(1));
        }
    }
}
