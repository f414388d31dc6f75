//! Where in a text its answer stands: after the word "answer", after `####`, in a `\boxed{}`.

/// Words before an answer, and the verb between the two.
const WORDS: [(&str, &str); 2] = [("answer", "is"), ("antwort", "ist")];

/// The places where the answer may stand, the likeliest first, each without the marks around it. None where the
/// text marks none.
pub(super) fn candidates(text: &str) -> Vec<String> {
    let mut found: Vec<(usize, &str)> = WORDS.iter().flat_map(|words| after_word(text, *words)).collect();
    // The last one counts: what comes before is on the way to it.
    found.sort_by_key(|(place, _)| std::cmp::Reverse(*place));
    let hashes =
        text.rmatch_indices("####").take(1).filter_map(|(place, mark)| text.get(place + mark.len()..));
    let all =
        found.into_iter().map(|(_, rest)| first_line(rest)).chain(hashes.map(first_line)).chain(boxed(text));
    all.map(clean).filter(|candidate| !candidate.is_empty()).collect()
}

/// What follows "answer:", "answer is" and their like, with its place.
fn after_word<'t>(text: &'t str, (word, verb): (&str, &str)) -> Vec<(usize, &'t str)> {
    let lower = text.to_ascii_lowercase();
    let after = |place: usize| {
        let rest = text.get(place + word.len()..)?.trim_start_matches(is_mark_or_space);
        let said = rest.get(..verb.len()).filter(|start| start.eq_ignore_ascii_case(verb));
        let rest = match said {
            Some(_) => rest.get(verb.len()..).filter(|rest| !rest.starts_with(char::is_alphanumeric))?,
            None => rest.strip_prefix([':', '='])?,
        };
        Some((place, rest.trim_start_matches(|c: char| is_mark_or_space(c) || matches!(c, ':' | '='))))
    };
    lower.match_indices(word).filter_map(|(place, _)| after(place)).collect()
}

fn is_mark_or_space(c: char) -> bool {
    matches!(c, '*' | '_' | '`') || c.is_whitespace()
}

/// The line that begins there; the next one with something on it where that is empty.
fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}

/// What stands in the last `\boxed{…}`.
fn boxed(text: &str) -> Option<String> {
    let start = text.rfind("\\boxed")?;
    braced(text.get(start..)?.strip_prefix("\\boxed")?.trim_start())
}

/// What stands in the braces that a text begins with.
pub(super) fn braced(text: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut inside = String::new();
    for c in text.chars() {
        match c {
            '{' => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(inside);
                }
            }
            _ if depth == 0 => return None,
            _ => {}
        }
        inside.push(c);
    }
    None
}

/// A candidate without what only dresses it: a box, `\text{}`, `\( \)`, Markdown's marks, a full stop.
pub(super) fn clean(candidate: impl AsRef<str>) -> String {
    let candidate = candidate.as_ref();
    let mut text = boxed(candidate).unwrap_or_else(|| candidate.to_owned());
    for wrapper in ["\\text", "\\textbf", "\\mathrm", "\\mathbf"] {
        while let Some(start) = text.find(&format!("{wrapper}{{")) {
            let Some((before, rest)) = text.split_at_checked(start) else { break };
            let Some(rest) = rest.strip_prefix(wrapper) else { break };
            let Some(inside) = braced(rest) else { break };
            let after = rest.get(inside.len() + 2..).unwrap_or_default();
            text = format!("{before}{inside}{after}");
        }
    }
    for mark in ["\\(", "\\)", "\\[", "\\]"] {
        text = text.replace(mark, "");
    }
    let dress = |c: char| is_mark_or_space(c) || matches!(c, '"' | '“' | '”' | '„' | '«' | '»');
    text.trim_matches(dress).trim_end_matches('.').trim_matches(dress).to_owned()
}
