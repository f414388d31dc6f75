//! An event on its way to the readers of a run. Each feature owns its events; the layers below carry them without
//! knowing any of them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::asking::Asking;
use super::note::Note;

/// The events of one feature: an enum that serializes with its `type` inside.
pub trait FeatureEvent: Serialize + fmt::Debug + Send + Sync + 'static {
    /// The process monitor's note on the event, if any. Made from the event alone.
    fn note(&self) -> Option<Note> {
        None
    }

    /// A further note at the highest verbosity. Made from the event alone.
    fn remark(&self) -> Option<Note> {
        None
    }

    /// Whether the run's stream ends after it.
    fn ends_the_run(&self) -> bool {
        false
    }

    /// Whether the run waits for its owner's decision from now on.
    fn waits_for_person(&self) -> bool {
        false
    }

    /// Which members are being asked from now on, or no longer, where the event tells that.
    fn asking(&self) -> Option<Asking> {
        None
    }

    /// Reads an event as it is logged.
    ///
    /// # Errors
    /// When it is none of this feature's.
    fn read(json: &[u8]) -> serde_json::Result<Self>
    where
        Self: DeserializeOwned,
    {
        serde_json::from_slice(json)
    }

    /// The values that the `type` of these events has, as serde lists them in its error for an unknown one: "unknown variant
    /// ``, expected one of `a`, `b`". They are taken from the text, because an error type that keeps the list would have every
    /// event's reading compiled a second time (9,400 functions, a twentieth of the program).
    #[must_use]
    fn types() -> Vec<String>
    where
        Self: DeserializeOwned,
    {
        let unknown = Self::read(br#"{"type":""}"#).err().map(|error| error.to_string()).unwrap_or_default();
        unknown.split('`').skip(3).step_by(2).map(str::to_owned).collect()
    }
}

/// An event of any feature.
#[derive(Debug, Clone)]
pub struct AnyEvent(Arc<dyn Erased>);

/// [`FeatureEvent`] without its type.
trait Erased: Any + fmt::Debug + Send + Sync {
    fn json(&self) -> String;
    fn note(&self) -> Option<Note>;
    fn remark(&self) -> Option<Note>;
    fn ends_the_run(&self) -> bool;
    fn waits_for_person(&self) -> bool;
    fn asking(&self) -> Option<Asking>;
}

impl<E: FeatureEvent> Erased for E {
    fn json(&self) -> String {
        serde_json::to_string(self).expect("an event is plain data with string keys")
    }

    fn note(&self) -> Option<Note> {
        FeatureEvent::note(self)
    }

    fn remark(&self) -> Option<Note> {
        FeatureEvent::remark(self)
    }

    fn ends_the_run(&self) -> bool {
        FeatureEvent::ends_the_run(self)
    }

    fn waits_for_person(&self) -> bool {
        FeatureEvent::waits_for_person(self)
    }

    fn asking(&self) -> Option<Asking> {
        FeatureEvent::asking(self)
    }
}

impl<E: FeatureEvent> From<E> for AnyEvent {
    fn from(event: E) -> Self {
        Self(Arc::new(event))
    }
}

impl AnyEvent {
    /// The event as one of the feature `E`, if it is one.
    #[must_use]
    pub fn get<E: FeatureEvent>(&self) -> Option<&E> {
        let event: &dyn Any = self.0.as_ref();
        event.downcast_ref()
    }

    /// The event as JSON text, as it is sent and logged.
    #[must_use]
    pub fn json(&self) -> String {
        self.0.json()
    }

    /// See [`FeatureEvent::note`].
    #[must_use]
    pub fn note(&self) -> Option<Note> {
        self.0.note()
    }

    /// See [`FeatureEvent::remark`].
    #[must_use]
    pub fn remark(&self) -> Option<Note> {
        self.0.remark()
    }

    /// See [`FeatureEvent::ends_the_run`].
    #[must_use]
    pub fn ends_the_run(&self) -> bool {
        self.0.ends_the_run()
    }

    /// See [`FeatureEvent::waits_for_person`].
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        self.0.waits_for_person()
    }

    /// See [`FeatureEvent::asking`].
    #[must_use]
    pub fn asking(&self) -> Option<Asking> {
        self.0.asking()
    }
}
