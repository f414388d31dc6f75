//! What could come next in a line that is being typed. Pure.

use super::command::{COMMANDS, nearest};
use crate::terminal::live::features::FIELDS;
use crate::terminal::text::one_line;

/// Names that the server knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    pub models: Vec<String>,
    pub presets: Vec<String>,
}

/// A possible continuation of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The byte of the line at which `value` begins.
    pub start: usize,
    pub value: String,
    pub says: &'static str,
    /// Whether something follows it.
    pub goes_on: bool,
}

/// All possible continuations at this byte of the line.
#[must_use]
pub fn completions(line: &str, at: usize, known: &Known) -> Vec<Completion> {
    let typed = line.get(..at).unwrap_or(line);
    let Some(said) = typed.strip_prefix('/') else { return Vec::new() };
    let Some((name, rest)) = said.split_once(' ') else {
        let begun = COMMANDS.iter().filter(|(name, ..)| name.starts_with(&said.to_lowercase()));
        return begun
            .map(|(name, takes, says)| Completion {
                start: 0,
                value: format!("/{name}"),
                says,
                goes_on: !takes.is_empty(),
            })
            .collect();
    };
    let rest = rest.trim_start();
    let words: Vec<&str> = match name {
        "models" => ["default"].into_iter().chain(known.models.iter().map(String::as_str)).collect(),
        "preset" => ["none"].into_iter().chain(known.presets.iter().map(String::as_str)).collect(),
        "set" => FIELDS.to_vec(),
        _ => match COMMANDS.iter().find(|(known, ..)| *known == name) {
            Some((_, "0-3", _)) => vec!["0", "1", "2", "3"],
            Some((_, takes, _)) if takes.contains('|') => takes.trim_matches(['[', ']']).split('|').collect(),
            _ => Vec::new(),
        },
    };
    let part = match name {
        "models" => rest.rsplit(',').next().unwrap_or(rest).trim_start(),
        _ => rest,
    };
    let start = typed.len() - part.len();
    let part = part.to_lowercase();
    // Names that a model may have written are not put on a terminal unchanged.
    let words = words.into_iter().filter(|word| one_line(word) == *word);
    let (first, other): (Vec<_>, Vec<_>) = words
        .filter(|word| word.to_lowercase().contains(&part))
        .partition(|word| word.to_lowercase().starts_with(&part));
    let found = first.into_iter().chain(other);
    found.map(|word| Completion { start, value: word.to_owned(), says: "", goes_on: false }).collect()
}

/// What is shown after a command that is being typed, and how much of it can be accepted.
#[must_use]
pub fn hint(line: &str) -> (String, String) {
    let nothing = (String::new(), String::new());
    let Some(said) = line.strip_prefix('/').filter(|said| !said.is_empty() && !said.starts_with('/')) else {
        return nothing;
    };
    let takes = |name: &str| {
        let takes = COMMANDS.iter().find(|(known, ..)| *known == name).map_or("", |(_, takes, _)| *takes);
        if takes.is_empty() { String::new() } else { format!(" {takes}") }
    };
    if let Some((name, rest)) = said.split_once(' ') {
        let usage = if rest.is_empty() { takes(name).trim_start().to_owned() } else { String::new() };
        return (usage, String::new());
    }
    let begun = COMMANDS.iter().map(|(name, ..)| *name).find(|name| name.starts_with(said));
    match begun {
        Some(name) => {
            let rest = name.strip_prefix(said).unwrap_or_default();
            (format!("{rest}{}", takes(name)), rest.to_owned())
        }
        None => nearest(said).map_or(nothing, |near| (format!("  /{near}?"), String::new())),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn known() -> Known {
        Known {
            models: vec!["a/fast".to_owned(), "b/slow".to_owned(), "b/\u{1b}[2J".to_owned()],
            presets: vec!["fast one".to_owned()],
        }
    }

    fn values(line: &str) -> Vec<String> {
        completions(line, line.len(), &known()).into_iter().map(|one| one.value).collect()
    }

    #[test]
    fn commands_and_what_follows_them_are_completed() {
        assert_eq!(values("/deb"), ["/debate"]);
        assert_eq!(values("/debate o"), ["on", "off"]);
        assert_eq!(values("/mode a"), ["arena", "debate"]);
        assert_eq!(values("/models a/fast,slow"), ["b/slow"]);
        assert_eq!(values("/models b"), ["b/slow"]);
        assert_eq!(values("/preset f"), ["fast one"]);
        assert_eq!(values("/verbose "), ["0", "1", "2", "3"]);
        assert!(values("Why?").is_empty());
        assert_eq!(values("/").len(), COMMANDS.len());
    }

    #[test]
    fn a_hint_says_how_the_command_goes_on_or_which_was_meant() {
        assert_eq!(hint("/deb"), ("ate on|off".to_owned(), "ate".to_owned()));
        assert_eq!(hint("/rounds "), ("N".to_owned(), String::new()));
        assert_eq!(hint("/debtae"), ("  /debate?".to_owned(), String::new()));
        assert_eq!(hint("//etc"), (String::new(), String::new()));
        assert_eq!(hint("Why?"), (String::new(), String::new()));
    }

    proptest! {
        #[test]
        fn a_completion_stands_within_what_was_typed(line in "/?[a-zä/, |\u{1b}速]{0,20}", at in 0_usize..40) {
            for one in completions(&line, at, &known()) {
                prop_assert!(line.is_char_boundary(one.start) && one.start <= at.min(line.len()));
                prop_assert_eq!(one.value.find('\u{1b}'), None);
            }
            let (shown, rest) = hint(&line);
            prop_assert!(shown.starts_with(&rest));
        }
    }
}
