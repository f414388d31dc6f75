//! Reading a logged event: by its `type`, which says whose it is. Trying every feature in turn, as serde does where nothing
//! says which, takes many times as long.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde::de::Error as _;

/// Reads an event of one feature.
pub(in crate::council) type Reader<E> = fn(&[u8]) -> serde_json::Result<E>;

/// The readers of several features, by the types of their events.
pub(in crate::council) struct Readers<E>(HashMap<String, Vec<Reader<E>>>);

#[derive(Deserialize)]
struct Kind<'j> {
    #[serde(borrow)]
    r#type: Cow<'j, str>,
}

impl<E> Readers<E> {
    /// Of features in their order, each with the types of its events.
    pub fn new(features: Vec<(Vec<String>, Reader<E>)>) -> Self {
        let mut by_type: HashMap<_, Vec<_>> = HashMap::new();
        for (types, reader) in features {
            for name in types {
                by_type.entry(name).or_default().push(reader);
            }
        }
        Self(by_type)
    }

    /// Reads an event.
    ///
    /// # Errors
    /// When no feature has such an event.
    pub fn read(&self, json: &[u8]) -> serde_json::Result<E> {
        let Kind { r#type } = serde_json::from_slice(json)?;
        // Where several have an event of a name, the first in the list that it fits, as for serde.
        let mut tried = self.0.get(&*r#type).into_iter().flatten().map(|reader| reader(json));
        let first = tried.next().unwrap_or_else(|| Err(serde_json::Error::custom("there is no such event")));
        first.or_else(|error| tried.find(Result::is_ok).unwrap_or(Err(error)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use crate::council::features::Event;
    use crate::council::run_event::RunEvent;
    use crate::council::stages::title::TitleEvent;

    #[test]
    fn every_feature_names_its_events_and_few_have_one_name() {
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        for (types, _) in Event::readers() {
            assert!(!types.is_empty());
            for name in types {
                *known.entry(name).or_default() += 1;
            }
        }
        assert!(known.len() > 80, "{known:?}");
        known.retain(|_, times| *times > 1);
        // A debate's, and that of several chairmen: the order of the list tells them apart.
        assert_eq!(known.into_keys().collect::<Vec<_>>(), ["synthesis_complete"]);
    }

    #[test]
    fn an_event_is_read_by_whose_it_is_and_what_is_none_is_refused() {
        let read = |json: &str| Event::read(json.as_bytes()).unwrap();
        assert!(matches!(read(r#"{"type":"complete"}"#), Event::Run(RunEvent::Complete { .. })));
        let token = read(r#"{"content":"a","type":"stage3_token","model":"m","seq":1}"#);
        assert!(matches!(token, Event::Synthesis(_)), "{token:?}");
        let title = read(r#"{"type":"title_complete","data":{"title":"A \"title\""}}"#);
        let Event::Title(TitleEvent::TitleComplete { data }) = &title else { panic!("{title:?}") };
        assert_eq!(json!(data), json!({"title": "A \"title\""}));
        for json in
            [r#"{"type":"no_such_thing"}"#, r#"{"data":{}}"#, "[]", "", r#"{"type":"title_complete"}"#]
        {
            assert!(Event::read(json.as_bytes()).is_err(), "{json}");
        }
    }
}
