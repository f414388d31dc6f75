//! AWS's own lists of models, for keys that may read them.

use std::collections::BTreeMap;

use reqwest::Method;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::catalogue;
use super::regions;
use super::server::{Request, Server};
use crate::llm::ModelInfo;
use crate::llm::error::CallError;
use crate::llm::exchange;

/// Longest page of a list.
const MAX_LIST_BYTES: usize = 16 << 20;
/// The most pages that are read; each has up to 1000 profiles.
const MAX_PAGES: usize = 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Foundation {
    #[serde(default)]
    model_summaries: Vec<FoundationModel>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FoundationModel {
    model_id: String,
    model_name: Option<String>,
    #[serde(default)]
    output_modalities: Vec<String>,
    #[serde(default)]
    input_modalities: Vec<String>,
    #[serde(default)]
    inference_types_supported: Vec<String>,
}

impl FoundationModel {
    fn writes(&self) -> bool {
        self.output_modalities.iter().any(|what| what == "TEXT")
    }

    /// Whether it accepts images, if the list says what it accepts.
    fn sees_images(&self) -> Option<bool> {
        (!self.input_modalities.is_empty()).then(|| self.input_modalities.iter().any(|what| what == "IMAGE"))
    }

    fn is_on_demand(&self) -> bool {
        self.inference_types_supported.iter().any(|how| how == "ON_DEMAND")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Profiles {
    #[serde(default)]
    inference_profile_summaries: Vec<Profile>,
    next_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Profile {
    inference_profile_id: String,
    inference_profile_arn: Option<String>,
    inference_profile_name: Option<String>,
    #[serde(rename = "type")]
    of: Option<String>,
    #[serde(default)]
    models: Vec<ProfileModel>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProfileModel {
    model_arn: Option<String>,
}

impl Profile {
    /// The plain id of the model behind it.
    fn model(&self) -> Option<&str> {
        self.models.first()?.model_arn.as_deref()?.rsplit('/').next()
    }

    /// The id to call it by: an account's own profiles are called by their ARN.
    fn id(&self) -> &str {
        match (&self.inference_profile_arn, self.of.as_deref()) {
            (Some(arn), Some("APPLICATION")) => arn,
            (_, _) => &self.inference_profile_id,
        }
    }
}

/// The models that AWS lists for a region.
///
/// # Errors
/// If AWS refuses the request, or the connection fails.
pub(super) async fn offered(server: &Server, region: &str) -> Result<Vec<ModelInfo>, CallError> {
    let foundation: Foundation = get(server, region, "foundation-models", None).await?;
    let mut profiles = Vec::new();
    let mut token: Option<String> = None;
    for _ in 0..MAX_PAGES {
        let page: Profiles = get(server, region, "inference-profiles", token.as_deref()).await?;
        profiles.extend(page.inference_profile_summaries);
        token = page.next_token;
        if token.is_none() {
            break;
        }
    }
    Ok(merged(&foundation.model_summaries, &profiles, region))
}

async fn get<T: DeserializeOwned>(
    server: &Server,
    region: &str,
    list: &str,
    token: Option<&str>,
) -> Result<T, CallError> {
    let context = server.context(list);
    let mut url = server.control_url(region, list)?;
    if list == "inference-profiles" {
        url.query_pairs_mut().append_pair("maxResults", "1000");
    }
    if let Some(token) = token {
        url.query_pairs_mut().append_pair("nextToken", token);
    }
    let request = Request { method: Method::GET, url, region, body: Vec::new(), accept: "application/json" };
    let (response, context) = server.send(&context, &request).await?;
    exchange::read_json(response, MAX_LIST_BYTES, &context, "the list of models").await
}

/// Profiles first, each model's nearest one before the others, then the models that are called by their plain id.
fn merged(foundation: &[FoundationModel], profiles: &[Profile], region: &str) -> Vec<ModelInfo> {
    let writes: BTreeMap<&str, bool> =
        foundation.iter().map(|model| (model.model_id.as_str(), model.writes())).collect();
    let order = |profile: &&Profile| {
        let (beginning, plain) = regions::split_profile(&profile.inference_profile_id);
        let nearness = regions::profiles(region).iter().position(|known| Some(*known) == beginning);
        (plain.to_owned(), nearness.unwrap_or(usize::MAX))
    };
    // A model that is not listed is assumed to write text: profiles also lead to models of other regions.
    let mut through: Vec<&Profile> = profiles
        .iter()
        .filter(|profile| profile.model().and_then(|model| writes.get(model)).copied().unwrap_or(true))
        .collect();
    through.sort_by_key(order);
    let behind = |id: &str| foundation.iter().find(|model| model.model_id == id);
    // What the list says of it takes precedence, if it says anything.
    let seeing = |info: ModelInfo, model: Option<&FoundationModel>| ModelInfo {
        images: model.and_then(FoundationModel::sees_images).or(info.images),
        ..info
    };
    let of_profile = |profile: &Profile| {
        let name = profile.inference_profile_name.clone();
        let info = catalogue::info(profile.id().to_owned(), name, region);
        seeing(info, profile.model().and_then(behind))
    };
    let plain = foundation.iter().filter(|model| model.writes() && model.is_on_demand());
    let of_model = |model: &FoundationModel| {
        let info = catalogue::info(model.model_id.clone(), model.model_name.clone(), region);
        seeing(info, Some(model))
    };
    through.into_iter().map(of_profile).chain(plain.map(of_model)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(foundation: Value, profiles: Value) -> Vec<(String, String)> {
        let foundation: Foundation = serde_json::from_value(foundation).unwrap();
        let profiles: Profiles = serde_json::from_value(profiles).unwrap();
        let found = merged(&foundation.model_summaries, &profiles.inference_profile_summaries, "eu-west-1");
        found.into_iter().map(|info| (info.id, info.name)).collect()
    }

    #[test]
    fn what_writes_and_may_be_asked_is_on_offer() {
        let model = |id: &str, output: &str, how: &str| {
            json!({"modelId": id, "modelName": "N", "outputModalities": [output], "inferenceTypesSupported": [how],
                   "modelArn": "x", "responseStreamingSupported": true, "modelLifecycle": {"status": "ACTIVE"}})
        };
        let profile = |id: &str, of: &str, model: &str| {
            json!({"inferenceProfileId": id, "inferenceProfileName": "P", "type": of, "status": "ACTIVE",
                   "inferenceProfileArn": format!("arn:aws:bedrock:eu-west-1:1:application-inference-profile/{id}"),
                   "models": [{"modelArn": format!("arn:aws:bedrock:eu-west-1::foundation-model/{model}")}]})
        };
        let found = read(
            json!({"modelSummaries": [
                model("a.plain", "TEXT", "ON_DEMAND"), model("a.kept", "TEXT", "PROVISIONED"),
                model("a.image", "IMAGE", "ON_DEMAND"), model("a.vectors", "EMBEDDING", "ON_DEMAND"),
                model("a.far", "TEXT", "INFERENCE_PROFILE"),
            ]}),
            json!({"inferenceProfileSummaries": [
                profile("global.a.far", "SYSTEM_DEFINED", "a.far"), profile("eu.a.far", "SYSTEM_DEFINED", "a.far"),
                profile("eu.a.image", "SYSTEM_DEFINED", "a.image"), profile("own", "APPLICATION", "a.far"),
            ]}),
        );
        let listed = json!({"modelSummaries": [{"modelId": "a.sees", "outputModalities": ["TEXT"], "inputModalities": ["TEXT", "IMAGE"],
                            "inferenceTypesSupported": ["ON_DEMAND"]}]});
        let foundation: Foundation = serde_json::from_value(listed).unwrap();
        let through: Profiles = serde_json::from_value(
            json!({"inferenceProfileSummaries": [profile("eu.a.sees", "SYSTEM_DEFINED", "a.sees")]}),
        )
        .unwrap();
        let found_both =
            merged(&foundation.model_summaries, &through.inference_profile_summaries, "eu-west-1");
        assert!(found_both.len() == 2 && found_both.iter().all(|info| info.images == Some(true)));
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
        let own = "arn:aws:bedrock:eu-west-1:1:application-inference-profile/own";
        assert_eq!(ids, ["eu.a.far", "global.a.far", own, "a.plain"]);
        assert!(read(json!({}), json!({})).is_empty());
    }
}
