//! The names under which reviewers see answers.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const PREFIX: &str = "Response ";

/// `Response A`, `Response B`, …: up to 26.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u8);

impl Label {
    /// The label of the n-th answer, from 0. Beyond 26 the last label is repeated, which never happens with at most
    /// seven members.
    #[must_use]
    pub fn nth(place: usize) -> Self {
        Self(u8::try_from(place).unwrap_or(u8::MAX).min(25))
    }

    /// The label with this letter, `A` to `Z`.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<Self> {
        u8::try_from(letter).ok().filter(u8::is_ascii_uppercase).map(|letter| Self(letter - b'A'))
    }

    /// Reads `Response A`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut letters = text.strip_prefix(PREFIX)?.chars();
        let label = Self::of_letter(letters.next()?)?;
        letters.next().is_none().then_some(label)
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", char::from(b'A' + self.0))
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Label {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("{text:?} is no label")))
    }
}

impl utoipa::PartialSchema for Label {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        String::schema()
    }
}

impl utoipa::ToSchema for Label {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_its_text() {
        assert_eq!(Label::nth(2).to_string(), "Response C");
        assert_eq!(Label::parse("Response C"), Some(Label::nth(2)));
        for text in ["Response", "Response c", "Response CC", "response C", "Response 1", "Response Ä"] {
            assert_eq!(Label::parse(text), None, "{text}");
        }
    }
}
