//! This program's spans as OpenTelemetry's, and the figures that its conventions have for calls to models.

use std::time::SystemTime;

use opentelemetry::metrics::{Histogram, Meter};
use opentelemetry::trace::{
    Link, Span as _, SpanContext, SpanId, SpanKind, Status, TraceContextExt as _, TraceFlags, TraceId,
    TraceState, Tracer as _,
};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SdkTracer, Span};

use crate::trace::{self, CallFigures, Collector, Kind, NewSpan, OpenSpan, TraceContext};

/// The buckets that the conventions name, in seconds and in tokens.
const SECONDS: [f64; 14] =
    [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS: [f64; 14] = [
    1.0,
    4.0,
    16.0,
    64.0,
    256.0,
    1024.0,
    4096.0,
    16_384.0,
    65_536.0,
    262_144.0,
    1_048_576.0,
    4_194_304.0,
    16_777_216.0,
    67_108_864.0,
];

/// Creates the SDK's spans.
pub(super) struct Collecting {
    tracer: SdkTracer,
    duration: Histogram<f64>,
    tokens: Histogram<u64>,
}

impl Collecting {
    pub(super) fn new(tracer: SdkTracer, meter: &Meter) -> Self {
        let duration = meter
            .f64_histogram("gen_ai.client.operation.duration")
            .with_unit("s")
            .with_description("GenAI operation duration")
            .with_boundaries(SECONDS.to_vec())
            .build();
        let tokens = meter
            .u64_histogram("gen_ai.client.token.usage")
            .with_unit("{token}")
            .with_description("Number of input and output tokens used")
            .with_boundaries(TOKENS.to_vec())
            .build();
        Self { tracer, duration, tokens }
    }
}

impl Collector for Collecting {
    fn begin(&self, new: NewSpan) -> Box<dyn OpenSpan> {
        let parent = match new.parent {
            Some(context) => Context::new().with_remote_span_context(context_of(context)),
            None => Context::new(),
        };
        let kind = match new.kind {
            Kind::Server => SpanKind::Server,
            Kind::Client => SpanKind::Client,
            Kind::Internal => SpanKind::Internal,
        };
        let link = new.link.map(|context| Link::with_context(context_of(context)));
        let builder =
            self.tracer.span_builder(new.name).with_kind(kind).with_links(link.into_iter().collect());
        Box::new(Open(self.tracer.build_with_context(builder, &parent)))
    }

    fn count(&self, call: &CallFigures<'_>) {
        let mut attributes = vec![
            KeyValue::new("gen_ai.operation.name", call.operation),
            KeyValue::new("gen_ai.provider.name", provider(call.provider).to_owned()),
            KeyValue::new("gen_ai.request.model", call.model.to_owned()),
        ];
        if let Some(error) = call.error {
            attributes.push(KeyValue::new("error.type", error));
        }
        self.duration.record(call.took.as_secs_f64(), &attributes);
        attributes.truncate(3);
        for (kind, count) in [("input", call.input_tokens), ("output", call.output_tokens)] {
            let Some(count) = count else { continue };
            attributes.push(KeyValue::new("gen_ai.token.type", kind));
            self.tokens.record(count, &attributes);
            attributes.truncate(3);
        }
    }
}

/// A provider's usual name here as the conventions have it; every other name is the operator's own.
fn provider(name: &str) -> &str {
    match name {
        "bedrock" => "aws.bedrock",
        "azure" => "azure.ai.openai",
        "mistral" => "mistral_ai",
        "google" | "gemini" => "gcp.gemini",
        "xai" => "x_ai",
        other => other,
    }
}

fn context_of(context: TraceContext) -> SpanContext {
    let flags = if context.sampled { TraceFlags::SAMPLED } else { TraceFlags::NOT_SAMPLED };
    let (trace, span) = (TraceId::from_bytes(context.trace), SpanId::from_bytes(context.span));
    SpanContext::new(trace, span, flags, true, TraceState::default())
}

struct Open(Span);

impl OpenSpan for Open {
    fn set(&mut self, key: &'static str, value: trace::Value) {
        let value = match value {
            trace::Value::Text(text) if key == "gen_ai.provider.name" => provider(&text).to_owned().into(),
            trace::Value::Text(text) => text.into(),
            trace::Value::Texts(texts) => {
                Value::Array(Array::String(texts.into_iter().map(StringValue::from).collect()))
            }
            trace::Value::Whole(count) => count.into(),
            trace::Value::Fraction(number) => number.into(),
            trace::Value::Yes(yes) => yes.into(),
        };
        self.0.set_attribute(KeyValue::new(key, value));
    }

    fn fail(&mut self, kind: &'static str) {
        self.0.set_attribute(KeyValue::new("error.type", kind));
        // An error's text may be a provider's, and hold what a user wrote.
        self.0.set_status(Status::error(""));
    }

    fn end(&mut self, at: SystemTime) {
        self.0.end_with_timestamp(at);
    }

    fn context(&self) -> TraceContext {
        let context = self.0.span_context();
        TraceContext {
            trace: context.trace_id().to_bytes(),
            span: context.span_id().to_bytes(),
            sampled: context.is_sampled(),
        }
    }
}
