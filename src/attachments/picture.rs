//! How large a picture is, by its header: nothing of its pixels is read here.

/// The longest side of a picture that is taken, in pixels: no provider takes a longer one.
pub const MAX_SIDE: usize = 8_000;

/// Why a picture is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPicture {
    /// Its header cannot be read.
    Damaged,
    /// One of its sides is longer than [`MAX_SIDE`].
    TooLarge { width: usize, height: usize },
}

impl NoPicture {
    /// In a sentence that goes on from the file's name.
    #[must_use]
    pub fn sentence(self) -> String {
        match self {
            Self::Damaged => {
                "begins like a picture, but is damaged or not one: save it again and upload that".to_owned()
            }
            Self::TooLarge { width, height } => format!(
                "is {width} × {height} pixels large; a side may have {MAX_SIDE} at most: make it smaller and upload that"
            ),
        }
    }
}

/// Its width and height in pixels.
///
/// # Errors
/// Why it is not taken.
pub fn size(bytes: &[u8]) -> Result<(u32, u32), NoPicture> {
    let size = imagesize::blob_size(bytes).map_err(|_| NoPicture::Damaged)?;
    let (width, height) = (size.width, size.height);
    if width == 0 || height == 0 {
        return Err(NoPicture::Damaged);
    }
    let side = |pixels: usize| u32::try_from(pixels).ok().filter(|_| pixels <= MAX_SIDE);
    side(width).zip(side(height)).ok_or(NoPicture::TooLarge { width, height })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The beginning of a PNG of this size.
    fn png(width: u32, height: u32) -> Vec<u8> {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &size, b"\x08\x02\0\0\0"].concat()
    }

    #[test]
    fn a_header_says_how_large_a_picture_is() {
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\x01\x2c\x01\x90\x01\x01\x11\0";
        let vp8x = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x8f\x01\0\x2b\x01\0";
        for (bytes, expected) in [
            (png(400, 300), Ok((400, 300))),
            (png(8_000, 1), Ok((8_000, 1))),
            (png(8_001, 1), Err(NoPicture::TooLarge { width: 8_001, height: 1 })),
            (png(0, 5), Err(NoPicture::Damaged)),
            (png(400, 300)[..20].to_vec(), Err(NoPicture::Damaged)),
            (b"GIF89a\x90\x01\x2c\x01\0\0\0;".to_vec(), Ok((400, 300))),
            (jpeg.to_vec(), Ok((400, 300))),
            (b"\xff\xd8\xffnothing".to_vec(), Err(NoPicture::Damaged)),
            (vp8x.to_vec(), Ok((400, 300))),
            (b"BM and more of it".to_vec(), Err(NoPicture::Damaged)),
        ] {
            assert_eq!(size(&bytes), expected, "{:?}", String::from_utf8_lossy(&bytes));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd_for_it(
            start in prop::sample::select(vec![
                b"\x89PNG\r\n\x1a\n".as_slice(), b"\xff\xd8\xff", b"GIF89a", b"RIFF\x10\0\0\0WEBPVP8 ",
                b"RIFF\x10\0\0\0WEBPVP8L", b"RIFF\x10\0\0\0WEBPVP8X", b"",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..300),
        ) {
            if let Ok((width, height)) = size(&[start, &rest].concat()) {
                prop_assert!((1..=8_000).contains(&width) && (1..=8_000).contains(&height));
            }
        }
    }
}
