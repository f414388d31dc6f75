//! Vectors as compact bytes, and how near two of them are.
//!
//! A stored vector has length 1 and is a little-endian `f32` scale followed by one signed byte per component; a component
//! is its byte times the scale. That is a quarter of what `f32` needs: 1,540 bytes for 1,536 components.
//!
//! How far a cosine of stored vectors may be off: bytes are components divided by `max / 127`, where `max` is the greatest
//! of them, and rounded, so none is off by more than `max / 254`, and all `n` together, as a distance, by no more than
//! `√n · max / 254`. A vector `x` that is moved by `d` turns by an angle whose sine is at most `d / |x|`, and a cosine with
//! any vector changes by no more than twice the sine of half that angle. So the error is at most about
//! `e = √n · max / (254 · |x|)`, plus 1/32 of the same for the query, which has 4,095 steps instead of 127. That is the
//! worst case, where all roundings conspire: 0.02 for 1,536 components of which the greatest is 0.13 of the length. As they
//! do not, their sum grows like one of random numbers: the usual error is `max / (127 · √12 · |x|)`, 0.0003 in the same
//! case. Only a vector with one component that is as large as all others together is stored worse: see the tests.

/// More components than any model has today.
pub const MAX_DIMENSION: usize = 4096;

/// The steps of a stored component to each side of zero.
const STEPS: f64 = 127.0;

/// The steps of a query's component. 4,096 products of a component (at most 4,095) and a byte (at most 128) fit into `i32`.
const NEEDLE_STEPS: f64 = 4095.0;

const SCALE_BYTES: usize = size_of::<f32>();

/// The components as whole numbers up to `steps`, and what makes a vector of length 1 of them. `None` for a vector that is
/// empty, too long, not finite or zero.
fn quantised(vector: &[f32], steps: f64) -> Option<(Vec<i16>, f64)> {
    if vector.is_empty() || vector.len() > MAX_DIMENSION || !vector.iter().all(|x| x.is_finite()) {
        return None;
    }
    let max = vector.iter().fold(0.0_f64, |max, x| max.max(f64::from(x.abs())));
    if max == 0.0 {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most `steps`, which is below 2^15")]
    let whole: Vec<i16> = vector.iter().map(|x| (f64::from(*x) / max * steps).round() as i16).collect();
    let squares: i64 = whole.iter().map(|x| i64::from(*x).pow(2)).sum();
    #[expect(clippy::cast_precision_loss, reason = "at most 4096 · 4095², which is below 2^53")]
    let scale = 1.0 / (squares as f64).sqrt();
    Some((whole, scale))
}

/// The bytes of a vector, whose length is not kept. `None` for one that is empty, has more than [`MAX_DIMENSION`]
/// components, a component that is no finite number, or only zeros.
#[must_use]
pub fn encode(vector: &[f32]) -> Option<Vec<u8>> {
    let (whole, scale) = quantised(vector, STEPS)?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a scale is between 1/8128 and 1/127, and a component a byte"
    )]
    let (scale, components) = (scale as f32, whole.iter().map(|x| (*x as i8).cast_unsigned()));
    Some(scale.to_le_bytes().into_iter().chain(components).collect())
}

/// A bit for each component of a stored vector, as text of `0` and `1`: whether it is positive. The fewer of these two
/// vectors have different, the nearer they probably are: of random vectors at an angle, as many as that angle is of a half
/// turn. A component that is zero, as most are where a text has few words, counts as negative: what tells texts apart then is
/// where anything is. `None` where the bytes are too few for a vector.
#[must_use]
pub fn signature(encoded: &[u8]) -> Option<String> {
    let (_, components) = encoded.split_first_chunk::<SCALE_BYTES>().filter(|(_, it)| !it.is_empty())?;
    Some(components.iter().map(|byte| if byte.cast_signed() > 0 { '1' } else { '0' }).collect())
}

/// A query's vector, ready to be compared with many stored ones.
#[derive(Debug, Clone)]
pub struct Needle {
    components: Vec<i16>,
    scale: f64,
}

impl Needle {
    /// `None` for a vector that [`encode`] refuses.
    #[must_use]
    pub fn new(vector: &[f32]) -> Option<Self> {
        let (components, scale) = quantised(vector, NEEDLE_STEPS)?;
        Some(Self { components, scale })
    }

