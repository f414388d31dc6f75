//! Whether "x % that this one is best" is true x % of the time.

use llm_council::council::ranking::self_votes::SelfVotes;

use crate::methods::{Learned, count};
use crate::rng::Rng;
use crate::world::World;

/// The stated probabilities between two bounds, and how often they were right.
#[derive(Default)]
pub struct Bin {
    pub questions: usize,
    pub said: f64,
    pub right: f64,
}

/// Five bins from 0 to 1, and the mean worth of the ballots.
pub fn bins(world: &World, questions: usize) -> ([Bin; 5], f64) {
    let (mut rng, mut ledgers) = (Rng::new(7), Rng::new(8));
    let learned = Learned::from(world, &mut ledgers);
    let mut bins: [Bin; 5] = std::array::from_fn(|_| Bin::default());
    let mut worth = 0.0;
    for _ in 0..questions {
        let question = world.ask(&mut rng);
        let counted = count(&question.ballots, SelfVotes::Adjusted, &learned.after_30);
        let certainty = counted.facts.certainty.as_ref().expect("there are ballots");
        let first = &counted.rows[0].label;
        let right = *first == llm_council::council::ranking::label::Label::nth(question.best()).to_string();
        let bin = &mut bins[((certainty.first_is_best * 5.0) as usize).min(4)];
        bin.questions += 1;
        bin.said += certainty.first_is_best;
        bin.right += f64::from(u8::from(right));
        worth += certainty.worth;
    }
    (bins, worth / questions as f64)
}
