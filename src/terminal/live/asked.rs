//! How an option or a format is asked for: by a typed word, or by a field of a request.

/// Something that can be switched on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Switch {
    /// The word that is typed for it, and that the prompt shows.
    pub word: &'static str,
    /// The field of a request.
    pub field: &'static str,
    /// What it does.
    pub says: &'static str,
    /// What its command does, for the list of commands.
    pub command: &'static str,
}

/// How a deliberation is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// As a request names it.
    pub name: &'static str,
    /// What the command of its name does, where there is one.
    pub command: Option<&'static str>,
    /// Fields of a request that belong to it alone: they go with it.
    pub fields: &'static [&'static str],
    /// Whether a chat that starts in it streams by default.
    pub streams: bool,
}

/// The default format.
pub const COUNCIL: Format = Format { name: "council", command: None, fields: &[], streams: false };

/// A field of a request that a chat sets itself, and what to do instead of setting it.
pub struct Own {
    pub field: &'static str,
    pub in_chat: &'static str,
    pub of_file: &'static str,
}
