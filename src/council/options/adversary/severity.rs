//! How grave an attack is: asked for as a last line, taken out of the shown text.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::calls::{ATTACK, STAGE};
use super::facts::SeverityFact;
use crate::council::ask::Ask;
use crate::council::line_filter::{LineFilter, Rule, SHORT, bare};
use crate::council::prompts::fence::Fence;
use crate::council::prompts::structured;
use crate::council::prompts::template::Template;
use crate::council::round::Round;
use crate::council::run::Run;
use crate::council::view::TextFilter;
use crate::llm::Schema;

/// What the devil's advocate is asked to end with.
pub static INSTRUCTIONS: Template = Template {
    name: "severity",
    about: "What the devil's advocate is told of its last line.",
    text: "End with one last line that says how grave the gravest of your objections is, in \
        exactly the form below, and write that word nowhere else.",
    places: &[],
    marks: &[],
};

/// The line, and what its choices mean.
pub static FORM: Template = Template {
    name: "severity_form",
    about: "The form of the devil's advocate's last line, and what its words mean.",
    text: "SEVERITY: <one of critical, major, minor, none>\n\
        critical: the answer is wrong at its core, or following it would do harm; major: the reader would be \
        misled, or something important is missing; minor: small flaws that mislead nobody; none: no objection.",
    places: &[],
    marks: &["SEVERITY:", "critical", "major", "minor", "none"],
};

/// The question to the attacker where the attack states no severity.
pub static ALONE: Template = Template {
    name: "severity_alone",
    about: "What the devil's advocate is asked whose attack says no severity.",
    text: "You are the devil's advocate and have attacked an answer:\n\n{attack}\n\n\
        You have not said how grave the gravest of these objections is. Say it now, and nothing \
        else, in exactly this form:\n{form}",
    places: &["attack", "form"],
    marks: &[],
};

/// Phrases that say that nothing was found. Looked for word by word, only where no severity is stated.
pub const NO_ISSUES: [&str; 16] = [
    "no significant issues",
    "no major issues",
    "no serious issues",
    "no issues",
    "no problems",
    "no errors",
    "no flaws",
    "no mistakes",
    "no concerns",
    "no objections",
    "no criticisms",
    "nothing wrong",
    "nothing to object",
    "could not find any",
    "cannot find any",
    "looks correct",
];

const WORD: &str = "severity";
const LONGEST: usize = 48;
const RULE: Rule = Rule {
    may_become,
    is: |line| line.len() <= LONGEST && read(line).is_some(),
    is_at_the_end: |_| false,
    and_all_after: false,
    longest: SHORT,
};

/// How grave the gravest objection is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Wrong at its core, or harmful.
    Critical,
    /// Misleading, or something important is missing.
    Major,
    /// Small flaws.
    Minor,
    /// No objection.
    None,
}

impl Severity {
    /// Every severity, the gravest first.
    pub const ALL: [Self; 4] = [Self::Critical, Self::Major, Self::Minor, Self::None];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Major => "major",
            Self::Minor => "minor",
            Self::None => "none",
        }
    }

    /// Whether it is as grave as another one, or graver.
    #[must_use]
    pub fn reaches(self, threshold: Self) -> bool {
        self <= threshold
    }

    /// Whether anything is held against the answer.
    #[must_use]
    pub fn is_an_issue(self) -> bool {
        self != Self::None
    }
}

/// How the severity was found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeverityFrom {
    /// The attack says it.
    Stated,
    /// The attacker stated it when asked once more.
    Asked,
    /// The attack says that there is nothing.
    NoIssues,
    /// Nothing says it: minor.
    Assumed,
}

/// Splits an attack into what is for the reader, and the severity that it states; the last one counts.
#[must_use]
pub fn split(text: &str) -> (String, Option<Severity>) {
    let (shown, _) = LineFilter::split(RULE, text);
    (shown.trim_end().to_owned(), text.lines().rev().find_map(|line| read(line.trim())))
}

/// A severity, and how it was found out.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    pub severity: Severity,
    pub from: SeverityFrom,
    /// Why nobody said it.
    pub note: Option<SeverityFact>,
}

impl Judged {
    /// The attack says it.
    #[must_use]
    pub fn stated(severity: Severity) -> Self {
        Self { severity, from: SeverityFrom::Stated, note: None }
    }

