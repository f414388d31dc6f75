//! Reading a reviewer's ranking. The prompt demands one form; models write many.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::label::Label;
use crate::council::prompts::structured;
use crate::llm::Schema;

/// How a ranking was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Parse {
    /// Exactly the demanded form.
    Strict,
    /// A ranking section in a looser form, or one that leaves answers out.
    Lenient,
    /// No ranking section: the order in which answers are first mentioned.
    Fallback,
    /// Nothing that could be a ranking: an abstention.
    None,
}

/// A ranking as it was read: places, best first; more than one label in a place is a tie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ballot {
    pub tiers: Vec<Vec<Label>>,
    pub parse: Parse,
    /// Whether the text names every label exactly once, and does not quote what it names.
    each_once: bool,
}

impl Ballot {
    /// Whether the ballot counts. A fallback does only when the text names every label exactly
    /// once: small models write endless repeated lists that would otherwise become votes.
    #[must_use]
    pub fn counts(&self, labels: &[Label]) -> bool {
        match self.parse {
            Parse::Strict | Parse::Lenient => true,
            Parse::Fallback => self.each_once && self.flat().len() == labels.len(),
            Parse::None => false,
        }
    }

    /// The ranking as that of a text that broke off. Its list may lack the end, what looks like one may be a quotation,
    /// and the order of mention is that of reading, so only a whole list counts.
    #[must_use]
    pub fn broken_off(self) -> Self {
        match self.parse {
            Parse::Strict | Parse::Lenient if self.each_once => self,
            Parse::Strict | Parse::Lenient | Parse::Fallback => {
                Self { parse: Parse::Fallback, each_once: false, ..self }
            }
            Parse::None => self,
        }
    }

    /// The labels, best first.
    #[must_use]
    pub fn flat(&self) -> Vec<Label> {
        self.tiers.concat()
    }
}

/// A ballot as JSON, for models that offer it. Ties are read, but not asked for: a model that may
/// nest lists sometimes puts its whole ranking into one of them.
#[derive(Deserialize)]
struct JsonBallot {
    ranking: Vec<Place>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Place {
    One(String),
    Tie(Vec<String>),
}

/// The schema of a ballot over these labels.
#[must_use]
pub fn schema(labels: &[Label]) -> Schema {
    let ranking = json!({
        "type": "array",
        "items": {"type": "string", "enum": labels},
        "description": "Every label exactly once, the best first",
    });
    Schema::new(
        "ranking",
        json!({
            "type": "object",
            "properties": {"ranking": ranking},
            "required": ["ranking"],
            "additionalProperties": false,
        }),
    )
}

/// Reads a reply that was to be nothing but a ballot: as JSON, or in the text form.
#[must_use]
pub fn parse_alone(text: &str, labels: &[Label]) -> Ballot {
    structured::read(text).and_then(|ballot| of_json(ballot, labels)).unwrap_or_else(|| parse(text, labels))
}

/// Unknown and repeated labels are dropped, as in a text.
fn of_json(ballot: JsonBallot, labels: &[Label]) -> Option<Ballot> {
    let mut left = labels.to_vec();
    let mut take = |text: &str| {
        let text = text.trim();
        let letter = text.strip_prefix("Response ").unwrap_or(text);
        let known = letter.parse().ok().and_then(Label::of_letter);
        known.and_then(|known| left.iter().position(|label| *label == known)).map(|at| left.remove(at))
    };
    let (mut tiers, mut exact) = (Vec::new(), true);
    for place in ballot.ranking {
        let texts = match place {
            Place::One(text) => vec![text],
            Place::Tie(texts) => texts,
        };
        let tier: Vec<Label> = texts.iter().filter_map(|text| take(text)).collect();
        exact &= texts.len() == 1 && tier.len() == 1;
        if !tier.is_empty() {
            tiers.push(tier);
        }
    }
    let each_once = left.is_empty();
    let parse = if exact && each_once { Parse::Strict } else { Parse::Lenient };
    (!tiers.is_empty()).then_some(Ballot { tiers, parse, each_once })
}

/// How many marks may stand before a heading without a colon: a line can be a megabyte long, and hold
/// thousands of them.
const MAX_MARKS: usize = 64;
const HEADING: &str = "final ranking";
const WORD: &str = "response";

/// Reads a reviewer's text. Never fails: what cannot be read is an abstention.
#[must_use]
pub fn parse(text: &str, labels: &[Label]) -> Ballot {
    if let Some(ballot) = of_sections(text, labels) {
        return ballot;
    }
    let mentions: Vec<Label> = mentions(text, false)
        .into_iter()
        .map(|mention| mention.label)
        .filter(|label| labels.contains(label))
        .collect();
    let each_once = mentions.len() == labels.len() && labels.iter().all(|label| mentions.contains(label));
    let mut tiers: Vec<Vec<Label>> = Vec::new();
    for label in mentions {
        if tiers.len() == labels.len() {
            break;
        }
        if !tiers.iter().any(|tier| tier.contains(&label)) {
            tiers.push(vec![label]);
        }
    }
    let parse = if tiers.is_empty() { Parse::None } else { Parse::Fallback };
    Ballot { tiers, parse, each_once }
}

struct Section<'a> {
    text: &'a str,
    /// Where its heading begins.
    start: usize,
    /// The heading stands alone on its line, exactly as demanded.
    own_line: bool,
    /// The heading is not the writer's own: it stands in a quotation.
    quoted: bool,
}

