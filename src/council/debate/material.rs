//! What a speaker reads of the debate, cut to what fits into its context: the oldest and least relevant first,
//! with a note in its place, and never what it has to answer.

use super::statement::LeftOut;
use crate::council::pricing::tokens;
use crate::council::prompts::fence::Fence;

/// A part of what is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// What stands above it, as in `Rebuttal by Participant B`.
    pub title: String,
    pub text: String,
    /// Whose statement it is, in which round.
    pub source: LeftOut,
    pub need: Need,
}

/// How much a piece is needed, the least first. Of two that are needed alike the older one is left out first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The conversation before the question, and what is replaced by something later.
    Background,
    /// What others have said.
    Others,
    /// What the reader itself has said: shortened rather than left out.
    Own,
    /// What it has to answer: never touched.
    Whole,
}

/// The least that is left of a shortened text, in characters.
const SHORTEST: usize = 400;

/// These pieces between fences, in at most so many tokens where that can be, and what was left out for it.
#[must_use]
pub fn fit(fence: &Fence, pieces: &[Piece], budget: Option<u64>) -> (String, Vec<LeftOut>) {
    let mut shown: Vec<Shown<'_>> = pieces.iter().map(|piece| Shown { piece, keeps: None }).collect();
    if let Some(budget) = budget {
        leave_out(&mut shown, budget);
        shorten(&mut shown, budget);
    }
    let left_out = shown.iter().filter_map(Shown::left_out).collect();
    let text: Vec<String> = shown.iter().map(|one| one.text(fence)).collect();
    (text.join("\n\n"), left_out)
}

/// Takes out what is needed least, until the rest fits.
fn leave_out(shown: &mut [Shown<'_>], budget: u64) {
    let mut order: Vec<usize> = (0..shown.len()).collect();
    order.retain(|at| shown[*at].piece.need < Need::Own);
    order.sort_by_key(|at| (shown[*at].piece.need, shown[*at].piece.source.round_number));
    for at in order {
        if total(shown) <= budget {
            return;
        }
        shown[at].keeps = Some(0);
    }
}

/// Halves the longest text that may be cut, until all fits or nothing can be cut any more.
fn shorten(shown: &mut [Shown<'_>], budget: u64) {
    while total(shown) > budget {
        let may_be_cut = |one: &&mut Shown<'_>| one.piece.need == Need::Own && one.chars() >= 2 * SHORTEST;
        let Some(longest) = shown.iter_mut().filter(may_be_cut).max_by_key(|one| one.chars()) else { return };
        longest.keeps = Some(longest.chars() / 2);
    }
}

fn total(shown: &[Shown<'_>]) -> u64 {
    shown.iter().map(Shown::tokens).sum()
}

/// A piece, and how many of its characters are kept.
struct Shown<'p> {
    piece: &'p Piece,
    keeps: Option<usize>,
}

impl Shown<'_> {
    fn chars(&self) -> usize {
        self.keeps.unwrap_or_else(|| self.piece.text.chars().count())
    }

    fn tokens(&self) -> u64 {
        let whole = tokens(&self.piece.text);
        let Some(keeps) = self.keeps else { return whole };
        let chars = self.piece.text.chars().count().max(1) as u64;
        whole * keeps as u64 / chars
    }

    fn left_out(&self) -> Option<LeftOut> {
        self.keeps.map(|keeps| LeftOut { shortened: keeps > 0, ..self.piece.source.clone() })
    }

    fn text(&self, fence: &Fence) -> String {
        let Piece { title, text, .. } = self.piece;
        match self.keeps {
            None => fence.wrap(title, text),
            Some(0) => format!("[{title}: left out, since it would not fit into your context]"),
            Some(keeps) => {
                let chars: Vec<char> = text.chars().collect();
                let (head, tail) = (keeps.div_ceil(2), keeps / 2);
                let beginning: String = chars.iter().take(head).collect();
                let end: String = chars.iter().skip(chars.len() - tail).collect();
                let cut = "[… the middle is left out, since it would not fit into your context …]";
                fence.wrap(title, &format!("{beginning}\n\n{cut}\n\n{end}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn piece(title: &str, round_number: u32, need: Need, words: usize) -> Piece {
        let source = LeftOut { label: Some(title.into()), round_number, shortened: false };
        Piece { title: title.into(), text: "word ".repeat(words), source, need }
    }

    fn left_out(pieces: &[Piece], budget: u64) -> Vec<(String, bool)> {
        let (_, left_out) = fit(&Fence::new("5f1e90c2"), pieces, Some(budget));
        left_out.into_iter().map(|out| (out.label.unwrap(), out.shortened)).collect()
    }

    #[test]
    fn the_oldest_and_least_relevant_goes_first_and_what_must_be_answered_stays() {
        let pieces = [
            piece("history", 0, Need::Background, 300),
            piece("B1", 1, Need::Others, 300),
            piece("B2", 2, Need::Others, 300),
            piece("mine", 1, Need::Own, 300),
            piece("critique", 2, Need::Whole, 300),
        ];
        let one = tokens(&pieces[0].text);
        assert_eq!(left_out(&pieces, 5 * one), []);
        assert_eq!(left_out(&pieces, 4 * one), [("history".into(), false)]);
        assert_eq!(left_out(&pieces, 3 * one), [("history".into(), false), ("B1".into(), false)]);
        let own = ("mine".to_owned(), true);
        let others = ["history", "B1", "B2"].map(|name| (name.to_owned(), false));
        assert_eq!(left_out(&pieces, 2 * one - 1), [others.to_vec(), vec![own.clone()]].concat());
        assert_eq!(left_out(&pieces, 1), [others.to_vec(), vec![own]].concat(), "nothing more can be cut");
        let (text, _) = fit(&Fence::new("5f1e90c2"), &pieces, Some(1));
        assert!(text.contains(&pieces[4].text), "the critique is whole");
        assert!(text.contains("[B1: left out") && text.contains("the middle is left out"), "{text}");
    }

    proptest! {
        #[test]
        fn what_fits_is_whole_and_what_is_cut_is_said(sizes in prop::collection::vec((0..4_u8, 0..400_usize), 0..8), budget in 0..2000_u64) {
            let needs = [Need::Background, Need::Others, Need::Own, Need::Whole];
            let pieces: Vec<Piece> = sizes
                .iter()
                .enumerate()
                .map(|(at, (need, words))| piece(&format!("p{at}"), 1, needs[usize::from(*need)], *words))
                .collect();
            let (text, out) = fit(&Fence::new("5f1e90c2"), &pieces, Some(budget));
            let whole: u64 = pieces.iter().map(|piece| tokens(&piece.text)).sum();
            prop_assert_eq!(out.is_empty(), whole <= budget || pieces.iter().all(|piece| {
                piece.need == Need::Whole || piece.need == Need::Own && piece.text.chars().count() < 2 * SHORTEST
            }));
            for piece in pieces.iter().filter(|piece| piece.need == Need::Whole) {
                prop_assert!(text.contains(piece.text.trim()));
            }
        }
    }
}
