//! A text while it is being written, piece by piece. A piece is an event whose `content` is new text, and
//! whose other fields are the same in every piece of the text.

use std::sync::Arc;

use serde_json::Value;

/// What every piece of one text has in common: the event's type, and who writes what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenHead(Arc<str>);

impl TokenHead {
    /// A head with this event type and the fields other than `content`. Fields that are null are left out.
    #[must_use]
    pub fn new(kind: &str, fields: &Value) -> Self {
        Self::with_text_in(kind, fields, "content")
    }

    /// [`TokenHead::new`] with the new text in another field than `content`.
    #[must_use]
    pub fn with_text_in(kind: &str, fields: &Value, text_field: &str) -> Self {
        let mut head = format!("{{\"type\":{}", Value::from(kind));
        let fields = fields.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        for (name, value) in fields {
            head.push_str(&format!(",{}:{value}", Value::from(name.as_str())));
        }
        head.push_str(&format!(",{}:", Value::from(text_field)));
        Self(head.into())
    }

    /// A piece of this text.
    #[must_use]
    pub fn token(&self, text: String) -> Token {
        Token { head: self.clone(), text }
    }
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    head: TokenHead,
    text: String,
}

impl Token {
    /// Appends the next piece, if it is of the same text: pieces that nobody has seen yet can be joined. Returns
    /// whether it was.
    pub fn join(&mut self, next: &Self) -> bool {
        let same = Arc::ptr_eq(&self.head.0, &next.head.0) || self.head == next.head;
        if same {
            self.text.push_str(&next.text);
        }
        same
    }

    /// The event as JSON text, as it is sent and logged.
    #[must_use]
    pub fn json(&self) -> String {
        let text = serde_json::to_string(&self.text).expect("text is JSON");
        format!("{}{text}}}", self.head.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_one_text_are_joined_and_of_two_texts_are_not() {
        let head = |model: &str| TokenHead::new("stage3_token", &json!({ "model": model, "tier": null }));
        let mut token = head("a").token("One".into());
        assert!(token.join(&head("a").token(" two".into())));
        assert!(!token.join(&head("b").token(" drei".into())));
        assert_eq!(token.json(), r#"{"type":"stage3_token","model":"a","content":"One two"}"#);
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_back(model in any::<String>(), text in any::<String>()) {
            let json = TokenHead::new("x", &json!({ "model": model })).token(text.clone()).json();
            let back: Value = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(back, json!({ "type": "x", "model": model, "content": text }));
        }
    }
}
