//! How far reviewers agree, compared with what chance alone would give.

use serde::{Deserialize, Serialize};

use super::methods::{Places, count, mean};

/// How the agreement was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Kendall's W, 0 to 1, over ballots that place every answer.
    KendallW,
    /// The mean of Kendall's tau-b over all pairs of ballots, -1 to 1, over the answers that both place.
    MeanTauB,
}

/// The reviewers' agreement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Agreement {
    pub measure: Measure,
    /// Absent when there are too few ballots or answers in common to say.
    pub value: Option<f64>,
    /// What as many reviewers who rank at random would reach on average.
    pub expected_by_chance: Option<f64>,
}

/// Kendall's W, corrected for ties (Kendall & Babington Smith, 1939; Siegel & Castellan, 1988).
/// Its mean under random rankings by m reviewers is 1/m.
#[must_use]
pub fn kendall_w(ballots: &[Places]) -> Agreement {
    let complete: Vec<Vec<f64>> =
        ballots.iter().filter_map(|ballot| ballot.of.iter().copied().collect::<Option<Vec<f64>>>()).collect();
    let m = count(complete.len());
    let items = complete.first().map_or(0, Vec::len);
    let n = count(items);
    let enough = complete.len() > 1 && items > 1;
    let sums: Vec<f64> = (0..items).map(|item| complete.iter().map(|places| places[item]).sum()).collect();
    let middle = m * (n + 1.0) / 2.0;
    let spread: f64 = sums.iter().map(|sum| (sum - middle).powi(2)).sum();
    let ties: f64 = complete.iter().map(|places| tie_correction(places)).sum();
    let most = m * m * (n.powi(3) - n) - m * ties;
    Agreement {
        measure: Measure::KendallW,
        value: (enough && most > 0.0).then(|| 12.0 * spread / most),
        expected_by_chance: enough.then(|| 1.0 / m),
    }
}

/// The sum of t³ - t over a ballot's groups of t tied answers.
fn tie_correction(places: &[f64]) -> f64 {
    // Each of a group's t members counts t² - 1.
    places
        .iter()
        .map(|place| count(places.iter().filter(|other| *other == place).count()).powi(2) - 1.0)
        .sum()
}

/// The mean tau-b over pairs of ballots: for ballots that leave out an answer each. Its mean under
/// random rankings is 0.
#[must_use]
pub fn mean_tau_b(ballots: &[Places]) -> Agreement {
    let mut taus = Vec::new();
    for (index, one) in ballots.iter().enumerate() {
        taus.extend(ballots[index + 1..].iter().filter_map(|other| tau_b(one, other)));
    }
    let value = mean(&taus);
    Agreement { measure: Measure::MeanTauB, value, expected_by_chance: value.map(|_| 0.0) }
}

/// Kendall's tau-b (1945) over the answers that both ballots place.
fn tau_b(one: &Places, other: &Places) -> Option<f64> {
    let common: Vec<(f64, f64)> =
        one.of.iter().zip(&other.of).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    let (mut balance, mut apart_in_one, mut apart_in_other) = (0.0, 0.0, 0.0);
    for (index, (a1, b1)) in common.iter().enumerate() {
        for (a2, b2) in &common[index + 1..] {
            let (a, b) = (sign(a1 - a2), sign(b1 - b2));
            balance += a * b;
            apart_in_one += a.abs();
            apart_in_other += b.abs();
        }
    }
    let most = f64::sqrt(apart_in_one * apart_in_other);
    (most > 0.0).then(|| balance / most)
}

fn sign(difference: f64) -> f64 {
    if difference == 0.0 { 0.0 } else { difference.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(places: &[f64]) -> Places {
        Places {
            of: places.iter().map(|place| (*place > 0.0).then_some(*place)).collect(),
            barred: None,
            weight: 1.0,
        }
    }

    fn close(a: Option<f64>, b: f64) {
        assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} is not {b}");
    }

    #[test]
    fn full_agreement_is_one_and_opposition_of_two_is_zero() {
        let up = of(&[1.0, 2.0, 3.0]);
        let down = of(&[3.0, 2.0, 1.0]);
        close(kendall_w(&[up.clone(), up.clone()]).value, 1.0);
        close(kendall_w(&[up.clone(), down.clone()]).value, 0.0);
        close(mean_tau_b(&[up.clone(), up.clone()]).value, 1.0);
        close(mean_tau_b(&[up, down]).value, -1.0);
    }

    /// Worked by hand. Sums: 4, 5, 9 about 6: S = 4 + 1 + 9 = 14; W = 12·14 / (9·24) = 7/9.
    #[test]
    fn kendall_w_of_three_reviewers() {
        let ballots = [of(&[1.0, 2.0, 3.0]), of(&[1.0, 2.0, 3.0]), of(&[2.0, 1.0, 3.0])];
        let agreement = kendall_w(&ballots);
        close(agreement.value, 7.0 / 9.0);
        close(agreement.expected_by_chance, 1.0 / 3.0);
    }

    /// Worked by hand: (1.5, 1.5, 3) twice. Sums 3, 3, 6 about 4: S = 6; T = 6 each, so
    /// W = 72 / (4·24 - 2·12) = 1: with the ties corrected, the same ballots agree fully.
    #[test]
    fn ties_are_corrected() {
        let tied = of(&[1.5, 1.5, 3.0]);
        close(kendall_w(&[tied.clone(), tied.clone()]).value, 1.0);
        close(mean_tau_b(&[tied.clone(), tied]).value, 1.0);
    }

    /// Worked by hand: common answers 2 and 3, once in the same and once in the other order.
    #[test]
    fn tau_b_looks_at_common_answers_only() {
        let ballots = [of(&[0.0, 1.0, 2.0, 3.0]), of(&[1.0, 0.0, 2.0, 3.0]), of(&[1.0, 2.0, 0.0, 3.0])];
        // 0/1: 2<3, 2<3: 1. 0/2: items 1, 3: 1<3, 2<3: 1. 1/2: items 0, 3: 1.
        close(mean_tau_b(&ballots).value, 1.0);
        let torn = [of(&[0.0, 1.0, 2.0, 3.0]), of(&[1.0, 0.0, 3.0, 2.0])];
        close(mean_tau_b(&torn).value, -1.0);
    }

    #[test]
    fn too_little_to_compare_says_nothing() {
        for ballots in [vec![], vec![of(&[1.0, 2.0])], vec![of(&[1.5, 1.5]), of(&[1.5, 1.5])]] {
            assert_eq!(kendall_w(&ballots).value, None);
            assert_eq!(mean_tau_b(&ballots).value, None);
        }
        assert_eq!(
            kendall_w(&[of(&[1.0, 0.0]), of(&[1.0, 2.0])]).value,
            None,
            "one complete ballot is no agreement"
        );
    }
}
