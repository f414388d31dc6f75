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
    /// A picture.
    Image(Format),
}

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl Format {
    const ALL: [Self; 4] = [Self::Png, Self::Jpeg, Self::Gif, Self::WebP];

    /// The format that these bytes begin as.
    fn of(bytes: &[u8]) -> Option<Self> {
        let begins = |start: &[u8]| bytes.starts_with(start);
        if begins(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if begins(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if begins(b"GIF87a") || begins(b"GIF89a") {
            Some(Self::Gif)
        } else if begins(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::WebP)
        } else {
            None
        }
    }

    /// The word for it, in media types as well.
    fn as_str(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Gif => "gif",
            Self::WebP => "webp",
        }
    }
}

/// Why a file is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotTaken {
    Empty,
    /// A text in another encoding than UTF-8.
    OtherEncoding,
    Other,
}

impl Kind {
    const READ: [Self; 4] = [Self::Text, Self::Json, Self::Pdf, Self::Docx];

    fn all() -> impl Iterator<Item = Self> {
        Self::READ.into_iter().chain(Format::ALL.map(Self::Image))
    }

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
        if let Some(format) = Format::of(bytes) {
            return Ok(Self::Image(format));
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
            Self::Image(format) => format.as_str(),
        }
    }

    /// The kind that this word says.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::all().find(|kind| kind.as_str() == word)
    }

    /// The media type under which it is handed out.
    #[must_use]
    pub fn mime(self) -> &'static str {
        match self {
            Self::Text => "text/plain; charset=utf-8",
            Self::Json => "application/json",
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Image(Format::Png) => "image/png",
            Self::Image(Format::Jpeg) => "image/jpeg",
            Self::Image(Format::Gif) => "image/gif",
            Self::Image(Format::WebP) => "image/webp",
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
            Self::Image(Format::Jpeg) => "jpg",
            Self::Image(format) => format.as_str(),
        }
    }

    /// Whether it is a picture, which is shown and has no text.
    #[must_use]
    pub fn is_image(self) -> bool {
        matches!(self, Self::Image(_))
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
            (b"\x89PNG\r\n\x1a\nrest", Ok(Kind::Image(Format::Png))),
            (b"\xff\xd8\xff\xe0", Ok(Kind::Image(Format::Jpeg))),
            (b"GIF89a", Ok(Kind::Image(Format::Gif))),
            (b"GIF8 or not", Ok(Kind::Text)),
            (b"RIFF\x10\0\0\0WEBPVP8 ", Ok(Kind::Image(Format::WebP))),
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
        assert_eq!(Kind::all().count(), 8);
        for kind in Kind::all() {
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
