//! Embeddings of Titan and Cohere, each called in its own format through InvokeModel, since Converse has none. No
//! network here.
//!
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html>,
//! <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html>

use reqwest::header::HeaderMap;
use serde_json::{Value, json};

use super::regions;
use crate::llm::embeddings_json::vector;
use crate::llm::error::{CallError, ErrorKind};
use crate::llm::pricing::{self, BUILT_IN};
use crate::llm::reply::{Usage, plausible_tokens};
use crate::llm::upstream_error::ErrorContext;
use crate::llm::usage_json::number;
use crate::llm::{Chunk, Pricing};

/// The header with a prompt's token count, which Cohere's replies do not have.
const TOKENS_HEADER: &str = "x-amzn-bedrock-input-token-count";

/// Models with the same request format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Titan,
    Cohere,
}

/// A model's own id, without a region or a profile's prefix.
fn plain(model: &str) -> &str {
    regions::split_profile(regions::split(model).1).1
}

/// The price of an embedding model. Such models are on no list of models, so their prices are not either.
pub(super) fn price(model: &str) -> Option<Pricing> {
    let plain = plain(model);
    Family::of(plain)?;
    BUILT_IN.price(plain, 0)
}

/// Whether it is known how to ask this model for a vector.
pub(super) fn are_offered(model: &str) -> bool {
    Family::of(model).is_some()
}

impl Family {
    /// The family of a model, from its id.
    fn of(model: &str) -> Option<Self> {
        let plain = plain(model);
        if plain.starts_with("amazon.titan-embed-text-") {
            Some(Self::Titan)
        } else if plain.starts_with("cohere.embed-") {
            Some(Self::Cohere)
        } else {
            None
        }
    }

    /// The family of the model of a request.
    ///
    /// # Errors
    /// When it is not known how to ask it.
    pub fn of_asked(model: &str) -> Result<Self, CallError> {
        Self::of(model).ok_or_else(|| {
            let message = format!(
                "how to ask `{model}` for embeddings is not known; supported are amazon.titan-embed-text-… and \
                 cohere.embed-…"
            );
            CallError::new(ErrorKind::Refused, message)
        })
    }

    /// The request's JSON.
    pub fn body(self, text: &str) -> Vec<u8> {
        let body = match self {
            Self::Titan => json!({"inputText": text}),
            // Questions are compared with questions, so all of them are of one type.
            Self::Cohere => json!({"texts": [text], "input_type": "search_query"}),
        };
        body.to_string().into_bytes()
    }

