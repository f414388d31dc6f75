//! All that is compared of a text, read once.

use super::amounts::{self, Amounts};
use super::dates::{self, Date};
use super::language::{self, Language};
use super::stems::{self, Content};
use super::tokens::{Kind, Token, Tokens};
use super::units::{self, Units};

#[derive(Debug)]
pub struct Reading {
    /// Fenced code.
    pub blocks: Vec<String>,
    /// The indentation of each line that is not blank; empty where no line is indented.
    pub indents: Vec<usize>,
    pub tokens: Vec<Token>,
    pub language: Option<Language>,
    pub dates: Vec<Date>,
    pub amounts: Amounts,
    pub units: Units,
    /// What is said, in order: the words that carry meaning, each as the one word that stands for all of its forms and of
    /// those that mean the same. Without numbers, units and dates.
    pub content: Vec<Content>,
    /// The words in the order of the text, in small letters, abbreviations and phrases as the one word for them.
    pub words: Vec<Word>,
}

/// A word, or the one that stands for a phrase.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub word: String,
    /// Of the token it begins with.
    pub at: usize,
}

fn indents(text: &str) -> Vec<usize> {
    let lines = text.trim().lines().filter(|line| !line.trim().is_empty());
    let indents: Vec<usize> =
        lines.map(|line| line.chars().take_while(|c| c.is_whitespace()).count()).collect();
    if indents.iter().all(|indent| *indent == 0) { Vec::new() } else { indents }
}

impl Reading {
    pub fn of(text: &str) -> Self {
        let Tokens { blocks, all } = Tokens::of(text);
        let language = language::of(&all);
        let mut used = vec![false; all.len()];
        let dates = dates::read(&all, &mut used);
        let amounts = amounts::read(&all, language, &mut used);
        let units = units::read(&all, &amounts, &mut used);
        let mut words = Vec::new();
        let mut content = Vec::new();
        let mut at = 0;
        while let Some(token) = all.get(at) {
            let is_used = used.get(at).copied().unwrap_or_default();
            if token.kind != Kind::Word || is_used {
                at += 1;
                continue;
            }
            let (word, length) = stems::phrase(&all, at);
            if !word.is_empty() {
                if let Some(stem) = stems::content(&word, language) {
                    content.push(Content { stem, word: word.clone(), at });
                }
                words.push(Word { word, at });
            }
            at += length;
        }
        Self { blocks, indents: indents(text), tokens: all, language, dates, amounts, units, content, words }
    }

    /// The words as texts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(|word| word.word.as_str())
    }

    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|own| own.word == word)
    }
}