    /// Nobody says it: the attack's words decide.
    fn by_words(critique: &str, note: SeverityFact) -> Self {
        let (severity, from) = if says_no_issues(critique) {
            (Severity::None, SeverityFrom::NoIssues)
        } else {
            (Severity::Minor, SeverityFrom::Assumed)
        };
        Self { severity, from, note: Some(note) }
    }
}

/// Asks the attacker for the severity alone. When that fails, too, the attack's words decide.
pub async fn ask(run: &Run, round: &Round<'_>, model: &str, critique: &str) -> Judged {
    let prompts = &round.brief().prompts;
    let attack = Fence::new(&run.marker()).wrap("Your objections", critique);
    let ask = Ask {
        stage: STAGE,
        key: "adversary/severity".to_owned(),
        model,
        member: None,
        purpose: &ATTACK,
        system: None,
        prompt: &prompts.fill(&ALONE, &[("attack", &attack), ("form", prompts.text(&FORM))]),
        schema: Some(schema()),
    };
    let asked = match ask.send_after(run, &round.brief().settings, critique).await {
        Ok(reply) => parse_alone(&reply.text).ok_or_else(|| SeverityFact::Unread { model: model.to_owned() }),
        Err(error) => Err(SeverityFact::NotAsked { model: model.to_owned(), reason: error.reason() }),
    };
    match asked {
        Ok(severity) => Judged { severity, from: SeverityFrom::Asked, note: None },
        Err(why) => Judged::by_words(critique, why),
    }
}

#[derive(Deserialize)]
struct JsonSeverity {
    severity: Severity,
}

fn schema() -> Schema {
    Schema::new(
        "severity",
        json!({
            "type": "object",
            "properties": {"severity": {"type": "string", "enum": Severity::ALL}},
            "required": ["severity"],
            "additionalProperties": false,
        }),
    )
}

/// Reads a reply that was to be nothing but a severity: as JSON, in the text form, or as the bare word.
fn parse_alone(text: &str) -> Option<Severity> {
    let json = || structured::read::<JsonSeverity>(text).map(|json| json.severity);
    let word = || Some(text).filter(|text| text.split_whitespace().count() < 3);
    let word = || word().and_then(|text| choice(&bare(text).to_lowercase()));
    json().or_else(|| split(text).1).or_else(word)
}

fn says_no_issues(critique: &str) -> bool {
    let lower = critique.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let text = format!(" {} ", words.join(" "));
    NO_ISSUES.iter().any(|phrase| text.contains(&format!(" {phrase} ")))
}

/// Holds severity lines back while an attack streams.
pub struct Filter(LineFilter);

impl Default for Filter {
    fn default() -> Self {
        Self(LineFilter::new(RULE))
    }
}

impl TextFilter for Filter {
    fn push(&mut self, text: &str) -> String {
        self.0.push(text)
    }

    fn finish(&mut self) -> String {
        self.0.finish()
    }

    fn restart(&mut self) {
        self.0.restart();
    }
}

/// Reads a severity line: the word, perhaps after `Overall` or `Final`, a colon, and one of the four.
fn read(line: &str) -> Option<Severity> {
    let line = bare(line).to_lowercase();
    let line = ["overall ", "final "].iter().find_map(|before| line.strip_prefix(before)).unwrap_or(&line);
    let rest = bare(line.strip_prefix(WORD)?);
    let rest = bare(rest.strip_prefix([':', '：', '=']).or_else(|| rest.strip_prefix("is "))?);
    choice(rest)
}

/// One of the four at the beginning of a text in lower case: neither a longer word, nor the list of choices repeated.
fn choice(text: &str) -> Option<Severity> {
    let text = text.trim_start_matches(['[', '(', '<', '"', '“']);
    let (severity, after) = Severity::ALL
        .into_iter()
        .find_map(|severity| text.strip_prefix(severity.as_str()).map(|after| (severity, after)))?;
    let goes_on = after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '|' | '/'));
    (!goes_on).then_some(severity)
}

