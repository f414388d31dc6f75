//! Reading a logged event: by its `type`, which says whose it is. Trying every feature in turn, as serde does where nothing
//! says which, takes many times as long.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;
use serde::de::Error as _;

use super::Event;

/// Reads an event of one feature.
pub(super) type Reader = fn(&[u8]) -> serde_json::Result<Event>;

impl Event {
    /// Reads an event as it is logged.
    ///
    /// # Errors
    /// When no feature has such an event: a newer version may have written it.
    pub fn read(json: &[u8]) -> serde_json::Result<Self> {
        static READERS: OnceLock<HashMap<&'static str, Vec<Reader>>> = OnceLock::new();
        #[derive(Deserialize)]
        struct Kind<'j> {
            #[serde(borrow)]
            r#type: std::borrow::Cow<'j, str>,
        }

        let readers = READERS.get_or_init(|| {
            let mut by_type: HashMap<_, Vec<_>> = HashMap::new();
            for (types, reader) in Self::readers() {
                for name in types {
                    by_type.entry(name).or_default().push(reader);
                }
            }
            by_type
        });
        let Kind { r#type } = serde_json::from_slice(json)?;
        // Where several have an event of a name, the first in the list that it fits, as for serde.
        let mut tried = readers.get(&*r#type).into_iter().flatten().map(|reader| reader(json));
        let first = tried.next().unwrap_or_else(|| Err(serde_json::Error::custom("there is no such event")));
        first.or_else(|error| tried.find(Result::is_ok).unwrap_or(Err(error)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn every_feature_names_its_events_and_few_have_one_name() {
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
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
    fn an_event_is_read_as_serde_reads_it_and_what_is_none_is_refused() {
        for json in [
            r#"{"type":"complete"}"#,
            r#"{"content":"a","type":"stage3_token","model":"m","seq":1}"#,
            r#"{"type":"title_complete","data":{"title":"A \"title\""}}"#,
        ] {
            let read = Event::read(json.as_bytes()).unwrap();
            assert_eq!(read, serde_json::from_str::<Event>(json).unwrap(), "{json}");
        }
        for json in
            [r#"{"type":"no_such_thing"}"#, r#"{"data":{}}"#, "[]", "", r#"{"type":"title_complete"}"#]
        {
            assert!(Event::read(json.as_bytes()).is_err(), "{json}");
        }
    }
}
