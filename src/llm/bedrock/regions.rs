//! The regions of Bedrock, how the ids of models name them, and which profiles serve them.

/// A region of AWS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// As AWS calls it: `eu-west-1`.
    pub id: &'static str,
    /// For people.
    pub name: &'static str,
}

/// The regions in which Bedrock is offered, as of November 2026.
pub const REGIONS: &[Region] = &[
    Region { id: "af-south-1", name: "Africa (Cape Town)" },
    Region { id: "ap-east-2", name: "Asia Pacific (Taipei)" },
    Region { id: "ap-northeast-1", name: "Asia Pacific (Tokyo)" },
    Region { id: "ap-northeast-2", name: "Asia Pacific (Seoul)" },
    Region { id: "ap-northeast-3", name: "Asia Pacific (Osaka)" },
    Region { id: "ap-south-1", name: "Asia Pacific (Mumbai)" },
    Region { id: "ap-south-2", name: "Asia Pacific (Hyderabad)" },
    Region { id: "ap-southeast-1", name: "Asia Pacific (Singapore)" },
    Region { id: "ap-southeast-2", name: "Asia Pacific (Sydney)" },
    Region { id: "ap-southeast-3", name: "Asia Pacific (Jakarta)" },
    Region { id: "ap-southeast-4", name: "Asia Pacific (Melbourne)" },
    Region { id: "ap-southeast-5", name: "Asia Pacific (Malaysia)" },
    Region { id: "ap-southeast-6", name: "Asia Pacific (New Zealand)" },
    Region { id: "ap-southeast-7", name: "Asia Pacific (Thailand)" },
    Region { id: "ca-central-1", name: "Canada (Central)" },
    Region { id: "ca-west-1", name: "Canada West (Calgary)" },
    Region { id: "eu-central-1", name: "Europe (Frankfurt)" },
    Region { id: "eu-central-2", name: "Europe (Zurich)" },
    Region { id: "eu-north-1", name: "Europe (Stockholm)" },
    Region { id: "eu-south-1", name: "Europe (Milan)" },
    Region { id: "eu-south-2", name: "Europe (Spain)" },
    Region { id: "eu-west-1", name: "Europe (Ireland)" },
    Region { id: "eu-west-2", name: "Europe (London)" },
    Region { id: "eu-west-3", name: "Europe (Paris)" },
    Region { id: "il-central-1", name: "Israel (Tel Aviv)" },
    Region { id: "me-central-1", name: "Middle East (UAE)" },
    Region { id: "me-south-1", name: "Middle East (Bahrain)" },
    Region { id: "mx-central-1", name: "Mexico (Central)" },
    Region { id: "sa-east-1", name: "South America (São Paulo)" },
    Region { id: "us-east-1", name: "US East (N. Virginia)" },
    Region { id: "us-east-2", name: "US East (Ohio)" },
    Region { id: "us-gov-east-1", name: "AWS GovCloud (US-East)" },
    Region { id: "us-gov-west-1", name: "AWS GovCloud (US-West)" },
    Region { id: "us-west-1", name: "US West (N. California)" },
    Region { id: "us-west-2", name: "US West (Oregon)" },
];

/// The region of this id.
#[must_use]
pub fn known(id: &str) -> Option<&'static Region> {
    REGIONS.iter().find(|region| region.id == id)
}

/// Whether this could be a region, since AWS opens new ones. Strict, because it becomes part of a host name.
#[must_use]
pub fn is_region(id: &str) -> bool {
    let parts: Vec<&str> = id.split('-').collect();
    let is_word = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase());
    let [land, middle @ .., number] = parts.as_slice() else { return false };
    land.len() == 2
        && is_word(land)
        && !middle.is_empty()
        && middle.iter().all(is_word)
        && (1..=2).contains(&number.len())
        && number.chars().all(|c| c.is_ascii_digit())
        && id.len() <= 30
}

/// Splits a model's id into the region that it names, if any, and the id as Bedrock knows it. An ARN contains its
/// region, and stays whole.
#[must_use]
pub fn split(id: &str) -> (Option<&str>, &str) {
    if let Some(rest) = id.strip_prefix("arn:") {
        return (rest.split(':').nth(2).filter(|region| is_region(region)), id);
    }
    match id.split_once('/') {
        Some((region, model)) if is_region(region) => (Some(region), model),
        Some(_) | None => (None, id),
    }
}

/// Prefixes of the inference profiles that serve this region, the nearest first: country, part of the world, whole
/// world.
#[must_use]
pub fn profiles(region: &str) -> &'static [&'static str] {
    match region {
        "ap-northeast-1" | "ap-northeast-3" => &["jp", "apac", "global"],
        "ap-southeast-2" | "ap-southeast-4" | "ap-southeast-6" => &["au", "apac", "global"],
        "ap-south-1" | "ap-south-2" => &["in", "apac", "global"],
        "ca-central-1" | "ca-west-1" => &["ca", "us", "global"],
        _ if region.starts_with("us-gov-") => &["us-gov"],
        _ if region.starts_with("us-") => &["us", "global"],
        _ if region.starts_with("eu-") => &["eu", "global"],
        _ if region.starts_with("ap-") => &["apac", "global"],
        _ => &["global"],
    }
}

/// All prefixes of inference profiles.
pub(super) const PROFILES: &[&str] = &["us", "us-gov", "eu", "apac", "jp", "au", "in", "ca", "global"];

/// Splits an id into the profile's prefix, if it has one, and the model's plain id.
#[must_use]
pub fn split_profile(id: &str) -> (Option<&str>, &str) {
    match id.split_once('.') {
        Some((profile, model)) if PROFILES.contains(&profile) => (Some(profile), model),
        Some(_) | None => (None, id),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_say_their_region_or_do_not() {
        for (id, region, model) in [
            ("eu-west-1/eu.anthropic.claude-x-v1:0", Some("eu-west-1"), "eu.anthropic.claude-x-v1:0"),
            ("us-gov-west-1/m", Some("us-gov-west-1"), "m"),
            ("anthropic.claude-x", None, "anthropic.claude-x"),
            ("meta/llama", None, "meta/llama"),
            ("../x", None, "../x"),
            (
                "arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/x",
                Some("eu-west-3"),
                "arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/x",
            ),
            ("arn:aws:bedrock:evil.example:1:x/y", None, "arn:aws:bedrock:evil.example:1:x/y"),
        ] {
            assert_eq!(split(id), (region, model), "{id}");
        }
    }

    #[test]
    fn every_region_looks_like_one_and_has_profiles() {
        for region in REGIONS {
            assert!(is_region(region.id), "{}", region.id);
            assert!(profiles(region.id).iter().all(|profile| PROFILES.contains(profile)));
        }
        for none in
            ["", "eu", "eu-1", "eu--1", "EU-west-1", "eu-west-x", "eu-west-123", "evil.example-1", "e-w-1"]
        {
            assert!(!is_region(none), "{none}");
        }
    }

    proptest! {
        #[test]
        fn what_looks_like_a_region_is_harmless_in_a_host(id in "[a-z0-9./@:-]{0,20}") {
            if is_region(&id) {
                prop_assert!(id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
            }
        }
    }
}