fn may_become(line: &str) -> bool {
    if line.len() > LONGEST {
        return false;
    }
    let line = bare(line).to_lowercase();
    ["severity", "overall severity", "final severity"]
        .iter()
        .any(|start| start.starts_with(line.as_str()) || line.starts_with(start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::council::line_filter::tests::in_pieces;

    #[test]
    fn the_line_is_read_in_the_forms_that_models_write() {
        for line in [
            "SEVERITY: major",
            "severity: Major",
            "**SEVERITY: MAJOR**",
            "**Severity:** major",
            "## Severity: major.",
            "- SEVERITY: [major]",
            "Overall severity: `major`",
            "SEVERITY = major",
            "Severity is major",
            "SEVERITY: major (the year is wrong)",
            "SEVERITY： major",
        ] {
            let (shown, severity) = split(&format!("It is wrong.\n\n{line}\n"));
            assert_eq!((shown.as_str(), severity), ("It is wrong.", Some(Severity::Major)), "{line}");
        }
    }

    #[test]
    fn other_lines_stay_and_state_nothing() {
        for line in [
            "SEVERITY: critical|major|minor|none",
            "SEVERITY: nonetheless",
            "SEVERITY: high",
            "The severity: major",
            "Severity matters.",
            "major",
        ] {
            let text = format!("It is wrong.\n{line}");
            assert_eq!(split(&text), (text.clone(), None));
        }
    }

    #[test]
    fn the_last_line_counts_and_a_long_one_is_shown() {
        let (shown, severity) = split("SEVERITY: minor\nNo, wait.\nSEVERITY: critical");
        assert_eq!((shown.as_str(), severity), ("No, wait.", Some(Severity::Critical)));
        let long = "SEVERITY: critical, since the reader would lose the whole of the money";
        assert_eq!(split(long), (long.to_owned(), Some(Severity::Critical)));
    }

    #[test]
    fn where_nobody_says_it_the_words_decide() {
        for (critique, severity, from) in [
            ("No significant issues found.", Severity::None, SeverityFrom::NoIssues),
            ("I could not find any errors.", Severity::None, SeverityFrom::NoIssues),
            ("The year is wrong.", Severity::Minor, SeverityFrom::Assumed),
            ("It has no issuesque words.", Severity::Minor, SeverityFrom::Assumed),
            ("", Severity::Minor, SeverityFrom::Assumed),
        ] {
            let judged = Judged::by_words(critique, SeverityFact::Unread { model: "a/one".into() });
            assert_eq!((judged.severity, judged.from), (severity, from), "{critique}");
        }
    }

    #[test]
    fn a_severity_alone_is_read_in_any_form() {
        for text in [
            "{\"severity\": \"major\"}",
            "SEVERITY: major",
            "Major.",
            "**major**",
            "```json\n{\"severity\":\"major\"}\n```",
        ] {
            assert_eq!(parse_alone(text), Some(Severity::Major), "{text}");
        }
        for text in [
            "",
            "It depends.",
            "{\"severity\": \"grave\"}",
            "critical, major, minor or none?|",
            "majority",
            "Major? I would not go so far.",
        ] {
            assert_ne!(parse_alone(text), Some(Severity::Major), "{text}");
        }
        assert_eq!(
            schema().schema["properties"]["severity"]["enum"],
            json!(["critical", "major", "minor", "none"])
        );
    }

    proptest! {
        #[test]
        fn what_streams_is_what_is_stored(
            lines in prop::collection::vec(prop_oneof!["[a-zA-Z :*]{0,12}", "\\*{0,2}(Overall )?SEVERITY:? ?(major|none|mi)?.{0,3}", "\\PC{0,9}"], 0..6),
            sizes in prop::collection::vec(1usize..6, 1..4),
        ) {
            let text = lines.join("\n");
            let streamed = in_pieces(&mut Filter::default(), &text, &sizes);
            let (shown, _) = split(&text);
            prop_assert_eq!(streamed.trim_end(), shown);
        }

        #[test]
        fn any_text_is_read(text in any::<String>()) {
            let (shown, stated) = split(&text);
            prop_assert!(shown.len() <= text.len());
            prop_assert!(stated.is_none() || parse_alone(&text).is_some());
            let unread = SeverityFact::Unread { model: String::new() };
            prop_assert!(!Judged::by_words(&shown, unread).severity.reaches(Severity::Major));
        }
    }
}
