//! Spans and call figures for a trace collector ([`install`]). Where there is none, a span is empty, and not even
//! described.
//!
//! A leaf: it knows what a span is, but neither who collects it nor what it describes. Nothing that people or models
//! wrote belongs in a span.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// A collector of spans and call figures.
pub trait Collector: Send + Sync {
    /// Begins a span.
    fn begin(&self, new: NewSpan) -> Box<dyn OpenSpan>;

    /// Counts a call that has ended.
    fn count(&self, call: &CallFigures<'_>);
}

/// A span that has begun. It ends when it is dropped, unless it has been ended before.
pub trait OpenSpan: Send + Sync {
    /// Sets an attribute.
    fn set(&mut self, key: &'static str, value: Value);

    /// Marks the span as failed, with the reason in one word (`error.type`).
    fn fail(&mut self, kind: &'static str);

    /// Ends the span as of this time; what is set later is lost.
    fn end(&mut self, at: SystemTime);

    /// The span's context.
    fn context(&self) -> TraceContext;
}

/// The context of a span, which its children, and links to it, refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    pub trace: [u8; 16],
    pub span: [u8; 8],
    /// Whether it is collected.
    pub sampled: bool,
}

impl TraceContext {
    /// Reads a `traceparent` header (W3C Trace Context); `None` for anything else.
    #[must_use]
    pub fn from_traceparent(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let wrong_version =
            version.len() != 2 || version == "ff" || (version == "00" && parts.next().is_some());
        if wrong_version || flags.len() != 2 || ![version, trace, span, flags].into_iter().all(is_hex) {
            return None;
        }
        let mut context = Self { trace: [0; 16], span: [0; 8], sampled: false };
        hex::decode_to_slice(trace, &mut context.trace).ok()?;
        hex::decode_to_slice(span, &mut context.span).ok()?;
        context.sampled = u8::from_str_radix(flags, 16).ok()? & 1 == 1;
        (context.trace != [0; 16] && context.span != [0; 8]).then_some(context)
    }
}

/// The kind of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A request to this program.
    Server,
    /// A request by this program.
    Client,
    Internal,
}

/// A span that is to begin.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSpan {
    pub name: String,
    pub kind: Kind,
    /// The span that it is part of; without one it begins a trace.
    pub parent: Option<TraceContext>,
    /// A span of a related trace.
    pub link: Option<TraceContext>,
}

/// An attribute's value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Text(String),
    Texts(Vec<String>),
    Whole(i64),
    Fraction(f64),
    Yes(bool),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<u64> for Value {
    fn from(count: u64) -> Self {
        Self::Whole(i64::try_from(count).unwrap_or(i64::MAX))
    }
}

impl From<u32> for Value {
    fn from(count: u32) -> Self {
        Self::Whole(count.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Fraction(number)
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Self::Yes(yes)
    }
}

/// The figures of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFigures<'c> {
    /// `chat`, `embeddings` or `execute_tool`, after OpenTelemetry's conventions for GenAI.
    pub operation: &'static str,
    pub provider: &'c str,
    /// The model's name in the request.
    pub model: &'c str,
    pub took: Duration,
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// How it failed, in one word.
    pub error: Option<&'static str>,
}

static COLLECTOR: OnceLock<Box<dyn Collector>> = OnceLock::new();

/// Gives this process's spans to a collector from now on; false when it has one already.
pub fn install(collector: Box<dyn Collector>) -> bool {
    COLLECTOR.set(collector).is_ok()
}

/// Whether anybody collects.
#[must_use]
pub fn is_on() -> bool {
    COLLECTOR.get().is_some()
}

/// Counts a call that has ended.
pub fn count(call: &CallFigures<'_>) {
    if let Some(collector) = COLLECTOR.get() {
        collector.count(call);
    }
}

/// A span, or nothing where nobody collects. It ends when its last copy is dropped, or with [`Span::end`]. Cheap to
/// clone.
#[derive(Clone, Default)]
pub struct Span(Option<Arc<Mutex<Box<dyn OpenSpan>>>>);

impl Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Span").field(&self.context()).finish()
    }
}

impl Span {
    /// Begins a span, which is described only if somebody collects it.
    #[must_use]
    pub fn begin(new: impl FnOnce() -> NewSpan) -> Self {
        Self(COLLECTOR.get().map(|collector| Arc::new(Mutex::new(collector.begin(new())))))
    }

