use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::council::ranking::label::Label;
use crate::council::ranking::records::{ReviewerRecord, ReviewerRecords, Tally};

static NOTHING: LazyLock<ReviewerRecords> = LazyLock::new(ReviewerRecords::default);
static OUT: LazyLock<Settings<'static>> = LazyLock::new(|| settings(SelfVotes::LeftOut, &NOTHING));
static IN: LazyLock<Settings<'static>> = LazyLock::new(|| settings(SelfVotes::Counted, &NOTHING));

fn settings(self_votes: SelfVotes, records: &ReviewerRecords) -> Settings<'_> {
    Settings { self_votes, records, weights_on: false }
}

/// Candidates a, b, c… of makers `a`, `b`, `c`…
fn council(size: usize) -> Vec<Candidate> {
    ('a'..)
        .take(size)
        .enumerate()
        .map(|(n, name)| candidate(n, &format!("{name}/model"), &name.to_string()))
        .collect()
}

fn candidate(n: usize, model: &str, member: &str) -> Candidate {
    Candidate { label: Label::nth(n), model: model.to_owned(), member: member.to_owned() }
}

/// `vote("a", "CAB")`: a puts Response C first; brackets tie.
fn vote(member: &str, order: &str) -> Vote {
    let mut tiers: Vec<Vec<Label>> = Vec::new();
    let mut tied = false;
    for c in order.chars() {
        match (c, Label::of_letter(c)) {
            ('(', _) => {
                tiers.push(Vec::new());
                tied = true;
            }
            (_, Some(label)) if tied => tiers.last_mut().unwrap().push(label),
            (_, Some(label)) => tiers.push(vec![label]),
            (_, None) => tied = false,
        }
    }
    Vote {
        model: format!("{member}/model"),
        member: member.to_owned(),
        counted_as: format!("{member}/model"),
        tiers,
        order_shown: Vec::new(),
        weight: 1.0,
    }
}

fn members(aggregate: &Aggregate) -> Vec<&str> {
    aggregate.rows.iter().map(|row| row.member.as_str()).collect()
}

/// Worked by hand. Everyone puts itself first, and then agrees on a, b, c.
#[test]
fn self_votes_left_out_change_the_table_and_are_still_shown() {
    let votes = [vote("a", "ABC"), vote("b", "BAC"), vote("c", "CAB")];
    let out = aggregate(&council(3), &votes, *OUT);
    // Without self-votes: a is first twice (1), b is 1st once and 2nd once (½), c last twice (0).
    assert_eq!(members(&out), ["a", "b", "c"]);
    assert_eq!(out.rows.iter().map(|row| row.borda).collect::<Vec<_>>(), [Some(1.0), Some(0.5), Some(0.0)]);
    assert_eq!(out.rows[0].average_rank.to_bits(), 1.0_f64.to_bits());
    assert_eq!(out.rows[0].rankings_count, 2);
    assert_eq!((out.rows[2].self_rank, out.rows[2].peer_rank), (Some(1.0), Some(3.0)));
    assert_eq!(out.facts.winner.as_deref(), Some("a"));
    assert!(!out.facts.count_self_votes);

    // With them: a 1, 2, 2; b 2, 1, 3; c 3, 3, 1.
    let counted = aggregate(&council(3), &votes, *IN);
    let averages: Vec<f64> = counted.rows.iter().map(|row| row.average_rank).collect();
    assert_eq!(averages, [1.67, 2.0, 2.33]);
    assert_eq!(counted.rows[0].rankings_count, 3);
    assert!(counted.facts.count_self_votes);
}

/// What is known of a/model: `own` fractions over so many ballots that the prior says nothing any more.
fn known(own: f64, position: f64) -> ReviewerRecords {
    let tally = |value: f64| Tally { count: 1_000_000, sum: value * 1e6 };
    let record = ReviewerRecord { own: tally(own), position: tally(position) };
    ReviewerRecords { user: [("a/model".to_owned(), record)].into(), ..ReviewerRecords::default() }
}

