//! Plackett and Luce's model of rankings (Luce 1959, Plackett 1975): the next answer of a ballot is chosen in proportion
//! to the exponential of its strength, plus what a reviewer may add for its own answer and for the position in which it
//! was read. Strengths have a standard normal prior; all is fitted by gradient ascent.

use crate::world::{Ballot, Question};

const STEPS: usize = 60;
const RATE: f64 = 0.25;
/// Covariates are fitted in this many rounds, each with strengths from this many steps: enough to converge.
const ROUNDS: usize = 15;
const LEARNING_STEPS: usize = 20;

/// The covariates: what reviewers add to strengths.
#[derive(Default)]
pub struct Covariates {
    /// By reviewer, for its own answer.
    own: Vec<f64>,
    /// For what is read first, and less for what is read last.
    position: f64,
}

impl Covariates {
    fn added(&self, reviewer: usize, answer: usize, ballot: &Ballot) -> f64 {
        let own = if reviewer == answer { self.own.get(reviewer).copied().unwrap_or_default() } else { 0.0 };
        own + self.position * centred(ballot, answer)
    }

    /// Fits them to these runs, with a normal prior of variance 4.
    pub fn learn(runs: &[Question], members: usize) -> Self {
        let mut covariates = Self { own: vec![0.0; members], position: 0.0 };
        for _ in 0..ROUNDS {
            let strengths: Vec<Vec<f64>> =
                runs.iter().map(|run| ascend(&run.ballots, &covariates, LEARNING_STEPS)).collect();
            let (mut own, mut position, mut count) = (vec![0.0; members], 0.0, 0.0);
            for (run, strengths) in runs.iter().zip(&strengths) {
                for (reviewer, ballot) in run.ballots.iter().enumerate() {
                    let Some(ballot) = ballot else { continue };
                    for (answer, slope) in
                        slopes(reviewer, ballot, strengths, &covariates).into_iter().enumerate()
                    {
                        if answer == reviewer {
                            own[reviewer] += slope;
                        }
                        position += slope * centred(ballot, answer);
                    }
                    count += 1.0;
                }
            }
            let each = count / members as f64;
            for (known, slope) in covariates.own.iter_mut().zip(own) {
                *known += (slope - *known / 4.0) / (each * 0.25 + 0.25);
            }
            covariates.position += (position - covariates.position / 4.0) / (count * 0.5 + 0.25);
        }
        covariates
    }
}

/// From ½ for what is read first to -½ for what is read last.
fn centred(ballot: &Ballot, answer: usize) -> f64 {
    let place = ballot.order.iter().position(|one| *one == answer).unwrap_or_default();
    0.5 - place as f64 / (ballot.order.len() - 1) as f64
}

/// The answers' strengths, most probable after these ballots.
pub fn strengths(ballots: &[Option<Ballot>], covariates: &Covariates) -> Vec<f64> {
    ascend(ballots, covariates, STEPS)
}

fn ascend(ballots: &[Option<Ballot>], covariates: &Covariates, steps: usize) -> Vec<f64> {
    let mut strengths = vec![0.0; ballots.len()];
    for _ in 0..steps {
        let mut slope: Vec<f64> = strengths.iter().map(|strength| -strength).collect();
        for (reviewer, ballot) in ballots.iter().enumerate() {
            let Some(ballot) = ballot else { continue };
            for (answer, more) in slopes(reviewer, ballot, &strengths, covariates).into_iter().enumerate() {
                slope[answer] += more;
            }
        }
        for (strength, slope) in strengths.iter_mut().zip(slope) {
            *strength += RATE * slope;
        }
    }
    strengths
}

/// The derivative of a ballot's log probability by each answer's strength.
fn slopes(reviewer: usize, ballot: &Ballot, strengths: &[f64], covariates: &Covariates) -> Vec<f64> {
    let weight: Vec<f64> = (0..strengths.len())
        .map(|answer| (strengths[answer] + covariates.added(reviewer, answer, ballot)).exp())
        .collect();
    let mut slopes = vec![0.0; strengths.len()];
    for (place, chosen) in ballot.ranking.iter().enumerate() {
        let left = &ballot.ranking[place..];
        let total: f64 = left.iter().map(|answer| weight[*answer]).sum();
        slopes[*chosen] += 1.0;
        for answer in left {
            slopes[*answer] -= weight[*answer] / total;
        }
    }
    slopes
}
