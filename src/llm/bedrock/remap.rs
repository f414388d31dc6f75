//! Finds the id of a model in another region. Pure functions.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::regions;
use crate::llm::regional::Moved;

/// The most alternatives that are named for a model that a region lacks.
const MAX_NEAREST: usize = 3;

/// A model's id in `region`: that of the nearest profile, else the plain one. `id` is the model's id in its own region,
/// without that region, and `offered` has the ids that `region` offers.
pub(super) fn remap(id: &str, region: &str, offered: &[&str]) -> Moved {
    let (_, plain) = regions::split_profile(id);
    match preferred(plain, region).into_iter().find(|id| offered.contains(&id.as_str())) {
        Some(found) => Moved::To(found),
        None => Moved::Lacking { nearest: nearest(plain, region, offered) },
    }
}

/// The ids that a model may have in a region, the best first.
fn preferred(plain: &str, region: &str) -> Vec<String> {
    let profiles = regions::profiles(region).iter().map(|profile| format!("{profile}.{plain}"));
    profiles.chain([plain.to_owned()]).collect()
}

/// Models of the same maker: first those whose names have the most words in common, then the newest.
fn nearest(plain: &str, region: &str, offered: &[&str]) -> Vec<String> {
    let maker = |id: &str| id.split('.').next().unwrap_or_default().to_owned();
    let own_words = words(plain);
    let models: BTreeSet<&str> = offered.iter().map(|id| regions::split_profile(id).1).collect();
    let mut near: Vec<(usize, &str)> = models
        .into_iter()
        .filter(|other| *other != plain && maker(other) == maker(plain))
        .map(|other| (words(other).intersection(&own_words).count(), other))
        .collect();
    near.sort_by_key(|(common, other)| Reverse((*common, version(other))));
    let best = |(_, model): (usize, &str)| {
        preferred(model, region).into_iter().find(|id| offered.contains(&id.as_str()))
    };
    near.into_iter().filter_map(best).take(MAX_NEAREST).collect()
}

/// The words of a model's name, without numbers.
fn words(id: &str) -> BTreeSet<&str> {
    id.split(['.', '-', ':']).filter(|word| word.chars().any(|c| c.is_ascii_alphabetic())).collect()
}

/// The numbers of a name, by which the newest comes first.
fn version(id: &str) -> Vec<u64> {
    // A date is not a version.
    id.split(['.', '-', ':']).filter_map(|word| word.parse().ok()).filter(|number| *number < 1000).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::llm::bedrock::catalogue;
    use crate::llm::bedrock::regions::REGIONS;

    fn offered(region: &str) -> Vec<String> {
        catalogue::offered(region).into_iter().map(|info| info.id).collect()
    }

    fn moved(id: &str, region: &str) -> Moved {
        let offered = offered(region);
        remap(id, region, &offered.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn a_model_takes_the_nearest_profile() {
        let sonnet = "anthropic.claude-sonnet-4-5-20250929-v1:0";
        for (region, profile) in [
            ("us-east-1", "us"),
            ("eu-west-1", "eu"),
            ("ap-northeast-1", "jp"),
            ("ap-southeast-2", "au"),
            ("sa-east-1", "global"),
        ] {
            let to = Moved::To(format!("{profile}.{sonnet}"));
            assert_eq!(moved(sonnet, region), to);
            assert_eq!(moved(&format!("us.{sonnet}"), region), to);
        }
        assert_eq!(
            moved("eu.amazon.nova-pro-v1:0", "ap-south-1"),
            Moved::To("apac.amazon.nova-pro-v1:0".into())
        );
        assert_eq!(
            moved("us.meta.llama3-70b-instruct-v1:0", "eu-west-2"),
            Moved::To("meta.llama3-70b-instruct-v1:0".into())
        );
    }

    #[test]
    fn what_a_region_lacks_has_neighbours_of_its_maker() {
        let Moved::Lacking { nearest } = moved("us.anthropic.claude-opus-4-20250514-v1:0", "eu-west-1")
        else {
            // The European profile has it.
            return assert_eq!(
                moved("us.anthropic.claude-opus-4-20250514-v1:0", "eu-west-1"),
                Moved::To("eu.anthropic.claude-opus-4-20250514-v1:0".into())
            );
        };
        assert!(!nearest.is_empty());
    }

    #[test]
    fn neighbours_are_of_the_same_line() {
        let offered = [
            "eu.anthropic.claude-opus-5-5",
            "eu.anthropic.claude-sonnet-5",
            "global.anthropic.claude-sonnet-5-5",
            "eu.amazon.nova-pro-v1:0",
        ];
        let Moved::Lacking { nearest } = remap("us.anthropic.claude-sonnet-4-6", "eu-west-1", &offered)
        else {
            panic!("the region lacks it");
        };
        assert_eq!(
            nearest,
            [
                "global.anthropic.claude-sonnet-5-5",
                "eu.anthropic.claude-sonnet-5",
                "eu.anthropic.claude-opus-5-5"
            ]
        );
        assert_eq!(remap("nobody.x", "eu-west-1", &offered), Moved::Lacking { nearest: Vec::new() });
    }

    fn region() -> impl Strategy<Value = &'static str> {
        (0..REGIONS.len()).prop_map(|at| REGIONS[at].id)
    }

    proptest! {
        #[test]
        fn moving_ends_in_what_the_region_has(from in region(), to in region(), at: prop::sample::Index) {
            let here = offered(from);
            prop_assume!(!here.is_empty());
            let id = at.get(&here);
            let there = offered(to);
            match moved(id, to) {
                Moved::To(found) => {
                    prop_assert!(there.contains(&found));
                    prop_assert_eq!(regions::split_profile(&found).1, regions::split_profile(id).1);
                    // Once there, it stays.
                    prop_assert_eq!(moved(&found, to), Moved::To(found.clone()));
                    // And it maps back to the same model.
                    let back = moved(&found, from);
                    prop_assert!(matches!(&back, Moved::To(back) if here.contains(back)), "{:?}", back);
                }
                Moved::Lacking { nearest } => {
                    prop_assert!(nearest.len() <= MAX_NEAREST && nearest.iter().all(|id| there.contains(id)));
                    prop_assert!(!there.iter().any(|other| regions::split_profile(other).1 == regions::split_profile(id).1));
                }
            }
        }
    }
}
