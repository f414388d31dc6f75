//! Why nothing can be read of a file.

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unreadable {
    Encrypted,
    Damaged,
    TooManyPages,
    /// It unpacks to too much.
    TooLarge,
    /// Pictures of text, perhaps.
    NoText,
    TimedOut,
}

impl Unreadable {
    const ALL: [Self; 6] =
        [Self::Encrypted, Self::Damaged, Self::TooManyPages, Self::TooLarge, Self::NoText, Self::TimedOut];

    /// The word for it in the API and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Encrypted => "encrypted",
            Self::Damaged => "damaged",
            Self::TooManyPages => "too_many_pages",
            Self::TooLarge => "too_large",
            Self::NoText => "no_text",
            Self::TimedOut => "timed_out",
        }
    }

    /// What this word says; a word of another version is taken for damage.
    #[must_use]
    pub fn parse(word: &str) -> Self {
        Self::ALL.into_iter().find(|known| known.as_str() == word).unwrap_or(Self::Damaged)
    }

    /// The exit code of the process that reads it.
    pub(super) fn exit_code(self) -> u8 {
        10 + self as u8
    }

    /// The problem that such an exit code stands for.
    pub(super) fn of_exit_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|known| i32::from(known.exit_code()) == code)
    }

    /// For people: what is the matter, and what to do.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::Encrypted => {
                "It is protected by a password. Save it without one, and upload that.".to_owned()
            }
            Self::Damaged => {
                "It cannot be read: it is damaged, or of a form that is not supported. Save it again, or \
                 as text."
                    .to_owned()
            }
            Self::TooManyPages => {
                format!("It has more than {} pages. Upload the part that matters.", super::MAX_PAGES)
            }
            Self::TooLarge => "It unpacks to more than can be read. Upload the part that matters.".to_owned(),
            Self::NoText => {
                "There is no text in it, perhaps only pictures. Upload one whose text can be selected."
                    .to_owned()
            }
            Self::TimedOut => {
                "Reading it took too long. Upload the part that matters, or its text.".to_owned()
            }
        }
    }
}
