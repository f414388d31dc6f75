//! An image that a model is shown.

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// An image that a model is shown. Its bytes are encoded once and shared by all calls that send it; `Debug` does not
/// print them.
pub struct Image {
    /// The hash of its content, which alone decides whether two are equal.
    id: String,
    /// `png`, `jpeg`, `gif` or `webp`.
    format: String,
    /// In pixels.
    width: u32,
    height: u32,
    /// `data:image/png;base64,…`
    url: Arc<str>,
    /// Where the Base64 content begins in `url`.
    content: usize,
}

/// Pixels per token, and the most tokens that an image takes, since larger ones are scaled down first. Claude's figures
/// (<https://docs.claude.com/en/docs/build-with-claude/vision>); those of other models are close.
const PIXELS_PER_TOKEN: u64 = 750;
const MOST_TOKENS: u64 = 1_600;

impl Image {
    /// An image of this format and size in pixels, with these bytes.
    #[must_use]
    pub fn new(id: &str, format: &str, (width, height): (u32, u32), bytes: &[u8]) -> Self {
        let mut url = format!("data:image/{format};base64,");
        let content = url.len();
        STANDARD.encode_string(bytes, &mut url);
        Self { id: id.to_owned(), format: format.to_owned(), width, height, url: url.into(), content }
    }

    /// The hash of its content.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// `png`, `jpeg`, `gif` or `webp`.
    #[must_use]
    pub fn format(&self) -> &str {
        &self.format
    }

    /// The image as a `data:` URL.
    #[must_use]
    pub fn url(&self) -> &Arc<str> {
        &self.url
    }

    /// Its bytes in Base64.
    #[must_use]
    pub fn base64(&self) -> &str {
        self.url.get(self.content..).unwrap_or_default()
    }

    /// Its estimated tokens in a prompt.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        tokens((self.width, self.height))
    }
}

/// The estimated prompt tokens of an image of this width and height in pixels.
#[must_use]
pub fn tokens((width, height): (u32, u32)) -> u64 {
    (u64::from(width) * u64::from(height)).div_ceil(PIXELS_PER_TOKEN).min(MOST_TOKENS)
}

impl PartialEq for Image {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Image {}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("id", &self.id)
            .field("format", &self.format)
            .field("width", &self.width)
            .field("height", &self.height)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_encoded_and_never_printed() {
        let image = Image::new("abc", "png", (800, 600), b"secret pixels");
        assert_eq!(&**image.url(), "data:image/png;base64,c2VjcmV0IHBpeGVscw==");
        assert_eq!(image.base64(), "c2VjcmV0IHBpeGVscw==");
        let printed = format!("{image:?}");
        assert!(printed.contains("abc") && !printed.contains("c2VjcmV0"), "{printed}");
    }

    #[test]
    fn a_picture_takes_tokens_by_its_size() {
        assert_eq!([tokens((1, 1)), tokens((750, 10)), tokens((8_000, 8_000))], [1, 10, 1_600]);
    }
}
