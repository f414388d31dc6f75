//! `docs/configuration.md`, written from the table of keys.

use std::fmt::Write as _;

use super::keys::{KEYS, Key, WORDS};
use super::kind::Kind;

const HEAD: &str = "\
# Configuration

<!-- Written by `cargo run -- config-reference > docs/configuration.md`; edit src/config/keys.rs, a provider in src/llm, or a setting in src/council. -->

Every setting can be given in three places; the later one wins:

1. `config.toml` in the working directory, or the file that `--config` or `LLM_COUNCIL_CONFIG` names.
2. The environment: `server.port` is `LLM_COUNCIL__SERVER__PORT`. Where a shorter usual name exists
   (`DATABASE_URL`), it works too; our own name wins over it. An empty variable counts as not set.
3. Flags: `--bind`, `--port`, `--data-dir`, `--database-url`.

Unknown keys and bad values are refused at start, all of them named at once, and the program exits with 78.
So are variables whose names are nearly right (`LLM_COUNCIL_AUTH_MODE`, with one underscore too few): a setting
that does not arrive could leave the server open. A key that nothing reads, because this version does not have
what it is for or another key is missing, is said at start.

Lists are TOML arrays, or one comma-separated text. A **secret** can also be read from a file: put `_FILE`
behind the variable's name (`OPENROUTER_API_KEY_FILE=/run/secrets/openrouter`). Secrets are written as
text, in TOML in quotes.

With no provider configured and no `OPENROUTER_API_KEY`, the council is simulated: it answers without a
network, and says so.

What models are asked with can be replaced, text by text ([prompts.md](prompts.md)).

`TAVILY_API_KEY` lets the council search the web ([research.md](research.md)).

The built-in council on OpenRouter is made of floating names (`~openai/gpt-latest`), each of which stands for
whatever is newest in its line. The model that really answered is shown beside its answer, and figures, weights
and prices go by it ([analytics](analytics.md)). A model of the built-in council that is not on OpenRouter's list
is replaced by the nearest one of its family that is. What you name yourself is asked as it is. The log at start,
the settings and the line under the question name each model that is not on its provider's list, with the nearest
one there.

";

/// The reference of all keys, in Markdown.
#[must_use]
pub fn reference() -> String {
    let mut text = HEAD.to_owned();
    let mut section = "";
    for key in KEYS.iter() {
        let own = key.name.split_once('.').map_or("general", |(section, _)| section);
        if own != section {
            section = own;
            text.push_str(&format!("## {section}\n\n"));
            let in_section = |word: &str| {
                KEYS.iter().any(|key| key.name.contains(word) && key.name.split('.').next() == Some(section))
            };
            for (word, choices) in WORDS.iter().filter(|(word, _)| in_section(word)) {
                text.push_str(&format!("`{word}` is one of {}.\n\n", words(choices)));
            }
        }
        entry(&mut text, key);
    }
    // One newline at the end, as of any text file.
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn entry(text: &mut String, key: &Key) {
    let mut line = |args: std::fmt::Arguments<'_>| {
        text.write_fmt(args).expect("writing to a String cannot fail");
    };
    line(format_args!("### `{}`\n\n{}\n\n", key.name, key.doc));
    line(format_args!("- Value: {}\n", kind(key.kind)));
    if !key.default.is_empty() {
        line(format_args!("- Default: `{}`\n", key.default));
    }
    if !key.example.is_empty() {
        line(format_args!("- Example: `{}`\n", key.example));
    }
    let usual = key.usual_env.map_or_else(String::new, |env| format!(", or `{env}`"));
    line(format_args!("- Environment: `{}`{usual}\n\n", key.env()));
}

fn kind(kind: Kind) -> String {
    match kind {
        Kind::Text => "text".to_owned(),
        Kind::Template => "text, as `llm-council prompts` prints the built-in ones".to_owned(),
        Kind::Secret => "secret text".to_owned(),
        Kind::Bool => "`true` or `false`".to_owned(),
        Kind::Number(low, high) => format!("a whole number from {low} to {high}"),
        Kind::Decimal(low, high) => format!("a number from {low} to {high}"),
        Kind::Choice(choices) => words(choices),
        Kind::List => "a list of text".to_owned(),
        Kind::Members => "a list of members".to_owned(),
    }
}

fn words(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