/// The ballot under the last heading that has labels under it. One that the reviewer quotes, from an
/// answer that brings its own ballot, counts only when there is no other.
fn of_sections(text: &str, labels: &[Label]) -> Option<Ballot> {
    let lower = text.to_ascii_lowercase();
    let mut end = text.len();
    let mut quoted = None;
    for (start, _) in lower.rmatch_indices(HEADING) {
        let Some(section) = text.get(..end).and_then(|text| section(text, start)) else { continue };
        let is_last = end == text.len();
        end = section.start;
        let tiers = tiers(section.text, labels);
        if tiers.is_empty() {
            continue;
        }
        let strict = is_last && section.own_line && is_strict(section.text, labels);
        let parse = if strict { Parse::Strict } else { Parse::Lenient };
        let each_once = !section.quoted && tiers.concat().len() == labels.len();
        let ballot = Ballot { tiers, parse, each_once };
        if !section.quoted {
            return Some(ballot);
        }
        quoted.get_or_insert(ballot);
    }
    quoted
}

/// The section whose heading may begin at `start`. `FINAL RANKING:` counts anywhere; without its
/// colon only as a line of its own.
fn section(text: &str, start: usize) -> Option<Section<'_>> {
    let heading = text.get(start..start + HEADING.len())?;
    let after = text.get(start + HEADING.len()..)?;
    let marks = |c: char| matches!(c, '*' | '_' | '#' | '`' | ' ' | '\t');
    let rest = after.trim_start_matches(marks);
    if let Some(rest) = rest.strip_prefix([':', '：']) {
        // The rest of the line is skipped: further headings on it do not count.
        let line = line_before(text, start, start);
        let exact = line.is_empty() && heading == "FINAL RANKING" && after.starts_with(':');
        let own_line = exact && rest.lines().next().unwrap_or_default().trim().is_empty();
        return Some(Section {
            text: rest,
            start: start - line.len(),
            own_line,
            quoted: opens_a_quotation(line),
        });
    }
    let line = line_before(text, start, MAX_MARKS);
    let alone = line.trim_matches(|c: char| marks(c) || matches!(c, '>' | '-')).is_empty();
    let ends = rest.is_empty() || rest.starts_with(['\n', '\r']);
    let quoted = opens_a_quotation(line);
    (alone && ends).then_some(Section { text: rest, start: start - line.len(), own_line: false, quoted })
}

/// What stands on the same line before `at`, or the last `most` bytes of it.
fn line_before(text: &str, at: usize, most: usize) -> &str {
    let near = text.ceil_char_boundary(at.saturating_sub(most));
    text.get(near..at).and_then(|before| before.rsplit('\n').next()).unwrap_or_default()
}

/// Whether what follows the beginning of a line stands in a quotation.
fn opens_a_quotation(line: &str) -> bool {
    let count = |mark: char| line.matches(mark).count();
    let paired =
        [('“', '”'), ('«', '»'), ('「', '」')].iter().any(|(open, close)| count(*open) > count(*close));
    // A backtick right before the heading is a mark like `**`.
    let in_code = count('`') % 2 == 1 && line.chars().any(char::is_alphanumeric);
    paired || in_code || count('"') % 2 == 1 || line.trim_start().starts_with('>')
}

/// Exactly `1. Response C` and so on, every label once, nothing after it.
fn is_strict(section: &str, labels: &[Label]) -> bool {
    let lines: Vec<&str> =
        section.lines().map(str::trim_end).filter(|line| !line.is_empty()).take(labels.len() + 1).collect();
    let mut left: Vec<Label> = labels.to_vec();
    lines.len() == labels.len()
        && lines.iter().enumerate().all(|(place, line)| {
            let label = line.strip_prefix(&format!("{}. ", place + 1)).and_then(Label::parse);
            let known = label.and_then(|label| left.iter().position(|one| *one == label));
            known.map(|index| left.remove(index)).is_some()
        })
}

/// What a section says of one place, or of several that share a number or stand without one.
struct Entry {
    /// The number before it.
    number: Option<u32>,
    /// Best first; more than one label is a tie.
    groups: Vec<Vec<Label>>,
    /// The place behind its only label, where nothing else follows.
    stated: Option<u32>,
}

