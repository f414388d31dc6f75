//! The order in which each reviewer sees the answers: the rows of a Latin square, so that being
//! seen first helps no answer more than another. The square is Williams' (1949), in which every
//! answer also follows every other one equally often.

use super::label::Label;

/// One order per reviewer. Over as many reviewers as there are answers, each answer stands in each
/// place once.
#[must_use]
pub fn orders(reviewers: usize, labels: &[Label]) -> Vec<Vec<Label>> {
    let n = labels.len();
    if n == 0 {
        return vec![Vec::new(); reviewers];
    }
    // 0, 1, n-1, 2, n-2, …
    let zigzag: Vec<usize> =
        (0..n).map(|place| if place % 2 == 1 { place / 2 + 1 } else { (n - place / 2) % n }).collect();
    (0..reviewers)
        .map(|reviewer| {
            // Odd sizes are balanced only together with the mirror image, for further reviewers.
            let mirrored = n % 2 == 1 && (reviewer / n) % 2 == 1;
            let row = zigzag.iter().map(|start| labels[(start + reviewer) % n]);
            if mirrored { row.rev().collect() } else { row.collect() }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn each_answer_stands_in_each_place_equally_often() {
        for n in 1..=7 {
            let labels: Vec<Label> = (0..n).map(Label::nth).collect();
            let mut seen: BTreeMap<(Label, usize), usize> = BTreeMap::new();
            for order in orders(2 * n, &labels) {
                for (place, label) in order.into_iter().enumerate() {
                    *seen.entry((label, place)).or_default() += 1;
                }
            }
            assert_eq!(seen.len(), n * n);
            assert!(seen.values().all(|count| *count == 2), "{n}: {seen:?}");
        }
    }

    #[test]
    fn each_answer_follows_each_other_one_equally_often() {
        for n in 2..=7 {
            let labels: Vec<Label> = (0..n).map(Label::nth).collect();
            let mut seen: BTreeMap<(Label, Label), usize> = BTreeMap::new();
            for order in orders(2 * n, &labels) {
                for pair in order.windows(2) {
                    *seen.entry((pair[0], pair[1])).or_default() += 1;
                }
            }
            assert_eq!(seen.len(), n * (n - 1));
            assert!(seen.values().all(|count| *count == 2), "{n}: {seen:?}");
        }
    }
}
