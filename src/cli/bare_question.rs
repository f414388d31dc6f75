//! `llm-council "Why is the sky blue?"`: a question where a command would stand.

use std::ffi::OsString;

/// The options of every command that take a value as their next word.
const WITH_VALUE: &[&str] = &["--config", "--bind", "--port", "--data-dir", "--database-url"];

/// The words of the command line with `query` where a question stands in the place of a command: something with a
/// space in it, or after an option of `query`. A single word is a command that was misspelt, and nobody pays for that.
pub(super) fn with_query(
    words: Vec<OsString>,
    is_command: impl Fn(&str) -> bool,
    asks: impl Fn(&str) -> bool,
) -> Vec<OsString> {
    let mut after = words.iter().enumerate().skip(1);
    let mut asked = false;
    while let Some((_, word)) = after.next() {
        let Some(word) = word.to_str() else { return words };
        if WITH_VALUE.contains(&word) {
            after.next();
        } else if let Some(option) = word.strip_prefix("--") {
            let name = option.split('=').next().unwrap_or_default();
            asked |= asks(name);
        } else if word.starts_with('-') {
            continue;
        } else if is_command(word) {
            return words;
        } else {
            asked |= word.contains(char::is_whitespace);
        }
    }
    if !asked {
        return words;
    }
    let mut words = words;
    words.insert(1, "query".into());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[&str]) -> Vec<String> {
        let words = std::iter::once("llm-council").chain(line.iter().copied()).map(OsString::from).collect();
        let read = with_query(words, |word| word == "serve" || word == "query", |name| name == "debate");
        read.into_iter().skip(1).map(|word| word.into_string().unwrap()).collect()
    }

    #[test]
    fn a_question_is_asked_and_a_command_is_done() {
        assert_eq!(read(&["Why is it so?"]), ["query", "Why is it so?"]);
        assert_eq!(read(&["--debate", "Why?"]), ["query", "--debate", "Why?"]);
        assert_eq!(read(&["--port", "80", "Why is it so?"]), ["query", "--port", "80", "Why is it so?"]);
        for line in [
            &["serve"][..],
            &["query", "--debate", "Why?"],
            &["srve"],
            &[],
            &["--help"],
            &["--port", "80", "serve"],
        ] {
            assert_eq!(read(line), line);
        }
    }
}
