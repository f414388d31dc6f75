//! Keys that requests are signed with, and how they are read from JSON.

use std::fmt;

use jiff::Timestamp;
use secrecy::SecretString;
use serde::Deserialize;

/// What requests are signed with. `Debug` shows no secret.
#[derive(Clone)]
pub(in crate::llm::bedrock) struct Keys {
    pub access_key_id: String,
    pub secret_access_key: SecretString,
    pub session_token: Option<SecretString>,
    /// When they expire, where they do.
    pub expires: Option<Timestamp>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("expires", &self.expires).finish_non_exhaustive()
    }
}

impl Keys {
    /// Reads the keys that the metadata services of containers and machines answer with.
    ///
    /// # Errors
    /// What is wrong, in words that repeat nothing of the answer.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Document {
            code: Option<String>,
            access_key_id: Option<String>,
            secret_access_key: Option<String>,
            token: Option<String>,
            expiration: Option<Timestamp>,
        }
        // The parser's error would quote the value that it cannot read.
        let document: Document =
            serde_json::from_slice(json).map_err(|_| "its answer holds no credentials".to_owned())?;
        if document.code.is_some_and(|code| code != "Success") {
            return Err("it says that it has no credentials for this role".into());
        }
        let missing = || "its answer has no access key".to_owned();
        Ok(Self {
            access_key_id: document.access_key_id.ok_or_else(missing)?,
            secret_access_key: document.secret_access_key.ok_or_else(missing)?.into(),
            session_token: document.token.filter(|token| !token.is_empty()).map(SecretString::from),
            expires: document.expiration,
        })
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn what_metadata_services_answer_is_read_and_not_shown() {
        let json = br#"{"Code": "Success", "LastUpdated": "x", "Type": "AWS-HMAC", "AccessKeyId": "AK",
            "SecretAccessKey": "hidden", "Token": "hidden-too", "Expiration": "2026-11-23T16:00:00Z"}"#;
        let keys = Keys::read(json).unwrap();
        assert_eq!((keys.access_key_id.as_str(), keys.secret_access_key.expose_secret()), ("AK", "hidden"));
        assert_eq!(keys.expires, Some("2026-11-23T16:00:00Z".parse().unwrap()));
        assert!(!format!("{keys:?}").contains("hidden"));
        for none in
            ["", "{}", "[]", r#"{"Code": "Failed"}"#, r#"{"AccessKeyId": "hidden", "Expiration": "hidden"}"#]
        {
            let problem = Keys::read(none.as_bytes()).unwrap_err();
            assert!(!problem.contains("hidden"), "{problem}");
        }
    }
}
