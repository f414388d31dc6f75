//! Whether two lists of times differ.

/// The value below which a share of the values lies; 0 where there are none.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or(0.0)
}

/// The result of the Mann-Whitney test of two samples.
#[derive(Debug, Clone, Copy)]
pub struct MannWhitney {
    /// In how many pairs the first sample's value is the greater one; equal ones count half.
    pub u: f64,
    /// The same as a share of all pairs: 0.5 where there is no difference.
    pub share: f64,
    /// How probable a difference as large or larger would be if there were none (two-sided).
    pub p: f64,
}

/// H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables is stochastically larger than the
/// other", Annals of Mathematical Statistics 18 (1947) 50–60; by ranks, with the normal approximation, corrected for ties
/// and for continuity, as in `scipy.stats.mannwhitneyu(…, method="asymptotic")`. The documentation of that has the
/// example 19, 22, 16, 29, 24 against 20, 11, 17, 12: U = 17, p = 0.1113.
pub fn mann_whitney(one: &[f64], other: &[f64]) -> MannWhitney {
    let mut all: Vec<(f64, bool)> =
        one.iter().map(|x| (*x, true)).chain(other.iter().map(|x| (*x, false))).collect();
    all.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
    let (mut ranks_of_one, mut ties, mut before) = (0.0, 0.0, 0.0);
    for equal in all.chunk_by(|(a, _), (b, _)| a == b) {
        let count = equal.len() as f64;
        let rank = before + (count + 1.0) / 2.0;
        ranks_of_one += rank * equal.iter().filter(|(_, is_one)| *is_one).count() as f64;
        ties += count.powi(3) - count;
        before += count;
    }
    let (n, m) = (one.len() as f64, other.len() as f64);
    let u = ranks_of_one - n * (n + 1.0) / 2.0;
    let variance = n * m / 12.0 * (n + m + 1.0 - ties / ((n + m) * (n + m - 1.0)));
    let z = (((u - n * m / 2.0).abs() - 0.5) / variance.sqrt()).max(0.0);
    MannWhitney { u, share: u / (n * m), p: libm::erfc(z / std::f64::consts::SQRT_2) }
}
