//! Texts in pieces, so that a long passage that stands in several prompts is in memory once.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The text of a message. Its pieces are shared with the texts that it was cloned from or built of.
#[derive(Clone, Default)]
pub struct Text(Vec<Arc<str>>);

impl Text {
    /// Appends words to the text.
    pub fn push_str(&mut self, words: &str) {
        if !words.is_empty() {
            self.0.push(words.into());
        }
    }

    /// Appends a text, whose pieces are shared from now on.
    pub fn push(&mut self, text: &Self) {
        self.0.extend(text.0.iter().cloned());
    }

    /// These texts with `separator` between them.
    pub fn joined<'t>(texts: impl IntoIterator<Item = &'t Self>, separator: &str) -> Self {
        let mut joined = TextBuilder::default();
        for (at, text) in texts.into_iter().enumerate() {
            if at > 0 {
                joined.push_str(separator);
            }
            joined.push(text);
        }
        joined.finish()
    }

    /// Replaces these words where they stand within one piece; returns whether they did. The other pieces stay shared.
    pub fn replace(&mut self, words: &str, by: &str) -> bool {
        let mut found = false;
        for piece in self.0.iter_mut().filter(|piece| piece.contains(words)) {
            *piece = piece.replace(words, by).into();
            found = true;
        }
        self.0.retain(|piece| !piece.is_empty());
        found
    }

    /// Its pieces, in order; none of them is empty.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|piece| &**piece)
    }

    /// Its pieces, to be shared.
    pub(super) fn shared(&self) -> &[Arc<str>] {
        &self.0
    }

    /// The whole text, copied if it has several pieces.
    #[must_use]
    pub fn whole(&self) -> Cow<'_, str> {
        match self.0.as_slice() {
            [] => Cow::Borrowed(""),
            [one] => Cow::Borrowed(one),
            several => Cow::Owned(several.concat()),
        }
    }

    /// Its length in bytes of UTF-8.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|piece| piece.len()).sum()
    }

    /// Whether it has no characters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn bytes(&self) -> impl Iterator<Item = &u8> {
        self.pieces().flat_map(str::as_bytes)
    }
}

/// From this length on, in bytes, a piece is shared; a shorter one is cheaper to copy.
const SHARED_FROM: usize = 4 << 10;

/// Builds a text of words and of other texts, whose long pieces are shared.
#[derive(Debug, Default)]
pub struct TextBuilder {
    text: Text,
    /// What follows it, copied.
    copied: String,
}

impl TextBuilder {
    /// Appends words.
    pub fn push_str(&mut self, words: &str) {
        self.copied.push_str(words);
    }

    /// Appends a text.
    pub fn push(&mut self, text: &Text) {
        for piece in &text.0 {
            if piece.len() < SHARED_FROM {
                self.copied.push_str(piece);
            } else {
                self.text.push_str(&self.copied);
                self.copied.clear();
                self.text.0.push(Arc::clone(piece));
            }
        }
    }

    /// The text.
    #[must_use]
    pub fn finish(mut self) -> Text {
        self.text.push_str(&self.copied);
        self.text
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        let mut text = Self::default();
        text.push_str(words);
        text
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self::from(words.as_str())
    }
}

impl From<&String> for Text {
    fn from(words: &String) -> Self {
        Self::from(words.as_str())
    }
}

impl From<Cow<'_, str>> for Text {
    fn from(words: Cow<'_, str>) -> Self {
        Self::from(&*words)
    }
}

impl PartialEq for Text {
    /// Compares the characters; how they are divided into pieces makes no difference.
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.bytes().eq(other.bytes())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.len() == other.len() && self.bytes().eq(other.as_bytes())
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl fmt::Display for Text {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|piece| to.write_str(piece))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole().fmt(to)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_texts_are_shared_and_short_ones_copied() {
        let [long, short] = [SHARED_FROM, SHARED_FROM - 1].map(|length| Text::from("x".repeat(length)));
        let joined = Text::joined([&long, &short, &long, &short], ", ");
        assert_eq!(joined, format!("{long}, {short}, {long}, {short}").as_str());
        let [first, copied, second, rest] = joined.shared() else { panic!("{} pieces", joined.0.len()) };
        assert!(Arc::ptr_eq(first, &long.0[0]) && Arc::ptr_eq(second, &long.0[0]));
        assert_eq!([copied.len(), rest.len()], [short.len() + 4, short.len() + 2]);
    }

    #[test]
    fn words_are_replaced_in_their_piece() {
        let mut text = Text::default();
        ["[here] and [here]", "not he", "re", "[here]"].iter().for_each(|words| text.push_str(words));
        let before = text.clone();
        assert!(!text.replace("[there]", "x"));
        assert!(text.replace("[here]", ""));
        assert_eq!(text, " and not here");
        assert_eq!(text.0.len(), 3);
        assert!(Arc::ptr_eq(&text.0[1], &before.0[1]));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(words in prop::collection::vec("\\PC{0,9}|[\"\\\\\n]{0,3}", 0..5)) {
            let whole = words.concat();
            let mut text = Text::default();
            words.iter().for_each(|words| text.push_str(words));
            prop_assert_eq!(&text, &Text::from(whole.as_str()));
            prop_assert_eq!(&text, whole.as_str());
            prop_assert_ne!(&text, &Text::from(format!("{whole}!")));
            prop_assert_eq!(text.whole(), whole.as_str());
            prop_assert_eq!(text.to_string(), whole.as_str());
            prop_assert_eq!(format!("{text:?}"), format!("{whole:?}"));
            prop_assert_eq!(text.len(), whole.len());
            prop_assert_eq!(text.is_empty(), whole.is_empty());
            prop_assert_eq!(text.pieces().collect::<String>(), whole.as_str());
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&whole).unwrap());
            prop_assert_eq!(serde_json::from_str::<Text>(&json).unwrap(), text);
        }
    }
}
