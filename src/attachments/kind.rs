//! What a file is, by what is in it. What it is called says nothing.

use serde::de::IgnoredAny;

/// What is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 without U+0000: prose, Markdown, code, CSV, SVG, HTML.
    Text,
    /// A text that is a JSON object or array.
    Json,
    Pdf,
    /// A document of a word processor (Office Open XML).
    Docx,
}

/// Why a file is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTaken {
    Empty,
    Image,
    /// A text in another encoding than UTF-8.
    OtherEncoding,
    Other,
}

/// What images begin with: PNG, JPEG, GIF, and WebP in its container.
const IMAGES: [&[u8]; 3] = [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8"];

impl Kind {
    const ALL: [Self; 4] = [Self::Text, Self::Json, Self::Pdf, Self::Docx];

    /// What this is; of a ZIP file only its reader sees whether it is a document.
    ///
    /// # Errors
    /// Why it is not taken.
    pub fn of(bytes: &[u8]) -> Result<Self, NotTaken> {
        if bytes.is_empty() {
            return Err(NotTaken::Empty);
        }
        if bytes.starts_with(b"%PDF-") {
            return Ok(Self::Pdf);
        }
        if bytes.starts_with(b"PK\x03\x04") {
            return Ok(Self::Docx);
        }
        let is_webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
        if is_webp || IMAGES.iter().any(|start| bytes.starts_with(start)) {
            return Err(NotTaken::Image);
        }
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(NotTaken::OtherEncoding);
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            let is_text = bytes.iter().all(|byte| *byte >= b' ' || matches!(byte, b'\t' | b'\n' | b'\r'));
            return Err(if is_text { NotTaken::OtherEncoding } else { NotTaken::Other });
        };
        if text.contains('\0') {
            return Err(NotTaken::Other);
        }
        let text = without_mark(text);
        if text.trim().is_empty() {
            return Err(NotTaken::Empty);
        }
        let is_json =
            text.trim_start().starts_with(['{', '[']) && serde_json::from_str::<IgnoredAny>(text).is_ok();
        Ok(if is_json { Self::Json } else { Self::Text })
    }

    /// The word for it in the API and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
        }
    }

    /// The kind that this word says.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The media type under which it is handed out.
    #[must_use]
    pub fn mime(self) -> &'static str {
        match self {
            Self::Text => "text/plain; charset=utf-8",
            Self::Json => "application/json",
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        }
    }

    /// What a file of this kind ends with where it is called by its content.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Text => "txt",
            Self::Json => "json",
            Self::Pdf => "pdf",
            Self::Docx => "docx",
        }
    }

    /// Whether it is read in a process of its own.
    #[must_use]
    pub fn has_to_be_extracted(self) -> bool {
        matches!(self, Self::Pdf | Self::Docx)
    }
}

/// A text without the mark of its byte order.
#[must_use]
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_in_a_file_says_what_it_is() {
        for (bytes, kind) in [
            (&b"Hello"[..], Ok(Kind::Text)),
            (b"\xef\xbb\xbf# Title\n", Ok(Kind::Text)),
            (b"a,b\r\n1,2\r\n", Ok(Kind::Text)),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>", Ok(Kind::Text)),
            (b" {\"a\": [1]}", Ok(Kind::Json)),
            (b"{not json}", Ok(Kind::Text)),
            (b"42", Ok(Kind::Text)),
            (b"%PDF-1.7 and whatever", Ok(Kind::Pdf)),
            // A PDF by its beginning, whatever else it would be.
            (b"%PDF-1.7\nPK\x03\x04", Ok(Kind::Pdf)),
            (b"PK\x03\x04rest", Ok(Kind::Docx)),
            (b"\x89PNG\r\n\x1a\nrest", Err(NotTaken::Image)),
            (b"\xff\xd8\xff\xe0", Err(NotTaken::Image)),
            (b"GIF89a", Err(NotTaken::Image)),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Err(NotTaken::Image)),
            (b"RIFF\x10\0\0\0WAVE", Err(NotTaken::Other)),
            (b"", Err(NotTaken::Empty)),
            (b"\xef\xbb\xbf \n", Err(NotTaken::Empty)),
            (b"a\0b", Err(NotTaken::Other)),
            (b"\x7fELF\x02\x01\x01\0", Err(NotTaken::Other)),
            (b"\xff\xfeH\0i\0", Err(NotTaken::OtherEncoding)),
            (b"Gr\xfc\xdfe", Err(NotTaken::OtherEncoding)),
        ] {
            assert_eq!(Kind::of(bytes), kind, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn every_kind_is_known_by_its_word() {
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(Kind::parse("svg"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_at(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let kind = Kind::of(&bytes);
            if matches!(kind, Ok(Kind::Text | Kind::Json)) {
                prop_assert!(std::str::from_utf8(&bytes).is_ok_and(|text| !text.contains('\0')));
            }
        }

        #[test]
        fn any_text_without_nul_is_text(text in "[a-zA-Zäöü漢<>#,;\n ]{1,80}") {
            prop_assume!(!text.trim().is_empty());
            prop_assert_eq!(Kind::of(text.as_bytes()), Ok(Kind::Text));
        }
    }
}
