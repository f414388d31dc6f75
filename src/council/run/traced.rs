//! A call as a span, by OpenTelemetry's conventions for GenAI; what these do not know is under `llm_council`. Nothing that was
//! asked or answered is in it.

use crate::id::RunId;
use crate::llm::metrics::{operation, outcome};
use crate::llm::{CallError, ChatRequest, Reply};
use crate::trace::{Kind, Parts, Span, Value};

/// The call of a run that is about to be sent. If it is dropped before its end, the call was given up with the run.
pub(super) struct TracedCall<'r> {
    span: Span,
    stages: &'r Parts,
    stage: String,
}

impl<'r> TracedCall<'r> {
    /// A call in this stage of a run; `provider` is who is asked.
    pub(super) fn begin(
        (id, run, stages): (RunId, &Span, &'r Parts),
        (stage, key, member): (&str, &str, Option<&str>),
        request: &ChatRequest,
        provider: &str,
    ) -> Option<Self> {
        run.context()?;
        let operation = operation(request);
        let model = request.model.as_str();
        let span = stages.part(run, stage).child(Kind::Client, || format!("{operation} {model}"));
        span.set("gen_ai.operation.name", operation);
        span.set("gen_ai.provider.name", provider);
        span.set("gen_ai.request.model", model);
        // When a server dies, spans of finished calls have been exported, but the span of their run has not.
        span.set("llm_council.run.id", id.to_string());
        span.set("llm_council.stage", stage);
        span.set("llm_council.call.key", key);
        span.set("llm_council.purpose", request.purpose.name);
        if let Some(member) = member {
            span.set("llm_council.member", member);
        }
        Some(Self { span, stages, stage: stage.to_owned() })
    }

    /// It has ended.
    pub(super) fn end(&self, result: &Result<Reply, CallError>) {
        let span = &self.span;
        let (reply, tries) = match result {
            Ok(reply) => (Some(reply), reply.tries),
            Err(error) => {
                span.fail(outcome(error.kind));
                if let Some(status) = error.status {
                    span.set("http.response.status_code", u32::from(status));
                }
                (error.partial.as_deref(), error.tries)
            }
        };
        span.set("llm_council.tries", tries);
        let Some(reply) = reply else { return };
        if let Some(model) = &reply.served_by {
            span.set("gen_ai.response.model", model.as_str());
        }
        if let Some(reason) = &reply.finish_reason {
            span.set("gen_ai.response.finish_reasons", Value::Texts(vec![reason.clone()]));
        }
        if let Some(ms) = reply.ttft_ms {
            span.set("llm_council.time_to_first_token_ms", ms);
        }
        let Some(usage) = &reply.usage else { return };
        span.set("gen_ai.usage.input_tokens", usage.prompt_tokens);
        span.set("gen_ai.usage.output_tokens", usage.completion_tokens);
        for (key, count) in [
            ("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens),
            ("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens),
            ("gen_ai.usage.reasoning.output_tokens", usage.reasoning_tokens),
        ] {
            if count > 0 {
                span.set(key, count);
            }
        }
        if let Some(usd) = usage.cost_usd {
            span.set("llm_council.cost_usd", usd);
        }
    }
}

impl Drop for TracedCall<'_> {
    fn drop(&mut self) {
        self.span.end();
        self.stages.ended(&self.stage);
    }
}