/// Worked by hand. Everyone puts itself first; a is known to place itself half of the ranking too high: its own vote
/// counts as 1 + ½·2 = 2. a: 2, 2, 2; b: 2, 1, 3; c: 3, 3, 1.
#[test]
fn an_own_vote_counts_as_much_as_its_author_has_earned() {
    let votes = [vote("a", "ABC"), vote("b", "BAC"), vote("c", "CAB")];
    let records = known(0.5, 0.0);
    let adjusted = aggregate(&council(3), &votes, settings(SelfVotes::Adjusted, &records));
    let averages: Vec<f64> = adjusted.rows.iter().map(|row| row.average_rank).collect();
    assert_eq!(averages, [2.0, 2.0, 2.33]);
    assert_eq!(adjusted.rows[0].uncorrected_rank, Some(1.67));
    assert!(
        adjusted.facts.count_self_votes && adjusted.facts.winner.is_none(),
        "a and b share the first place"
    );
    let correction = &adjusted.facts.corrections[0];
    assert_eq!(
        (correction.place, correction.counted_place, correction.preference, correction.ballots),
        (1.0, 2.0, 1.0, 1_000_000)
    );
    assert_eq!(adjusted.facts.corrections.len(), 1, "of the others nothing is known");
}

/// Worked by hand. Two put c before a before b, and a itself first; a's own vote counts as the last place, 1 + 1·2 = 3. Counted, a
/// has 1, 2, 2 and c 3, 1, 1: the same. Corrected, a has 3, 2, 2 and falls behind.
#[test]
fn a_correction_that_changes_the_order_says_what_it_was() {
    let votes = [vote("a", "ABC"), vote("b", "CAB"), vote("c", "CAB")];
    let counted = aggregate(&council(3), &votes, *IN);
    assert_eq!(counted.facts.winner, None);
    let records = known(1.0, 0.0);
    let adjusted = aggregate(&council(3), &votes, settings(SelfVotes::Adjusted, &records));
    assert_eq!(adjusted.facts.winner.as_deref(), Some("c"));
    assert_eq!(adjusted.facts.order_without_corrections, ["a", "c", "b"]);
}

/// Ballots that tie all answers go on to, however little is known: 0.2 of the ranking is 0.4 places, which rounds to 0.
#[test]
fn a_small_correction_breaks_no_tie() {
    let votes = [vote("a", "(ABC)"), vote("b", "(ABC)"), vote("c", "(ABC)")];
    let records = known(0.2, 0.0);
    let result = aggregate(&council(3), &votes, settings(SelfVotes::Adjusted, &records));
    let firsts: Vec<f64> = result.rows.iter().map(|row| row.first_place_votes).collect();
    assert_eq!(firsts, [1.0; 3]);
    let level = |result: &Aggregate| result.facts.level_without_corrections.clone();
    assert_eq!(level(&result), ["b", "c", "a"], "the averages do not");
    assert!(level(&aggregate(&council(3), &votes, *IN)).is_empty(), "nothing is corrected");
    let clear = [vote("a", "ABC"), vote("b", "ABC"), vote("c", "ABC")];
    assert!(level(&aggregate(&council(3), &clear, settings(SelfVotes::Adjusted, &records))).is_empty());
    assert_eq!(result.facts.condorcet_winner, None);
    let averages: Vec<f64> = result.rows.iter().map(|row| row.average_rank).collect();
    assert_eq!(averages, [2.0, 2.0, 2.13], "the means tell it");
}

/// Worked by hand. Of three reviewers only a has answered, in the order A, B, C; it is known to place what it reads last half a
/// ranking too low: A, read first, moves down by ½·½·2 = ½, C up as far. 1.5, 2, 2.5.
#[test]
fn an_unbalanced_order_of_reading_is_taken_out() {
    let read = |vote: Vote| Vote { order_shown: (0..3).map(Label::nth).collect(), ..vote };
    let records = known(0.0, 0.5);
    let result = aggregate(&council(3), &[read(vote("a", "ABC"))], settings(SelfVotes::Adjusted, &records));
    let averages: Vec<f64> = result.rows.iter().map(|row| row.average_rank).collect();
    assert_eq!(averages, [1.5, 2.0, 2.5]);
    assert!(result.facts.position_corrected);
    let as_cast = aggregate(&council(3), &[read(vote("a", "ABC"))], settings(SelfVotes::Counted, &records));
    assert!(!as_cast.facts.position_corrected);
    assert_eq!(as_cast.rows[0].uncorrected_rank, None);
}