    /// Begins a span within this one.
    #[must_use]
    pub fn child(&self, kind: Kind, name: impl FnOnce() -> String) -> Self {
        let Some(parent) = self.context() else { return Self::default() };
        Self::begin(|| NewSpan { name: name(), kind, parent: Some(parent), link: None })
    }

    /// The span's context; `None` where nobody collects.
    #[must_use]
    pub fn context(&self) -> Option<TraceContext> {
        self.with(|span| span.context())
    }

    /// Sets an attribute.
    pub fn set(&self, key: &'static str, value: impl Into<Value>) {
        self.with(|span| span.set(key, value.into()));
    }

    /// Marks the span as failed, with the reason in one word.
    pub fn fail(&self, kind: &'static str) {
        self.with(|span| span.fail(kind));
    }

    /// Ends the span now, even if there are copies of it.
    pub fn end(&self) {
        self.end_at(SystemTime::now());
    }

    /// Ends the span as of this time.
    pub fn end_at(&self, at: SystemTime) {
        self.with(|span| span.end(at));
    }

    fn with<T>(&self, work: impl FnOnce(&mut dyn OpenSpan) -> T) -> Option<T> {
        let span = self.0.as_ref()?;
        Some(work(span.lock().unwrap_or_else(PoisonError::into_inner).as_mut()))
    }
}

/// The parts of a whole, each a span from the first thing in it to the last, so that nobody needs to know when a part
/// is over.
#[derive(Debug, Default)]
pub struct Parts(Mutex<BTreeMap<String, Part>>);

#[derive(Debug)]
struct Part {
    span: Span,
    /// When the last thing in it ended; `None` while something is under way.
    ended: Option<SystemTime>,
}

impl Parts {
    /// The span of the part of this name within `whole`; it begins with the first call.
    #[must_use]
    pub fn part(&self, whole: &Span, name: &str) -> Span {
        if whole.0.is_none() {
            return Span::default();
        }
        let mut parts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !parts.contains_key(name) {
            let span = whole.child(Kind::Internal, || name.to_owned());
            parts.insert(name.to_owned(), Part { span, ended: None });
        }
        parts.get(name).map(|part| part.span.clone()).unwrap_or_default()
    }

    /// Notes that something in this part has just ended.
    pub fn ended(&self, name: &str) {
        if let Some(part) = self.0.lock().unwrap_or_else(PoisonError::into_inner).get_mut(name) {
            part.ended = Some(SystemTime::now());
        }
    }
}

impl Drop for Parts {
    fn drop(&mut self) {
        for part in self.0.get_mut().unwrap_or_else(PoisonError::into_inner).values() {
            part.span.end_at(part.ended.unwrap_or_else(SystemTime::now));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_traceparent_is_read_as_the_w3c_has_it() {
        let context = TraceContext::from_traceparent(PARENT).unwrap();
        assert_eq!(hex::encode(context.trace), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!((hex::encode(context.span).as_str(), context.sampled), ("00f067aa0ba902b7", true));
        let unsampled = PARENT.replace("-01", "-00");
        assert!(!TraceContext::from_traceparent(&unsampled).unwrap().sampled);
        let newer = format!("cc{}-what-comes-later", PARENT.trim_start_matches("00"));
        assert_eq!(TraceContext::from_traceparent(&newer), Some(context));
        for wrong in [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e47-00f067aa0ba902b7-01",
        ] {
            assert_eq!(TraceContext::from_traceparent(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn where_nobody_collects_a_span_is_nothing_and_is_not_described() {
        let span = Span::begin(|| unreachable!("nobody collects"));
        assert_eq!(span.context(), None);
        let child = span.child(Kind::Client, || unreachable!("nobody collects"));
        child.set("key", "value");
        child.fail("timeout");
        child.end();
        assert_eq!(Parts::default().part(&span, "stage1").context(), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_stumble(text in "\\PC*", two in "[0-9a-f]{2}", id in "[0-9a-f]{16}") {
            prop_assert!(TraceContext::from_traceparent(&text).is_none_or(|context| context.trace != [0; 16]));
            let context = TraceContext::from_traceparent(&format!("00-{id}{id}-{id}-{two}"));
            prop_assert_eq!(context.is_some(), id != "0000000000000000");
        }
    }
}