impl Entry {
    fn of(number: Option<u32>, label: Label) -> Self {
        Self { number, groups: vec![vec![label]], stated: None }
    }

    fn state(&mut self, place: u32) {
        let is_one = matches!(&self.groups[..], [group] if group.len() == 1);
        self.stated = Some(place).filter(|_| is_one);
    }
}

/// The places of a ranking section; unknown and repeated labels are dropped.
fn tiers(section: &str, labels: &[Label]) -> Vec<Vec<Label>> {
    let mut found: Vec<Entry> = Vec::new();
    let mut seen: Vec<Label> = Vec::new();
    let mut last_number = None;
    for line in section.lines() {
        let line = line.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '*' | '_' | '`' | '|' | '>' | '-' | '•' | '–' | '—' | '#')
        });
        let (number, rest) = numbered(line);
        for mut entry in entries(rest, number, labels) {
            for group in &mut entry.groups {
                group.retain(|label| {
                    let new = labels.contains(label) && !seen.contains(label);
                    seen.extend(new.then_some(*label));
                    new
                });
            }
            entry.groups.retain(|group| !group.is_empty());
            if entry.groups.is_empty() {
                continue;
            }
            let number = entry.number;
            let is_tie = number.is_some() && number == last_number;
            if let Some(last) = found.last_mut().filter(|_| is_tie) {
                // The same number twice.
                let mut groups = entry.groups.into_iter();
                if let Some(shared) = last.groups.last_mut() {
                    shared.extend(groups.next().unwrap_or_default());
                }
                last.groups.extend(groups);
            } else {
                found.push(entry);
            }
            last_number = number.or(last_number);
        }
        if seen.len() == labels.len() {
            break;
        }
    }
    in_order(found, labels.len())
}

/// What the entries say together: in the order of their numbers, or of the places behind the labels, where each has one
/// and they are places; else as they stand. Points are no places.
fn in_order(mut entries: Vec<Entry>, answers: usize) -> Vec<Vec<Label>> {
    let is_place = |number: &u32| usize::try_from(*number).is_ok_and(|place| (1..=answers).contains(&place));
    let all = |number: fn(&Entry) -> Option<u32>| -> Option<Vec<u32>> {
        let numbers: Option<Vec<u32>> = entries.iter().map(number).collect();
        numbers.filter(|numbers| numbers.iter().all(is_place))
    };
    let mut numbers = all(|entry| entry.number).unwrap_or_default();
    numbers.sort_unstable();
    let are_distinct = numbers.windows(2).all(|pair| pair[0] != pair[1]);
    let stated = all(|entry| entry.stated.filter(|_| entry.number.is_none()));
    if !numbers.is_empty() && are_distinct {
        entries.sort_by_key(|entry| entry.number);
    } else if stated.is_some_and(|places| places.contains(&1)) {
        entries.sort_by_key(|entry| entry.stated);
        let places = entries.chunk_by(|one, other| one.stated == other.stated);
        return places.map(|place| place.iter().flat_map(|entry| entry.groups.concat()).collect()).collect();
    }
    entries.into_iter().flat_map(|entry| entry.groups).collect()
}

/// A line's number, in any digits, and what follows it.
fn numbered(line: &str) -> (Option<u32>, &str) {
    let mut number: Option<u32> = None;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let digit = match c {
            '０'..='９' => u32::from(c) - u32::from('０'),
            _ => match c.to_digit(10) {
                Some(digit) => digit,
                None => break,
            },
        };
        number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    let Some(number) = number else { return (None, line) };
    let ordinal =
        ["st", "nd", "rd", "th"].iter().find_map(|ending| rest.strip_prefix(ending)).unwrap_or(rest);
    let mark = |c: char| {
        c.is_whitespace()
            || matches!(c, '.' | ')' | ':' | '|' | '*' | '_' | '`' | '-' | '–' | '、' | '．' | '）')
    };
    (Some(number), ordinal.trim_start_matches(mark))
}

