use super::*;

fn seen(member: &'static str, model: &'static str, length: usize) -> Seen<'static> {
    Seen { member, model, length }
}

fn cast(member: &'static str, order: &[usize], read: &[usize]) -> Cast<'static> {
    Cast { member, model: "x/one", tiers: order.iter().map(|one| vec![*one]).collect(), order: read.to_vec() }
}

fn close(a: Option<f64>, b: f64) {
    assert!((a.unwrap() - b).abs() < 1e-9, "{a:?} is not {b}");
}

/// Worked by hand. Three answers by a, b and c; a puts itself first, the others put it last (1) and second (½): it is ¾
/// better to itself than to them. It read b, c, a, so what it read last came first: places 0 (read at 1), ½ (0), 1 (½):
/// the slope is ((0-½)(½) + (½-½)(-½) + (1-½)·0) / ½ = -½.
#[test]
fn a_ballot_shows_its_author() {
    let answers = [seen("a", "x/one", 30), seen("b", "y/two", 20), seen("c", "z/three", 10)];
    let ballots = [
        cast("a", &[0, 1, 2], &[1, 2, 0]),
        cast("b", &[1, 2, 0], &[0, 1, 2]),
        cast("c", &[2, 0, 1], &[0, 1, 2]),
    ];
    let effects = effects(&answers, &ballots);
    close(effects.leanings[0].own, 0.75);
    close(effects.leanings[0].position, -0.5);
    // Its own answer left aside, a puts the longer one of the two others first (slope 1), b does too, and c does
    // not (-1): 1 - 0.
    close(effects.leanings[0].length, 1.0);
    assert_eq!(effects.leanings[0].family, None, "nobody else is of its family");
}

/// Two seats of one maker: each one's place by the other, beside the others' place for it.
#[test]
fn kin_are_other_seats_of_the_same_maker() {
    let answers = [seen("a", "x/one", 1), seen("b", "x/two", 1), seen("c", "z/three", 1)];
    let ballots = [cast("a", &[1, 0, 2], &[0, 1, 2]), cast("c", &[2, 0, 1], &[0, 1, 2])];
    let effects = effects(&answers, &ballots);
    // Of b and c, b is first with a (0) and last with c (1).
    close(effects.leanings[0].family, 1.0);
    assert_eq!(effects.leanings[0].length, None, "all are as long as each other");
}

#[test]
fn a_council_of_one_maker_shows_no_leaning_to_it() {
    let answers = [seen("a", "x/one", 1), seen("b", "x/two", 1), seen("c", "x/three", 1)];
    let ballots = [cast("a", &[1, 0, 2], &[0, 1, 2]), cast("c", &[2, 0, 1], &[0, 1, 2])];
    for one in effects(&answers, &ballots).leanings {
        assert_eq!(one.family, None, "nobody could have been put behind its kin");
    }
}

#[test]
fn a_single_ballot_and_an_outsiders_show_what_they_can() {
    let answers = [seen("a", "x/one", 3), seen("b", "y/two", 2)];
    let effects = effects(&answers, &[cast("stranger", &[0, 1], &[0, 1])]);
    assert_eq!(effects.correlations, None);
    assert_eq!(effects.leanings[0].own, None);
    close(effects.leanings[0].position, 1.0);
}

#[test]
fn reading_places_are_fractions_and_unread_answers_have_none() {
    assert_eq!(reading(3, &[2, 0]), [Some(1.0), None, Some(0.0)]);
    assert_eq!(reading(1, &[0]), [Some(0.0)]);
}
