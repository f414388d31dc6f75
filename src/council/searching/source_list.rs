//! The sources that are stored with a message: a fold over whatever its events tell of them.

use super::source::Source;

/// Takes these in, each once, in the order of their numbers.
pub fn keep(known: &mut Vec<Source>, found: &[Source]) {
    for source in found {
        if let Err(place) = known.binary_search_by_key(&source.n, |known| known.n) {
            known.insert(place, source.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_kept_once_by_its_number() {
        let of = |n| Source { n, ..Source::default() };
        let mut known = vec![of(2)];
        keep(&mut known, &[of(3), of(1), of(2)]);
        assert_eq!(known.iter().map(|source| source.n).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
