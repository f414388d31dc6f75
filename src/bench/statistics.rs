//! How sure a share is.

use serde::{Deserialize, Serialize};

/// The 97.5 % point of the normal distribution, for intervals of 95 %.
const Z: f64 = 1.959_963_984_540_054;

/// A part of something, with its 95 % interval; all from 0 to 1, or from −1 to 1 for a difference.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = BenchInterval)]
pub struct Interval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The share of `right` among `of`, with its Wilson score interval (E. B. Wilson, JASA 22, 1927); `None` where `of` is
/// 0.
#[must_use]
pub fn share(right: usize, of: usize) -> Option<Interval> {
    if of == 0 {
        return None;
    }
    let (n, z2) = (count(of), Z * Z);
    let p = count(right.min(of)) / n;
    let middle = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = Z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    Some(Interval { value: p, low: (middle - half).clamp(0.0, p), high: (middle + half).clamp(p, 1.0) })
}

/// How much larger one share is than another over the same questions, of which the first alone got `first` right and
/// the second alone `second`; with the adjusted Wald interval of D. G. Bonett and R. M. Price (J. Educ. Behav. Stat. 37,
/// 2012). `None` without questions.
#[must_use]
pub fn difference(first: usize, second: usize, of: usize) -> Option<Interval> {
    if of == 0 {
        return None;
    }
    let value = (count(first) - count(second)) / count(of);
    let n = count(of) + 2.0;
    let (one, other) = ((count(first) + 1.0) / n, (count(second) + 1.0) / n);
    let middle = one - other;
    let half = Z * ((one + other - middle * middle) / n).sqrt();
    Some(Interval { value, low: (middle - half).clamp(-1.0, value), high: (middle + half).clamp(value, 1.0) })
}

/// The middle one; the lower of two.
#[must_use]
pub fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    values.get(values.len().checked_sub(1)? / 2).copied()
}

#[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 questions")]
pub(super) fn count(number: usize) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn near(interval: Option<Interval>, value: f64, low: f64, high: f64) {
        let found = interval.unwrap();
        for (found, wanted) in [(found.value, value), (found.low, low), (found.high, high)] {
            assert!((found - wanted).abs() < 5e-5, "{found} is not {wanted}");
        }
    }

    #[test]
    fn shares_are_those_of_the_literature() {
        // R. G. Newcombe, Statistics in Medicine 17, 1998, table I: 81/263, 15/148, 0/20, 1/29.
        near(share(81, 263), 0.308_0, 0.255_3, 0.366_2);
        near(share(15, 148), 0.101_35, 0.062_4, 0.160_5);
        near(share(0, 20), 0.0, 0.0, 0.161_1);
        near(share(1, 29), 0.034_5, 0.006_1, 0.171_8);
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn a_difference_counts_only_where_the_two_differ() {
        near(difference(0, 0, 98), 0.0, -0.027_719, 0.027_719);
        near(difference(12, 5, 98), 7.0 / 98.0, -0.014_347, 0.154_347);
        let (one, other) = (difference(12, 5, 50).unwrap(), difference(5, 12, 50).unwrap());
        assert_eq!((one.value, one.low, one.high), (-other.value, -other.high, -other.low));
    }

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![9, 1, 5]), Some(5));
        assert_eq!(median(vec![4, 1, 2, 3]), Some(2));
    }

    proptest! {
        #[test]
        fn an_interval_holds_its_value(right in 0usize..2000, more in 0usize..2000, other in 0usize..2000) {
            if let Some(Interval { value, low, high }) = share(right, right + more) {
                prop_assert!(0.0 <= low && low <= value && value <= high && high <= 1.0);
            }
            if let Some(Interval { value, low, high }) = difference(right, other, right + other + more) {
                prop_assert!(-1.0 <= low && low <= value && value <= high && high <= 1.0);
            }
        }
    }
}