    /// Reads the reply to one text. `model` is the one that was asked, for its price.
    ///
    /// # Errors
    /// When it has no vector.
    pub fn read(
        self,
        document: &Value,
        headers: &HeaderMap,
        model: &str,
        context: &ErrorContext,
    ) -> Result<Vec<Chunk>, CallError> {
        let found = match self {
            Self::Titan => document.get("embedding").or_else(|| document.pointer("/embeddingsByType/float")),
            // A list, or one list by type.
            Self::Cohere => {
                document.pointer("/embeddings/0").or_else(|| document.pointer("/embeddings/float/0"))
            }
        };
        let vector = found.and_then(vector);
        let vector =
            vector.ok_or_else(|| context.bad_response("the reply has no embedding in a known form"))?;
        let in_header = || headers.get(TOKENS_HEADER)?.to_str().ok()?.trim().parse().ok();
        let counted = document.get("inputTextTokenCount").and_then(number).or_else(in_header);
        let usage = counted.and_then(plausible_tokens).map(|prompt_tokens| {
            let mut usage = Usage { prompt_tokens, total_tokens: prompt_tokens, ..Usage::default() };
            let plain = plain(model);
            pricing::price(&mut usage, None, plain, plain);
            usage
        });
        Ok([Some(Chunk::Embedding(vector)), usage.map(Chunk::Usage)].into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use reqwest::header::HeaderValue;

    use super::*;
    use crate::llm::CostSource;
    use crate::llm::upstream_error::Secrets;

    fn read(family: Family, document: &Value, tokens: Option<&str>) -> Result<Vec<Chunk>, CallError> {
        let context = ErrorContext { provider: "aws".into(), model: "m".into(), secrets: Secrets::default() };
        let header =
            tokens.map(|tokens| (TOKENS_HEADER.parse().unwrap(), HeaderValue::from_str(tokens).unwrap()));
        let model = match family {
            Family::Titan => "amazon.titan-embed-text-v2:0",
            Family::Cohere => "eu.cohere.embed-english-v3",
        };
        family.read(document, &HeaderMap::from_iter(header), model, &context)
    }

    fn usage(prompt_tokens: u64, cost_usd: f64) -> Chunk {
        Chunk::Usage(Usage {
            prompt_tokens,
            total_tokens: prompt_tokens,
            cost_usd: Some(cost_usd),
            cost_source: Some(CostSource::BuiltIn),
            ..Usage::default()
        })
    }

    #[test]
    fn models_are_told_by_their_ids() {
        for (id, family) in [
            ("amazon.titan-embed-text-v2:0", Some(Family::Titan)),
            ("eu-west-1/amazon.titan-embed-text-v1", Some(Family::Titan)),
            ("cohere.embed-multilingual-v3", Some(Family::Cohere)),
            ("eu-west-1/eu.cohere.embed-v4:0", Some(Family::Cohere)),
            ("amazon.titan-embed-image-v1", None),
            ("cohere.command-r-v1:0", None),
            ("arn:aws:bedrock:eu-west-3:123456789012:application-inference-profile/x", None),
        ] {
            assert_eq!((Family::of(id), are_offered(id)), (family, family.is_some()), "{id}");
        }
        let price = |id: &str| price(id).map(|price| (price.prompt * 1e6 * 100.0).round() / 100.0);
        assert_eq!(price("eu-west-1/amazon.titan-embed-text-v2:0"), Some(0.02));
        assert_eq!(price("us.cohere.embed-multilingual-v3"), Some(0.1));
        assert_eq!(price("anthropic.claude-haiku-4-5"), None);
    }

    #[test]
    fn replies_are_read_in_the_form_of_each_model() {
        let titan = json!({"embedding": [1, 0.5], "inputTextTokenCount": 100,
                           "embeddingsByType": {"float": [1, 0.5]}});
        let vector = Chunk::Embedding(vec![1.0, 0.5]);
        assert_eq!(read(Family::Titan, &titan, None).unwrap(), [vector.clone(), usage(100, 2e-6)]);
        for embeddings in [json!([[1, 0.5]]), json!({"float": [[1, 0.5]]})] {
            let cohere = json!({"id": "x", "embeddings": embeddings, "texts": ["why"]});
            let found = read(Family::Cohere, &cohere, Some("100")).unwrap();
            assert_eq!(found, [vector.clone(), usage(100, 1e-5)]);
            for uncounted in [None, Some("many")] {
                assert_eq!(read(Family::Cohere, &cohere, uncounted).unwrap(), std::slice::from_ref(&vector));
            }
            assert_eq!(read(Family::Titan, &cohere, None).unwrap_err().kind, ErrorKind::BadResponse);
        }
        for nothing in
            [json!({}), json!([]), json!({"embeddings": []}), json!({"embeddings": {"int8": [[1]]}})]
        {
            assert_eq!(read(Family::Cohere, &nothing, None).unwrap_err().kind, ErrorKind::BadResponse);
        }
    }

    proptest! {
        #[test]
        fn any_reply_is_read_or_refused(text in r#"[\[\]{}",:0-9.e]{0,40}"#, tokens in "[ -~]{0,12}") {
            let embeddings: Value = serde_json::from_str(&text).unwrap_or_default();
            for name in ["embedding", "embeddings"] {
                for family in [Family::Titan, Family::Cohere] {
                    let result = read(family, &json!({ name: embeddings.clone() }), Some(&tokens));
                    prop_assert!(result.is_ok() || result.is_err_and(|e| e.kind == ErrorKind::BadResponse));
                }
            }
        }
    }
}
