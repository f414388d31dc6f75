//! What looking by signatures misses: how often the one that is nearest by its vector is not among those that are nearest by
//! their signatures. Over random vectors with one at a known angle among 1,000 others, and over the list of pairs with the
//! hash method.

use llm_council::cache::hash_embedding;
use llm_council::cache::vector::{Needle, encode, signature};
use llm_council::store::cache::NEAREST;

use super::random::Random;

const PAIRS: &str = include_str!("../../src/cache/pairs.tsv");
const OTHERS: usize = 1_000;
/// Questions of each kind.
const QUESTIONS: usize = 200;
const COSINES: [f64; 5] = [0.85, 0.90, 0.92, 0.95, 0.99];
/// How near the others are to each other: not at all, and as near as vectors of models, which have much in common.
const COMMON: [f64; 2] = [0.0, 0.5];

fn dot(one: &[f32], other: &[f32]) -> f64 {
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = dot(vector, vector).sqrt();
    vector.iter().map(|x| (f64::from(*x) / length) as f32).collect()
}

/// The sum of two vectors of length 1, with these weights.
fn mixed(one: &[f32], share: f64, other: &[f32], rest: f64) -> Vec<f32> {
    one.iter().zip(other).map(|(a, b)| (f64::from(*a) * share + f64::from(*b) * rest) as f32).collect()
}

/// A vector at this cosine with another one of length 1.
fn at(cosine: f64, vector: &[f32], random: &mut Random) -> Vec<f32> {
    let other = random.vector(vector.len());
    let across = unit(&mixed(&other, 1.0, vector, -dot(&other, vector)));
    mixed(vector, cosine, &across, (1.0 - cosine * cosine).sqrt())
}

/// How many of these are nearer by their signatures.
fn nearer(bits: &[Vec<u8>], wanted: &[u8], place: usize) -> usize {
    let differ = |it: &[u8]| it.iter().zip(wanted).filter(|(a, b)| a != b).count();
    let here = differ(&bits[place]);
    bits.iter().enumerate().filter(|(at, it)| *at != place && differ(it) <= here).count()
}

fn bits(vector: &[f32]) -> Vec<u8> {
    signature(&encode(vector).expect("it is a vector")).expect("it is a vector").into_bytes()
}

fn row(what: &str, places: &[usize]) {
    let found = places.iter().filter(|place| (**place as i64) < NEAREST).count();
    let worst = places.iter().max().map_or(0, |place| place + 1);
    println!("{what:<62} {:>8} {:>8} {worst:>8}", places.len(), found);
}

/// Prints how many of the nearest are among those that are compared, and at which place the worst of them is.
pub fn print() -> anyhow::Result<()> {
    println!(
        "\n{:<62} {:>8} {:>8} {:>8}",
        format!("of those compared, {NEAREST} by their signatures"),
        "asked",
        "found",
        "worst"
    );
    let mut random = Random::new(2);
    for dimension in [1_536, hash_embedding::DIMENSION] {
        for common in COMMON {
            let middle = unit(&random.vector(dimension));
            let mut like_all = || at(f64::sqrt(common), &middle, &mut random);
            let others: Vec<Vec<u8>> = (0..OTHERS).map(|_| bits(&like_all())).collect();
            let questions: Vec<Vec<f32>> = (0..QUESTIONS).map(|_| unit(&like_all())).collect();
            for cosine in COSINES {
                let place = |question: &Vec<f32>| {
                    let mut all = others.clone();
                    all.push(bits(&at(cosine, question, &mut random)));
                    nearer(&all, &bits(question), OTHERS)
                };
                let places: Vec<usize> = questions.iter().map(place).collect();
                row(
                    &format!("{dimension} components, at {cosine}, others at {common} among each other"),
                    &places,
                );
            }
        }
    }
    let texts: Vec<String> = PAIRS
        .lines()
        .flat_map(|line| line.split('\t').skip(2).map(|text| text.replace("\\n", "\n")).collect::<Vec<_>>())
        .collect();
    let vectors: Vec<Vec<f32>> = texts.iter().map(|text| hash_embedding::embed(text)).collect();
    let all: Vec<Vec<u8>> = vectors.iter().map(|vector| bits(vector)).collect();
    for threshold in [0.5, 0.85, 0.92] {
        let mut places = Vec::new();
        for (at, vector) in vectors.iter().enumerate() {
            let needle = Needle::new(vector).expect("a text has a vector");
            let pair = at ^ 1;
            let cosine = encode(&vectors[pair]).and_then(|it| needle.cosine(&it)).unwrap_or(-1.0);
            if f64::from(cosine) >= threshold {
                places.push(nearer(&all, &all[at], pair));
            }
        }
        row(&format!("pairs of the list from {threshold} on, hash method"), &places);
        if threshold >= 0.85 {
            anyhow::ensure!(
                places.iter().all(|place| (*place as i64) < NEAREST),
                "a pair of the list is lost"
            );
        }
    }
    Ok(())
}