/// Worked by hand. Its own answer, which it read first, is moved by 0.4 places for its preference and by 0.5 for the reading
/// order: in the mean it counts as 1.9. Where only the order matters 0.4 rounds to nothing, and nothing else is moved.
#[test]
fn only_the_preference_moves_an_own_vote_where_the_order_matters() {
    let cast = Vote { order_shown: (0..3).map(Label::nth).collect(), ..vote("a", "ABC") };
    let records = known(0.2, 0.5);
    let result = aggregate(&council(3), &[cast], settings(SelfVotes::Adjusted, &records));
    assert_eq!(result.facts.corrections[0].counted_place.to_bits(), 1.9_f64.to_bits());
    assert_eq!(result.rows[0].first_place_votes.to_bits(), 1.0_f64.to_bits());
    assert_eq!(result.facts.own_place("a", 3), OwnPlace::Moved(0.0));
    assert_eq!(result.facts.own_place("b", 3), OwnPlace::AsCast);
}

/// Two reviewers who read in mirrored orders need no correction.
#[test]
fn a_balanced_order_of_reading_is_left_alone() {
    let votes: Vec<Vote> = [("a", [0, 1, 2]), ("b", [2, 1, 0])]
        .map(|(member, order)| Vote { order_shown: order.map(Label::nth).to_vec(), ..vote(member, "ABC") })
        .into();
    let records = known(0.0, 0.5);
    let result = aggregate(&council(3), &votes, settings(SelfVotes::Adjusted, &records));
    assert!(!result.facts.position_corrected && result.facts.corrections.is_empty());
}

#[test]
fn two_answers_always_count_self_votes() {
    let both = aggregate(&council(2), &[vote("a", "AB"), vote("b", "AB")], *OUT);
    assert!(both.facts.count_self_votes);
    assert_eq!(both.facts.winner.as_deref(), Some("a"));
    assert_eq!(both.rows[0].rankings_count, 2);
}

#[test]
fn an_abstention_is_counted_as_such_and_as_nothing_else() {
    let votes = [vote("a", "BC"), vote("b", ""), vote("c", "BA")];
    let result = aggregate(&council(3), &votes, *OUT);
    assert_eq!((result.facts.ballots, result.facts.abstentions), (2, 1));
    assert_eq!(result.rows[0].member, "b");
    assert_eq!(result.rows[0].rankings_count, 2);
}

#[test]
fn no_ballot_is_no_winner_and_no_tie() {
    let result = aggregate(&council(3), &[vote("a", ""), vote("b", "")], *OUT);
    assert!(result.rows.is_empty(), "a place that nobody gave would be invented");
    assert_eq!(result.facts.unplaced, ["a", "b", "c"]);
    assert_eq!((result.facts.winner, result.facts.winner_is_tie), (None, false));
    assert_eq!((result.facts.condorcet_winner, result.facts.kemeny_order), (None, Vec::new()));
    assert_eq!(result.facts.agreement, None);
}

#[test]
fn an_answer_that_nobody_places_is_named_apart() {
    let result = aggregate(&council(3), &[vote("a", "BA"), vote("b", "AB")], *OUT);
    assert_eq!(members(&result), ["a", "b"]);
    assert_eq!(result.facts.unplaced, ["c"]);
}

