//! The vector that represents a text, to compare it with other texts.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most components that are accepted; the models on offer have at most 4096.
pub const MAX_DIMENSION: usize = 4096;

/// Whether there is padding differs from server to server.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A vector of 1 to [`MAX_DIMENSION`] finite components, not all of them 0. Its length is whatever the model gave it.
///
/// As JSON it is base64 of its components as little-endian `f32`: a list of numbers would be four times as long.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedding(Vec<f32>);

/// Why a vector is not a valid embedding, as the end of a sentence that begins "an embedding".
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("without a component")]
    Empty,
    #[error("of {0} components, more than {MAX_DIMENSION}")]
    TooLong(usize),
    #[error("with a component that is not a finite number")]
    NotFinite,
    #[error("whose components are all 0")]
    Zero,
}

impl Embedding {
    /// Checks the components.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn new(components: Vec<f32>) -> Result<Self, Unfit> {
        if components.is_empty() {
            Err(Unfit::Empty)
        } else if components.len() > MAX_DIMENSION {
            Err(Unfit::TooLong(components.len()))
        } else if components.iter().any(|component| !component.is_finite()) {
            Err(Unfit::NotFinite)
        } else if components.iter().all(|component| *component == 0.0) {
            Err(Unfit::Zero)
        } else {
            Ok(Self(components))
        }
    }

    /// How many components it has.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub fn components(&self) -> &[f32] {
        &self.0
    }

    #[must_use]
    pub fn into_components(self) -> Vec<f32> {
        self.0
    }
}

impl Serialize for Embedding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|component| component.to_le_bytes()).collect();
        serializer.serialize_str(&BASE64.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Embedding {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let components = from_base64(&text).ok_or_else(|| D::Error::custom("an embedding is not base64"))?;
        Self::new(components).map_err(|unfit| D::Error::custom(format_args!("an embedding {unfit}")))
    }
}

/// Reads components from base64 of little-endian `f32`; `None` if it is anything else.
pub(super) fn from_base64(text: &str) -> Option<Vec<f32>> {
    let bytes = BASE64.decode(text).ok()?;
    let (components, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| components.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_vector_that_can_be_compared_is_an_embedding() {
        assert_eq!(Embedding::new(Vec::new()), Err(Unfit::Empty));
        assert_eq!(Embedding::new(vec![0.0, -0.0]), Err(Unfit::Zero));
        assert_eq!(Embedding::new(vec![1.0; MAX_DIMENSION + 1]), Err(Unfit::TooLong(4097)));
        for wrong in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert_eq!(Embedding::new(vec![1.0, wrong]), Err(Unfit::NotFinite));
        }
        let longest = Embedding::new(vec![1.0; MAX_DIMENSION]).unwrap();
        assert_eq!(longest.dimension(), MAX_DIMENSION);
        assert_eq!(Unfit::TooLong(4097).to_string(), "of 4097 components, more than 4096");
    }

    #[test]
    fn it_is_stored_as_base64_of_its_bytes() {
        let embedding = Embedding::new(vec![1.0, -2.5]).unwrap();
        assert_eq!(serde_json::to_value(&embedding).unwrap(), json!("AACAPwAAIMA="));
        for text in ["AACAPwAAIMA=", "AACAPwAAIMA"] {
            assert_eq!(serde_json::from_value::<Embedding>(json!(text)).unwrap(), embedding);
        }
        for wrong in
            [json!(""), json!("AAAAAA=="), json!("AACA"), json!("!"), json!([1.0]), json!("AADAfw==")]
        {
            assert!(serde_json::from_value::<Embedding>(wrong.clone()).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_stored_is_read_back_bit_by_bit(
            components in prop::collection::vec(
                prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO, 1..300),
        ) {
            prop_assume!(components.iter().any(|component| *component != 0.0));
            let embedding = Embedding::new(components).unwrap();
            let stored = serde_json::to_string(&embedding).unwrap();
            prop_assert!(stored.len() <= embedding.dimension() * 16 / 3 + 6);
            let read: Embedding = serde_json::from_str(&stored).unwrap();
            let bits = |it: &Embedding| it.components().iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&read), bits(&embedding));
        }

        #[test]
        fn whatever_is_read_is_fit(text in "[A-Za-z0-9+/=]{0,64}|.*") {
            if let Ok(read) = serde_json::from_value::<Embedding>(json!(text)) {
                prop_assert!(Embedding::new(read.into_components()).is_ok());
            }
        }
    }
}
