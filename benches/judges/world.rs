//! Simulated councils. An answer has a quality; a reviewer's score for it is that quality, an error that all reviewers
//! share, an error of its own, the effect of the position in which it is read, and a bonus for its own answer. It ranks
//! by score.

use llm_council::council::ranking::label::Label;
use llm_council::council::ranking::order;

use crate::rng::Rng;

/// How strongly members prefer themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Own {
    None,
    /// All by 1.5.
    Equal,
    /// From 0 to 3.
    Varied,
    /// The first by 4.
    OneStrong,
    /// The first by 4, whose answers are worse by 1.
    StrongAndWeak,
}

impl Own {
    pub const ALL: [Self; 5] = [Self::None, Self::Equal, Self::Varied, Self::OneStrong, Self::StrongAndWeak];

    fn bonus(self, member: usize, members: usize) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Equal => 1.5,
            Self::Varied => 3.0 * member as f64 / (members - 1) as f64,
            Self::OneStrong | Self::StrongAndWeak => {
                if member == 0 {
                    4.0
                } else {
                    0.0
                }
            }
        }
    }

    fn skill(self, member: usize) -> f64 {
        if self == Self::StrongAndWeak && member == 0 { -1.0 } else { 0.0 }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Equal => "equal (1.5)",
            Self::Varied => "varied (0 to 3)",
            Self::OneStrong => "one strong (4)",
            Self::StrongAndWeak => "one strong (4) and weak",
        }
    }
}

/// One cell of the grid.
#[derive(Debug, Clone, Copy)]
pub struct World {
    pub members: usize,
    /// The standard deviation of a reviewer's errors, that of the answers' quality being 1.
    pub noise: f64,
    /// What the first place read is worth, and the last costs.
    pub position: f64,
    pub own: Own,
    /// Reviewers that fail, chosen at random for each question.
    pub failed: usize,
    /// The part of the errors' variance that all reviewers share.
    pub shared: f64,
    /// The last member ranks the other way round.
    pub hostile: bool,
    /// The part of the quality's variance that no reviewer looks at: what a rubric does not name.
    pub unnamed: f64,
}

impl World {
    pub const USUAL: Self = Self {
        members: 4,
        noise: 2.0,
        position: 1.2,
        own: Own::None,
        failed: 0,
        shared: 0.0,
        hostile: false,
        unnamed: 0.0,
    };
}

/// One question.
pub struct Question {
    pub quality: Vec<f64>,
    /// By reviewer; of one that failed there is none.
    pub ballots: Vec<Option<Ballot>>,
    /// The same reviewers, all reading in one order.
    pub in_one_order: Vec<Option<Ballot>>,
}

#[derive(Clone)]
pub struct Ballot {
    /// The answers, best first.
    pub ranking: Vec<usize>,
    /// The answers as they were read.
    pub order: Vec<usize>,
}

impl Question {
    pub fn best(&self) -> usize {
        (0..self.quality.len())
            .max_by(|a, b| self.quality[*a].total_cmp(&self.quality[*b]))
            .expect("there are answers")
    }
}

impl World {
    pub fn ask(&self, rng: &mut Rng) -> Question {
        let n = self.members;
        let quality: Vec<f64> = (0..n).map(|one| self.own.skill(one) + rng.normal()).collect();
        let seen = self.seen(&quality, rng);
        let mut labels: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut labels);
        let named: Vec<Label> = (0..n).map(Label::nth).collect();
        let orders: Vec<Vec<usize>> = order::orders(n, &named)
            .into_iter()
            .map(|order| {
                order
                    .iter()
                    .map(|label| labels[named.iter().position(|one| one == label).expect("a label")])
                    .collect()
            })
            .collect();
        let shared: Vec<f64> = (0..n).map(|_| rng.normal() * self.noise * self.shared.sqrt()).collect();
        let errors: Vec<Vec<f64>> = (0..n)
            .map(|_| {
                shared
                    .iter()
                    .map(|all| all + rng.normal() * self.noise * (1.0 - self.shared).sqrt())
                    .collect()
            })
            .collect();
        let mut reviewers: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut reviewers);
        let failed = &reviewers[..self.failed];
        let held = |orders: &dyn Fn(usize) -> Vec<usize>| -> Vec<Option<Ballot>> {
            let ballot = |reviewer| self.ballot(reviewer, &seen, &errors[reviewer], orders(reviewer));
            (0..n).map(|one| (!failed.contains(&one)).then(|| ballot(one))).collect()
        };
        Question {
            ballots: held(&|reviewer| orders[reviewer].clone()),
            in_one_order: held(&|_| orders[0].clone()),
            quality,
        }
    }

    /// The answers' quality without the part that nobody looks at: of a quality *q* that part is normal, with the mean
    /// *u q* and the variance *u (1 - u)*.
    fn seen(&self, quality: &[f64], rng: &mut Rng) -> Vec<f64> {
        // Nothing is drawn where the part is 0, so that the other worlds stay the same.
        if self.unnamed == 0.0 {
            return quality.to_vec();
        }
        let (part, rest) = (self.unnamed, 1.0 - self.unnamed);
        quality.iter().map(|all| all - part * all - (part * rest).sqrt() * rng.normal()).collect()
    }

    fn ballot(&self, reviewer: usize, quality: &[f64], errors: &[f64], order: Vec<usize>) -> Ballot {
        let last = (order.len() - 1) as f64;
        let score = |answer: usize| {
            let read =
                order.iter().position(|one| *one == answer).expect("every answer is read") as f64 / last;
            let own = if answer == reviewer { self.own.bonus(reviewer, quality.len()) } else { 0.0 };
            quality[answer] + errors[answer] + self.position * (1.0 - 2.0 * read) + own
        };
        let mut ranking: Vec<usize> = (0..quality.len()).collect();
        ranking.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
        if self.hostile && reviewer + 1 == quality.len() {
            ranking.reverse();
        }
        Ballot { ranking, order }
    }
}
