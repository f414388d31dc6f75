//! Texts whose parts stand under headings that a prompt asked for.

use crate::council::line_filter::bare;

/// The parts of a text under each heading that `name` knows, in order, each without its heading. What stands before
/// the first heading, and under headings that it does not know, belongs to the part before, or to none.
pub fn sections<N>(text: &str, name: impl Fn(&str) -> Option<N>) -> Vec<(N, String)> {
    let mut parts: Vec<(N, String)> = Vec::new();
    let mut in_code = false;
    for line in text.lines() {
        in_code ^= line.trim_start().starts_with("```");
        let trimmed = line.trim();
        let is_heading =
            !in_code && (trimmed.starts_with('#') || trimmed.starts_with("**") && trimmed.ends_with("**"));
        let heading = if is_heading { name(bare(trimmed).trim_end_matches([':', '.', ' '])) } else { None };
        if let Some(heading) = heading {
            parts.push((heading, String::new()));
        } else if let Some((_, part)) = parts.last_mut() {
            part.push_str(line);
            part.push('\n');
        }
    }
    parts.into_iter().map(|(name, part)| (name, part.trim().to_owned())).collect()
}