/// What one line says, whose number stands before it.
fn entries(line: &str, number: Option<u32>, labels: &[Label]) -> Vec<Entry> {
    let is_numbered = number.is_some();
    let found = mentions(line, is_numbered);
    let Some(first) = found.first() else {
        // `1. C`: a letter alone, where a number says that it is a place.
        let letter = line.trim_matches(|c: char| !c.is_alphanumeric());
        let mut letters = letter.chars();
        let label = letters.next().and_then(|letter| Label::of_letter(letter.to_ascii_uppercase()));
        return match (label.filter(|label| labels.contains(label)), letters.next()) {
            (Some(label), None) if is_numbered => vec![Entry::of(number, label)],
            _ => Vec::new(),
        };
    };
    // A line that names an answer somewhere in its middle talks about it.
    let before = line.get(..first.start).unwrap_or_default();
    if before.chars().any(char::is_alphanumeric) {
        return Vec::new();
    }
    let mut entries = Vec::new();
    let mut entry = Entry::of(number, first.label);
    for pair in found.windows(2) {
        let between = line.get(pair[0].end..pair[1].start).unwrap_or_default();
        let label = pair[1].label;
        match joint(between, is_numbered) {
            Some(Joint::Tie) => {
                if let Some(last) = entry.groups.last_mut() {
                    last.push(label);
                }
            }
            Some(Joint::Next) => entry.groups.push(vec![label]),
            Some(Joint::Numbered(number)) => {
                entries.push(std::mem::replace(&mut entry, Entry::of(Some(number), label)));
            }
            Some(Joint::Stated(place)) => {
                entry.state(place);
                entries.push(std::mem::replace(&mut entry, Entry::of(None, label)));
            }
            // Talk, which goes on to the end of the line.
            None => {
                entries.push(entry);
                return entries;
            }
        }
    }
    let behind = found.last().and_then(|last| line.get(last.end..)).unwrap_or_default();
    if let Some(place) = stated(behind) {
        entry.state(place);
    }
    entries.push(entry);
    entries
}

enum Joint {
    Tie,
    Next,
    /// The next label has a number of its own.
    Numbered(u32),
    /// The place of the label before it, and then another label.
    Stated(u32),
}

/// What stands between two labels of one line: a tie, a step down, a place, or talk.
fn joint(between: &str, is_numbered: bool) -> Option<Joint> {
    if let Some(number) = number_of_next(between) {
        return Some(Joint::Numbered(number));
    }
    if let Some(place) = stated(between).filter(|_| !is_numbered) {
        return Some(Joint::Stated(place));
    }
    let marks = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '(' | ')' | '[' | ']');
    let words = between.trim_matches(marks).to_lowercase();
    match words.as_str() {
        ">" | ">>" | "→" | "->" | "＞" => Some(Joint::Next),
        "=" | "==" | "&" | "/" | "~" | "≈" | "and" | "tied with" | "tie with" | "ties with" | "+"
        | ", and" => Some(Joint::Tie),
        // `1. Response A, Response B` is one place; a line without a number is a list.
        "," | ";" | "、" => Some(if is_numbered { Joint::Tie } else { Joint::Next }),
        _ => None,
    }
}

/// The number in `, **2.**`: that of the label after it.
fn number_of_next(between: &str) -> Option<u32> {
    let marks = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`');
    let text = between.trim_matches(marks);
    let text = text.trim_start_matches([',', ';', '.', '|', '、']).trim_start_matches(marks);
    let (number, rest) = numbered(text.strip_suffix(['.', ')', ':', '．', '）', '：'])?);
    number.filter(|_| rest.is_empty())
}

/// The place in `: 3`, `| 3 |`, `(3rd)` or `- rank 3,`: that of the label before it.
fn stated(behind: &str) -> Option<u32> {
    let marks = |c: char| c.is_whitespace() || "*_`|:：()[]-–—#,;".contains(c);
    let words = behind.trim_matches(marks).to_lowercase();
    let before = ["ranked", "rank", "place", "position"].iter().find_map(|word| words.strip_prefix(word));
    let (number, rest) = numbered(before.unwrap_or(&words).trim_start_matches(marks));
    number.filter(|_| rest.is_empty() || rest == "place")
}

struct Mention {
    label: Label,
    start: usize,
    end: usize,
}

/// Every `Response X` in a text, with a letter that ends there: a capital one, unless any will do.
fn mentions(text: &str, of_any_case: bool) -> Vec<Mention> {
    let lower = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (start, word) in lower.match_indices(WORD) {
        let begins = text
            .get(..start)
            .and_then(|before| before.chars().next_back())
            .is_none_or(|c| !c.is_alphanumeric());
        let Some(after) = text.get(start + word.len()..).filter(|_| begins) else { continue };
        let rest = after.trim_start_matches([' ', '\u{a0}', '\u{202f}', '*', '_', '#', '-']);
        let mut chars = rest.chars();
        let letter = chars.next().filter(|_| rest.len() < after.len());
        let letter = letter.map(|letter| if of_any_case { letter.to_ascii_uppercase() } else { letter });
        let label = letter.and_then(Label::of_letter);
        if let Some(label) = label
            && chars.next().is_none_or(|c| !c.is_alphanumeric())
        {
            found.push(Mention { label, start, end: text.len() - chars_len(rest) });
        }
    }
    found
}

/// How many bytes follow the letter a text begins with.
fn chars_len(rest: &str) -> usize {
    rest.len().saturating_sub(1)
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
