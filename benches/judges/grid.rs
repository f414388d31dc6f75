//! The cells: for every kind of self-preference, one thing at a time differs from the default.

use crate::methods::{Learned, Method, hits};
use crate::rng::Rng;
use crate::world::{Own, World};

/// How many questions one ledger serves before another is drawn.
const PER_LEDGER: usize = 100;
/// The same for every cell and method.
const SEED: u64 = 20_261_122;

pub struct Cell {
    pub name: String,
    pub world: World,
}

pub fn cells() -> Vec<Cell> {
    let mut cells = Vec::new();
    for own in Own::ALL {
        let usual = World { own, ..World::USUAL };
        let mut add = |name: &str, world: World| cells.push(Cell { name: name.to_owned(), world });
        add("usual", usual);
        for members in [3, 5, 6, 7] {
            add(&format!("{members} members"), World { members, ..usual });
        }
        for noise in [1.0, 3.0] {
            add(&format!("noise {noise}"), World { noise, ..usual });
        }
        for position in [0.0, 0.6, 1.5] {
            add(&format!("position {position}"), World { position, ..usual });
        }
        for failed in [1, 2] {
            add(&format!("{failed} reviewers failed"), World { failed, ..usual });
        }
        for shared in [0.3, 0.6] {
            add(&format!("{shared} of the errors shared"), World { shared, ..usual });
        }
        add("one hostile", World { hostile: true, ..usual });
    }
    cells
}

/// How often each method found the best answer, question by question.
pub struct Results {
    hits: Vec<[f64; Method::ALL.len()]>,
}

/// A share or a difference, in percent, with its standard error.
#[derive(Debug, Clone, Copy)]
pub struct Estimate {
    pub value: f64,
    pub error: f64,
}

impl Results {
    pub fn of(world: &World, questions: usize) -> Self {
        let mut rng = Rng::new(SEED);
        let mut ledgers = Rng::new(SEED + 1);
        let mut learned = Learned::from(world, &mut ledgers);
        let hits = (0..questions)
            .map(|number| {
                if number > 0 && number % PER_LEDGER == 0 {
                    learned = Learned::from(world, &mut ledgers);
                }
                hits(&world.ask(&mut rng), &learned)
            })
            .collect();
        Self { hits }
    }

    pub fn share(&self, method: Method) -> Estimate {
        estimate(self.hits.iter().map(|hits| hits[place(method)]))
    }

    /// How much more often the first method finds it than the second.
    pub fn difference(&self, one: Method, other: Method) -> Estimate {
        estimate(self.hits.iter().map(|hits| hits[place(one)] - hits[place(other)]))
    }
}

fn place(method: Method) -> usize {
    Method::ALL.iter().position(|one| *one == method).expect("every method is listed")
}

fn estimate(values: impl Iterator<Item = f64> + Clone) -> Estimate {
    let n = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / n;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Estimate { value: 100.0 * mean, error: 100.0 * (variance / n).sqrt() }
}
