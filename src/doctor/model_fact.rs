//! The result of asking a provider or a model, as a code with parameters that the sentence is made from.

use std::fmt;

use serde::Serialize;
use utoipa::ToSchema;

use crate::llm::ErrorKind;

/// The result of a probe.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(tag = "code", rename_all = "snake_case")]
#[schema(as = CheckProbeFact)]
pub enum ProbeFact {
    /// A provider sent its list of models.
    ListRead { models: usize },
    /// A provider has no list of models; whether it works, its models show.
    NoList,
    /// A provider or a model failed.
    CallFailed {
        error_kind: ErrorKind,
        /// HTTP, where there was one.
        #[serde(skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// In English, with the provider's own words.
        error: String,
    },
    /// It answered.
    Answered,
    /// It was still thinking when the bound on its tokens was reached: it takes such requests.
    StillThinking { max_tokens: u32 },
    /// It takes such requests, and its reply was no JSON of this schema.
    NotTheSchema,
    /// It takes such requests, and did not call the tool.
    ToolNotCalled,
    /// It refused the tools or the schema, and answered without them.
    Refused,
    /// Its provider does not offer it, as far as is known.
    NotOffered,
    /// `providers.<name>.stream` is false.
    StreamOff { provider: String },
    /// Only streamed replies were asked for.
    OnlyStreamed,
    /// It failed before in a way that will come again.
    AfterFailure,
    /// It does not fit into what the examination may cost.
    OverMaxCost { needed_usd: f64, left_usd: f64 },
    /// Its price is unknown, and a limit of cost was given.
    PriceUnknown,
    /// Nothing could be paid for: the ledger cannot be written.
    NoLedger,
    /// It answers, and is not fit for the small tasks that it has.
    UnfitForUtility,
    /// It answered in some ways and not in others.
    InPart,
}

impl fmt::Display for ProbeFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ListRead { models: 1 } => f.write_str("offers one model"),
            Self::ListRead { models } => write!(f, "offers {models} models"),
            Self::NoList => f.write_str("has no list of models"),
            Self::CallFailed { error, .. } => f.write_str(error),
            Self::Answered => f.write_str("answers"),
            Self::StillThinking { max_tokens } => {
                write!(f, "takes the request, and was still thinking after {max_tokens} tokens")
            }
            Self::NotTheSchema => f.write_str("takes a schema, and its reply does not fit it"),
            Self::ToolNotCalled => f.write_str("takes tools, and did not call the one it was told to"),
            Self::Refused => f.write_str("refuses it, and answers without"),
            Self::NotOffered => f.write_str("not offered, as far as is known"),
            Self::StreamOff { provider } => write!(f, "providers.{provider}.stream is off"),
            Self::OnlyStreamed => f.write_str("only streamed replies were asked for"),
            Self::AfterFailure => f.write_str("not tried after the failure before"),
            Self::OverMaxCost { needed_usd, left_usd } => write!(
                f,
                "not asked: it may cost up to ${needed_usd:.5}, more than the ${left_usd:.5} that are left"
            ),
            Self::PriceUnknown => f.write_str("not asked: its price is unknown, and the cost is limited"),
            Self::NoLedger => f.write_str("not asked: the database cannot keep what it costs"),
            Self::UnfitForUtility => f.write_str("answers, and searches the web whatever it is asked"),
            Self::InPart => f.write_str("answers in some ways only"),
        }
    }
}
