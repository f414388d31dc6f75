use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

/// One question of somebody: where it stands, and whether an older version stored it, which writes no link and
/// knows no other place than the end.
#[derive(Debug, Clone)]
enum Asked {
    After(prop::sample::Index),
    AtTheBeginning,
    ByAnOlderVersion,
}

fn asked() -> impl Strategy<Value = Asked> {
    prop_oneof![
        6 => any::<prop::sample::Index>().prop_map(Asked::After),
        1 => Just(Asked::AtTheBeginning),
        2 => Just(Asked::ByAnOlderVersion),
    ]
}

/// What the store holds after these questions, and the way to each answer as a person would tell it.
fn stored(asked: &[Asked]) -> (Vec<Link>, Vec<Vec<MessageId>>) {
    let (mut links, mut ways): (Vec<Link>, Vec<Vec<MessageId>>) = (Vec::new(), Vec::new());
    for what in asked {
        let position = i32::try_from(links.len()).unwrap();
        let after = match what {
            Asked::AtTheBeginning => None,
            Asked::ByAnOlderVersion => ways.len().checked_sub(1),
            Asked::After(index) if !ways.is_empty() => Some(index.index(ways.len())),
            Asked::After(_) => None,
        };
        let link = |older: bool, link: i32| (!older).then_some(link);
        let older = matches!(what, Asked::ByAnOlderVersion);
        // The answer of the nth pair stands at 2n + 1.
        let place = after.map_or(ROOT, |pair| i32::try_from(pair * 2 + 1).unwrap());
        let (question, answer) = (MessageId::generate(), MessageId::generate());
        links.push(Link { id: question, position, parent_position: link(older, place), is_question: true });
        let parent_position = link(older, position);
        links.push(Link { id: answer, position: position + 1, parent_position, is_question: false });
        let mut way = after.map_or_else(Vec::new, |pair| ways[pair].clone());
        way.extend([question, answer]);
        ways.push(way);
    }
    (links, ways)
}

fn ids(nodes: &[Node]) -> Vec<MessageId> {
    nodes.iter().map(|node| node.id).collect()
}

proptest! {
    #[test]
    fn every_branch_is_the_way_it_was_asked_and_no_message_is_lost(
        asked in prop::collection::vec(asked(), 0..40),
        remembered in proptest::option::of(-3..90i32),
    ) {
        let (links, ways) = stored(&asked);
        let tree = Tree::of(links.clone(), remembered, None);
        for (pair, way) in ways.iter().enumerate() {
            let answer = tree.find(links[pair * 2 + 1].id).unwrap();
            prop_assert_eq!(&ids(&tree.path(answer)), way);
            let end = tree.end_through(answer);
            prop_assert!(ids(&tree.path(end)).starts_with(way), "the branch through a message has it");
            let question = tree.parent(answer).unwrap();
            let siblings = tree.siblings(question);
            prop_assert_eq!(siblings.iter().filter(|one| one.id == question.id).count(), 1);
            prop_assert!(siblings.iter().all(|one| one.is_question && one.parent == question.parent));
        }
        let shown: BTreeSet<_> = tree.ends().flat_map(|end| tree.path(end)).map(|node| node.position).collect();
        prop_assert_eq!(shown.len(), links.len(), "each message is on a branch");
        let in_force = tree.in_force();
        prop_assert_eq!(in_force.is_empty(), links.is_empty());
        if let Some(end) = in_force.last() {
            prop_assert!(tree.after(Some(*end)).is_empty());
            let looked_at = remembered.filter(|position| tree.nodes.contains_key(position));
            let through = looked_at.unwrap_or_else(|| tree.newest().unwrap().position);
            prop_assert!(in_force.iter().any(|node| node.position == through));
        }
    }
}

#[test]
fn messages_without_links_are_one_branch_in_their_order() {
    let (links, ways) = stored(&[const { Asked::ByAnOlderVersion }; 3]);
    let tree = Tree::of(links, None, None);
    assert_eq!(ids(&tree.in_force()), ways[2]);
    assert_eq!(tree.ends().count(), 1);
}