    /// The cosine with a stored vector, between -1 and 1. `None` where that has another number of components, or the bytes
    /// are not those of a vector.
    #[must_use]
    pub fn cosine(&self, encoded: &[u8]) -> Option<f32> {
        let (scale, components) = encoded.split_first_chunk::<SCALE_BYTES>()?;
        let scale = f32::from_le_bytes(*scale);
        if components.len() != self.components.len() || !(scale > 0.0 && scale <= 1.0) {
            return None;
        }
        let sum: i32 = self
            .components
            .iter()
            .zip(components)
            .map(|(x, byte)| i32::from(*x) * i32::from(i16::from(byte.cast_signed())))
            .sum();
        let cosine = f64::from(sum) * self.scale * f64::from(scale);
        #[expect(clippy::cast_possible_truncation, reason = "a cosine needs no more digits")]
        Some(cosine.clamp(-1.0, 1.0) as f32)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact(one: &[f32], other: &[f32]) -> f64 {
        let dot =
            |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
        dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
    }

    fn stored(one: &[f32], other: &[f32]) -> f64 {
        f64::from(Needle::new(one).unwrap().cosine(&encode(other).unwrap()).unwrap())
    }

    /// The bound that the module's comment derives. The sine of an angle up to a half is at least 0.95 of twice that of
    /// its half.
    fn bound(query: &[f32], stored: &[f32]) -> f64 {
        let part = |vector: &[f32], steps: f64| {
            let max = vector.iter().fold(0.0_f64, |max, x| max.max(f64::from(x.abs())));
            let squares: f64 = vector.iter().map(|x| f64::from(*x).powi(2)).sum();
            #[expect(clippy::cast_precision_loss, reason = "at most 4096")]
            let root = (vector.len() as f64).sqrt();
            root * max / (2.0 * steps * squares.sqrt()) / 0.95
        };
        part(query, NEEDLE_STEPS) + part(stored, STEPS) + 1e-6
    }

    #[test]
    fn a_vector_that_is_none_has_no_bytes() {
        let refused: [&[f32]; 5] =
            [&[], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY], &[1.0; MAX_DIMENSION + 1]];
        for vector in refused {
            assert!(encode(vector).is_none() && Needle::new(vector).is_none());
        }
        assert_eq!(encode(&[1.0; MAX_DIMENSION]).unwrap().len(), MAX_DIMENSION + 4);
        assert!(encode(&[f32::MIN_POSITIVE / 8.0, f32::MAX]).is_some());
    }

    #[test]
    fn bytes_that_are_no_vector_have_no_cosine() {
        let needle = Needle::new(&[1.0, 2.0]).unwrap();
        let good = encode(&[1.0, 2.0]).unwrap();
        assert!(needle.cosine(&good).unwrap() > 0.999);
        for bytes in
            [&good[..0], &good[..3], &good[..5], &[0; 6], &[0xff; 6], &[0, 0, 0xc0, 0x7f, 1, 1], &[1; 7]]
        {
            assert_eq!(needle.cosine(bytes), None, "{bytes:?}");
        }
        let most = Needle::new(&[1.0; MAX_DIMENSION]).unwrap();
        let mut bytes = vec![0x80; MAX_DIMENSION + 4];
        bytes[..4].copy_from_slice(&1.0_f32.to_le_bytes());
        assert_eq!(most.cosine(&bytes), Some(-1.0));
    }

    #[test]
    fn a_signature_says_which_components_are_positive() {
        assert_eq!(signature(&encode(&[0.5, -0.5, 0.0, 1.0]).unwrap()).as_deref(), Some("1001"));
        assert!([&[][..], &[1, 2, 3], &[1, 2, 3, 4]].iter().all(|bytes| signature(bytes).is_none()));
    }

    #[test]
    fn one_component_as_large_as_all_others_together_is_stored_worse() {
        let mut peak = vec![0.0035_f32; 1536];
        peak[0] = 1.0;
        let mut flat = vec![1.0; 1536];
        flat[0] = 0.0;
        let error = (exact(&flat, &peak) - stored(&flat, &peak)).abs();
        assert!(error > 0.1 && error <= bound(&flat, &peak), "{error}");
    }

    proptest! {
        #[test]
        fn the_error_is_within_its_bound(
            pairs in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0, 0_i32..4), 1..300),
        ) {
            let one: Vec<f32> = pairs.iter().map(|(x, _, _)| *x).collect();
            let other: Vec<f32> = pairs.iter().map(|(_, x, small)| *x * 0.1_f32.powi(*small)).collect();
            let (exact, stored) = (exact(&one, &other), stored(&one, &other));
            prop_assert!((-1.0..=1.0).contains(&stored));
            prop_assert!((exact - stored).abs() <= bound(&one, &other), "{} {}", exact, stored);
        }

        #[test]
        fn the_error_for_vectors_like_those_of_models_is_below_two_thousandths(
            noise in prop::collection::vec((0.0_f32..1.0, 0.0_f32..1.0, -1.0_f32..1.0), 256..1536),
            nearness in 0.0_f32..8.0,
        ) {
            // Normally distributed, as components of models are (Box and Muller), and near each other to some degree.
            let one: Vec<f32> = noise
                .iter()
                .map(|(a, b, _)| (-2.0 * (1.0 - a).ln()).sqrt() * (std::f32::consts::TAU * b).cos())
                .collect();
            let other: Vec<f32> = one.iter().zip(&noise).map(|(x, (_, _, y))| x * nearness + y).collect();
            let error = (exact(&one, &other) - stored(&one, &other)).abs();
            prop_assert!(error < 0.002, "{}", error);
            // As many bits differ as the angle is of a half turn, give or take five times what chance does.
            let signatures = [&one, &other].map(|it| signature(&encode(it).unwrap()).unwrap());
            let [a, b] = signatures.each_ref().map(|it| it.bytes());
            let differ = a.zip(b).filter(|(a, b)| a != b).count() as f64 / one.len() as f64;
            let angle = exact(&one, &other).acos() / std::f64::consts::PI;
            prop_assert!((differ - angle).abs() < 2.5 / (one.len() as f64).sqrt(), "{} {}", differ, angle);
        }
    }
}