/// Worked by hand. Three of four leave d out, and its author puts it first: where it is placed at all, its place is 1. What is left
/// out is last, so the scores are: a 1, 2/3, 1, 2/3; b 2/3, 1, 2/3, 0; c 1/3 each time; d 0, 0, 0, 1.
#[test]
fn an_answer_that_most_ballots_leave_out_does_not_win_by_the_one_that_names_it() {
    let mut votes = [vote("a", "ABC"), vote("b", "BAC"), vote("c", "ABC"), vote("d", "DACB")];
    for settings in [*IN, settings(SelfVotes::Adjusted, &NOTHING)] {
        let result = aggregate(&council(4), &votes, settings);
        assert_eq!(members(&result), ["a", "b", "c", "d"]);
        let bordas: Vec<_> = result.rows.iter().map(|row| row.borda).collect();
        assert_eq!(bordas, [Some(0.8333), Some(0.5833), Some(0.3333), Some(0.25)]);
        assert_eq!(result.rows.iter().map(|row| row.place).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!((result.rows[3].average_rank, result.rows[3].rankings_count), (1.0, 1));
        assert_eq!(result.facts.winner.as_deref(), Some("a"));
        assert_eq!(result.facts.methods_disagree, None);
    }
    // d's ballot weighs 2, the others a half: a (½ + ⅓ + ½ + 4/3) / 3.5 = 0.7619, d 2 / 3.5 = 0.5714.
    for vote in &mut votes {
        vote.weight = if vote.member == "d" { 2.0 } else { 0.5 };
    }
    let weighted = aggregate(&council(4), &votes, Settings { weights_on: true, ..*IN });
    assert_eq!(weighted.facts.winner.as_deref(), Some("a"));
    assert_eq!(weighted.rows[0].weighted_borda, Some(0.7619));
}

#[test]
fn where_ballots_leave_answers_out_the_score_is_named_as_what_the_order_goes_by() {
    // Three say A B and leave out C, two say B C A. a: 1, 1, 1, 0, 0; b: ½, ½, ½, 1, 1.
    let mut votes: Vec<Vote> = ["v", "w", "x"].map(|name| vote(name, "AB")).into();
    votes.extend(["y", "z"].map(|name| vote(name, "BCA")));
    let result = aggregate(&council(3), &votes, *IN);
    assert_eq!(result.facts.winner.as_deref(), Some("b"));
    let disagree = result.facts.methods_disagree.unwrap();
    assert!(disagree.starts_with("The methods disagree: the Borda score puts b first,"), "{disagree}");
}

#[test]
fn an_exact_tie_has_no_winner() {
    let result = aggregate(&council(2), &[vote("a", "AB"), vote("b", "BA")], *OUT);
    assert_eq!((result.facts.winner, result.facts.winner_is_tie), (None, true));
}

#[test]
fn those_that_share_a_place_have_the_same_and_the_next_is_as_many_further() {
    // a and b are each first and second once, c and d third and fourth.
    let tied = aggregate(&council(4), &[vote("x", "ABCD"), vote("y", "BADC")], *IN);
    assert_eq!(tied.rows.iter().map(|row| row.place).collect::<Vec<_>>(), [1, 1, 3, 3]);
    let clear = aggregate(&council(3), &[vote("x", "CAB"), vote("y", "CAB")], *OUT);
    assert_eq!(clear.rows.iter().map(|row| row.place).collect::<Vec<_>>(), [1, 2, 3]);
    // c is placed by nobody: it has no row, and stands behind nobody's.
    let two = aggregate(&council(3), &[vote("a", "BA"), vote("b", "AB")], *IN);
    assert_eq!(two.rows.iter().map(|row| row.place).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_winner_that_hangs_on_one_ballot_is_a_tie_and_says_on_which() {
    // By places: a 1 1 2, b 2 2 1: without either of the first two there is a draw.
    let votes = [vote("x", "AB"), vote("y", "AB"), vote("z", "BA")];
    let result = aggregate(&council(2), &votes, *IN);
    assert_eq!(result.facts.winner.as_deref(), Some("a"));
    assert!(result.facts.winner_is_tie);
    assert_eq!(result.facts.winner_depends_on, ["x", "y"]);

    let sure = [vote("w", "AB"), vote("x", "AB"), vote("y", "AB"), vote("z", "BA")];
    let result = aggregate(&council(2), &sure, *IN);
    assert!(!result.facts.winner_is_tie, "{:?}", result.facts);
}

#[test]
fn methods_that_disagree_are_said_in_a_sentence() {
    // Three say A B C, two say B C A: by average B leads, one against one A does.
    let mut votes: Vec<Vote> = ["v", "w", "x"].map(|name| vote(name, "ABC")).into();
    votes.extend(["y", "z"].map(|name| vote(name, "BCA")));
    let result = aggregate(&council(3), &votes, *IN);
    assert_eq!(result.facts.winner.as_deref(), Some("b"));
    assert_eq!(result.facts.condorcet_winner.as_deref(), Some("a"));
    assert_eq!(
        result.facts.methods_disagree.as_deref(),
        Some(
            "The methods disagree: the average rank puts b first, the most first places went to a, the \
             winner of every single comparison is a, the Kemeny order begins with a."
        )
    );
}

#[test]
fn votes_within_a_family_are_marked() {
    let council =
        [candidate(0, "maker/one", "one"), candidate(1, "maker/two", "two"), candidate(2, "other/x", "x")];
    let reviewer =
        |model: &str, member: &str, order: &str| Vote { model: model.to_owned(), ..vote(member, order) };
    let votes = [
        reviewer("maker/one", "one", "BCA"),
        reviewer("maker/two", "two", "BAC"),
        reviewer("other/x", "x", "BAC"),
    ];
    let result = aggregate(&council, &votes, *OUT);
    assert_eq!(result.rows[0].member, "two");
    assert_eq!(result.rows[0].same_family_votes, 1, "one's; two's own is a self-vote and x is a stranger");
}

#[test]
fn weights_make_the_order_and_say_what_they_changed() {
    let mut votes = [vote("x", "AB"), vote("y", "AB"), vote("z", "BA")];
    votes[2].weight = 5.0;
    let result = aggregate(&council(2), &votes, Settings { weights_on: true, ..*IN });
    assert_eq!(members(&result), ["b", "a"]);
    assert_eq!((result.rows[0].rank_change, result.rows[1].rank_change), (1, -1));
    assert_eq!((result.rows[0].average_rank, result.rows[0].weighted_average_rank), (1.67, 1.29));
    assert!(result.rows.iter().all(|row| row.weights_applied));
}

/// Worked by hand: three of four answers judged by each, self-votes left out.
#[test]
fn without_self_votes_the_weighted_borda_score_makes_the_order() {
    // What each says of the three others.
    let mut votes = [vote("a", "CBD"), vote("b", "ACD"), vote("c", "BAD"), vote("d", "CAB")];
    let plain = aggregate(&council(4), &votes, *OUT);
    // Each ballot judges three: 1, a half, 0. a: 1, ½, ½ = 2/3. b: ½, 1, 0 = 1/2. c: 1, ½, 1 = 5/6. d: 0.
    assert_eq!(members(&plain), ["c", "a", "b", "d"]);
    let bordas: Vec<_> = plain.rows.iter().map(|row| row.borda).collect();
    assert_eq!(bordas, [Some(0.8333), Some(0.6667), Some(0.5), Some(0.0)]);
    assert!(plain.rows.iter().all(|row| !row.weights_applied && row.rank_change == 0));

    // c's ballot weighs 2.5, the others 0.5: a (½ + 1·… by b ½·1, c 2.5·½, d ½·½) = 2.0 / 3.5 = 0.5714;
    // b (a ½·½, c 2.5·1, d 0) = 2.75 / 3.5 = 0.7857; c (a ½·1, b ½·½, d ½·1) = 1.25 / 1.5 = 0.8333.
    for vote in &mut votes {
        vote.weight = if vote.member == "c" { 2.5 } else { 0.5 };
    }
    let weighted = aggregate(&council(4), &votes, Settings { weights_on: true, ..*OUT });
    assert_eq!(members(&weighted), ["c", "b", "a", "d"]);
    let bordas: Vec<_> = weighted.rows.iter().map(|row| row.weighted_borda).collect();
    assert_eq!(bordas, [Some(0.8333), Some(0.7857), Some(0.5714), Some(0.0)]);
    assert_eq!(weighted.rows.iter().map(|row| row.rank_change).collect::<Vec<_>>(), [0, 1, -1, 0]);
    assert_eq!(weighted.rows.iter().map(|row| row.place).collect::<Vec<_>>(), [1, 2, 3, 4]);
    // b's average by weights: 2nd of a (½), 1st of c (2.5), 3rd of d (½): (1 + 2.5 + 1.5) / 3.5 = 1.43.
    assert_eq!((weighted.rows[1].average_rank, weighted.rows[1].weighted_average_rank), (2.0, 1.43));
    assert!(weighted.rows.iter().all(|row| row.weights_applied && row.voters == 3));
}

#[test]
fn weights_that_are_all_the_same_are_not_applied() {
    let mut votes = [vote("a", "ABC"), vote("b", "BAC"), vote("c", "CAB")];
    for vote in &mut votes {
        vote.weight = 1.7;
    }
    for settings in [*IN, *OUT] {
        let weighted = aggregate(&council(3), &votes, Settings { weights_on: true, ..settings });
        assert_eq!(weighted, aggregate(&council(3), &votes, settings));
        assert!(weighted.rows.iter().all(|row| !row.weights_applied));
    }
    // Whoever cast no ballot weighs nothing.
    votes[2] = Vote { weight: 9.0, ..vote("c", "") };
    let weighted = aggregate(&council(3), &votes, Settings { weights_on: true, ..*IN });
    assert!(weighted.rows.iter().all(|row| !row.weights_applied));
}

#[test]
fn who_shared_a_place_does_not_lose_it_to_the_order_of_labels() {
    // a and b share the first place; b's supporter weighs more, so b stays first and a falls behind it.
    let mut votes = [vote("x", "ABC"), vote("y", "BAC")];
    votes[1].weight = 1.5;
    let result = aggregate(&council(3), &votes, Settings { weights_on: true, ..*IN });
    assert_eq!(members(&result), ["b", "a", "c"]);
    assert_eq!(result.rows.iter().map(|row| row.rank_change).collect::<Vec<_>>(), [0, -1, 0]);
    assert_eq!(result.facts.winner.as_deref(), Some("b"));
}

#[test]
fn weights_that_balance_leave_a_tie() {
    // 1.2 + 0.8 say A B, 2.0 says B A: 1.5 each.
    let mut votes = [vote("x", "AB"), vote("y", "AB"), vote("z", "BA")];
    for (vote, weight) in votes.iter_mut().zip([1.2, 0.8, 2.0]) {
        vote.weight = weight;
    }
    let result = aggregate(&council(2), &votes, Settings { weights_on: true, ..*IN });
    assert_eq!(result.facts.winner, None);
    assert!(result.facts.winner_is_tie);
    assert_eq!(result.rows.iter().map(|row| row.place).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn two_seats_of_one_model_are_two_candidates() {
    let council =
        [candidate(0, "m/one", "first"), candidate(1, "m/one", "second"), candidate(2, "m/two", "third")];
    let result = aggregate(&council, &[Vote { model: "m/one".into(), ..vote("first", "BCA") }], *OUT);
    assert_eq!(members(&result), ["second", "third"]);
    assert_eq!(result.rows[0].same_family_votes, 1);
}

fn any_vote(candidates: usize) -> impl Strategy<Value = Vec<Vec<Label>>> {
    let labels: Vec<Label> = (0..candidates).map(Label::nth).collect();
    (Just(labels).prop_shuffle(), 0..=candidates)
        .prop_map(|(labels, kept)| labels.into_iter().take(kept).map(|label| vec![label]).collect())
}

proptest! {
    /// The labels are only names: permuting them permutes nothing but the names.
    #[test]
    fn relabelling_does_not_change_who_wins(ballots in proptest::collection::vec(any_vote(4), 0..6), shift in 0_usize..4) {
        let votes = |shift: usize| -> Vec<Vote> {
            ballots.iter().enumerate().map(|(n, tiers)| {
                let moved = |label: &Label| Label::nth((usize::from(u8::try_from(label.to_string().chars().last().unwrap()).unwrap() - b'A') + shift) % 4);
                let tiers = tiers.iter().map(|tier| tier.iter().map(moved).collect()).collect();
                Vote { tiers, ..vote(&format!("{}", char::from(b'a' + u8::try_from(n).unwrap())), "") }
            }).collect()
        };
        let council = council(4);
        let mut moved = council.clone();
        for (n, one) in moved.iter_mut().enumerate() {
            one.label = Label::nth((n + shift) % 4);
        }
        for settings in [*IN, *OUT] {
            let before = aggregate(&council, &votes(0), settings);
            let after = aggregate(&moved, &votes(shift), settings);
            prop_assert_eq!(&before.facts.winner, &after.facts.winner);
            prop_assert_eq!(before.facts.winner_is_tie, after.facts.winner_is_tie);
            prop_assert_eq!(before.facts.condorcet_winner, after.facts.condorcet_winner);
            prop_assert_eq!(before.rows.len() + before.facts.unplaced.len(), 4);
        }
    }

    /// Weights that do not differ change nothing at all, whatever they are.
    #[test]
    fn equal_weights_are_no_weights(ballots in proptest::collection::vec(any_vote(4), 0..6), weight in 0.3_f64..2.5) {
        let votes: Vec<Vote> = ballots.into_iter().enumerate().map(|(n, tiers)| {
            Vote { tiers, weight, ..vote(&char::from(b'a' + u8::try_from(n).unwrap()).to_string(), "") }
        }).collect();
        for settings in [*IN, *OUT] {
            let weighted = aggregate(&council(4), &votes, Settings { weights_on: true, ..settings });
            let plain = aggregate(&council(4), &votes, settings);
            prop_assert_eq!(&weighted, &plain);
        }
    }

    /// Without anything known, adjusted ballots are those that were cast, to the last digit.
    #[test]
    fn nothing_known_corrects_nothing(ballots in proptest::collection::vec(any_vote(4), 0..6)) {
        let votes: Vec<Vote> = ballots.into_iter().enumerate().map(|(n, tiers)| {
            Vote { tiers, ..vote(&char::from(b'a' + u8::try_from(n).unwrap()).to_string(), "") }
        }).collect();
        let adjusted = aggregate(&council(4), &votes, settings(SelfVotes::Adjusted, &NOTHING));
        let counted = aggregate(&council(4), &votes, *IN);
        prop_assert_eq!(&adjusted.rows, &counted.rows);
        prop_assert_eq!(&adjusted.facts.winner, &counted.facts.winner);
    }

    /// Whatever is known, no answer is moved off a ballot, and every answer that is placed has a row.
    #[test]
    fn corrected_places_stay_on_the_ballot(
        ballots in proptest::collection::vec(any_vote(4), 0..5), own in -1.5_f64..1.5, position in -1.0_f64..1.0,
    ) {
        let votes: Vec<Vote> = ballots.into_iter().enumerate().map(|(n, tiers)| {
            let order_shown = (0..4).map(|at| Label::nth((at + n * n) % 4)).collect();
            Vote { tiers, order_shown, ..vote(&char::from(b'a' + u8::try_from(n).unwrap()).to_string(), "") }
        }).collect();
        let records = known(own, position);
        let result = aggregate(&council(4), &votes, settings(SelfVotes::Adjusted, &records));
        prop_assert_eq!(result.rows.len() + result.facts.unplaced.len(), 4);
        for row in &result.rows {
            prop_assert!((1.0..=4.0).contains(&row.average_rank), "{:?}", row);
            prop_assert!(row.borda.is_none_or(|borda| (0.0..=1.0).contains(&borda)), "{:?}", row);
        }
    }

    /// An answer that everybody puts before another is never behind it.
    #[test]
    fn a_unanimous_preference_holds(ballots in proptest::collection::vec(Just((0..4).map(Label::nth).collect::<Vec<_>>()).prop_shuffle(), 1..6)) {
        let votes: Vec<Vote> = ballots.iter().map(|order| {
            let mut order = order.clone();
            let (a, b) = (order.iter().position(|one| *one == Label::nth(0)).unwrap(), order.iter().position(|one| *one == Label::nth(1)).unwrap());
            if a > b { order.swap(a, b); }
            Vote { tiers: order.into_iter().map(|label| vec![label]).collect(), ..vote("stranger", "") }
        }).collect();
        let result = aggregate(&council(4), &votes, *OUT);
        let place = |name: &str| result.rows.iter().position(|row| row.member == name);
        prop_assert!(place("a") < place("b"));
    }
}
