//! This server's identity for push services (RFC 8292): a token for each message, signed with a key that stays the
//! same.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
use aws_lc_rs::encoding::{AsBigEndian as _, EcPrivateKeyBin};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use url::Url;

/// How long a token is valid, in seconds; push services accept at most a day.
const VALID_FOR: SignedDuration = SignedDuration::from_hours(12);
/// `{"typ":"JWT","alg":"ES256"}`
const HEADER: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9";

/// A private key that is not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a P-256 private key: 32 bytes in URL-safe base64, as `llm-council vapid-key` makes them")]
pub struct BadKey;

/// The key, and whom push services may write to about it.
#[derive(Clone)]
pub struct Vapid {
    key: Arc<EcdsaKeyPair>,
    public_key: String,
    subject: String,
}

impl fmt::Debug for Vapid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vapid").field("public_key", &self.public_key).finish_non_exhaustive()
    }
}

impl Vapid {
    /// Reads the private key as configurations have it; `subject` is a `mailto:` or `https:` address.
    ///
    /// # Errors
    /// When it is not a valid key.
    pub fn new(private_key: &str, subject: &str) -> Result<Self, BadKey> {
        let private = URL_SAFE_NO_PAD.decode(private_key.trim_end_matches('=')).map_err(|_| BadKey)?;
        let key = PrivateKey::from_private_key(&ECDH_P256, &private).map_err(|_| BadKey)?;
        let public = key.compute_public_key().map_err(|_| BadKey)?;
        let key = EcdsaKeyPair::from_private_key_and_public_key(
            &ECDSA_P256_SHA256_FIXED_SIGNING,
            &private,
            public.as_ref(),
        )
        .map_err(|_| BadKey)?;
        Ok(Self {
            key: Arc::new(key),
            public_key: URL_SAFE_NO_PAD.encode(public.as_ref()),
            subject: subject.to_owned(),
        })
    }

    /// A new private key, as configurations have it.
    #[must_use]
    pub fn new_private_key() -> String {
        let key = PrivateKey::generate(&ECDH_P256).expect("the system has random numbers");
        let bytes: EcPrivateKeyBin<'_> = key.as_be_bytes().expect("a key of P-256 has a number");
        URL_SAFE_NO_PAD.encode(bytes.as_ref())
    }

    /// The public key in the form that browsers expect.
    #[must_use]
    pub fn public_key(&self) -> &str {
        &self.public_key
    }

    /// The token for a message to this endpoint.
    pub(super) fn token(&self, endpoint: &Url, now: Timestamp) -> String {
        let claims = json!({
            "aud": endpoint.origin().ascii_serialization(),
            "exp": (now + VALID_FOR).as_second(),
            "sub": self.subject,
        });
        let signed = format!("{HEADER}.{}", URL_SAFE_NO_PAD.encode(claims.to_string()));
        let signature = self
            .key
            .sign(&SystemRandom::new(), signed.as_bytes())
            .expect("a key of P-256 signs whatever there is");
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_token_is_for_one_push_service_and_verified_with_the_public_key() {
        let vapid = Vapid::new(&Vapid::new_private_key(), "mailto:root@example.com").unwrap();
        let endpoint = Url::parse("https://push.example.net:8443/v1/abc?d=e").unwrap();
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let token = vapid.token(&endpoint, now);
        let parts: Vec<&str> = token.split('.').collect();
        let read =
            |part: &str| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap() };
        assert_eq!(read(parts[0]), json!({"typ": "JWT", "alg": "ES256"}));
        assert_eq!(
            read(parts[1]),
            json!({"aud": "https://push.example.net:8443", "exp": 1_800_043_200, "sub": "mailto:root@example.com"})
        );
        let public = URL_SAFE_NO_PAD.decode(vapid.public_key()).unwrap();
        let signature = URL_SAFE_NO_PAD.decode(parts[2]).unwrap();
        let signed = token.rsplit_once('.').unwrap().0;
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &public)
            .verify(signed.as_bytes(), &signature)
            .unwrap();
    }

    #[test]
    fn a_key_made_elsewhere_is_read() {
        // As in the example of RFC 8291, where the keys are the application server's.
        let vapid = Vapid::new("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw", "mailto:a@b").unwrap();
        assert_eq!(
            vapid.public_key(),
            "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
        );
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let zero = URL_SAFE_NO_PAD.encode([0; 32]);
        let beyond = URL_SAFE_NO_PAD.encode([0xff; 32]);
        for text in ["", "secret", "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oQ", &zero, &beyond] {
            assert_eq!(Vapid::new(text, "mailto:a@b").unwrap_err(), BadKey, "{text}");
        }
    }
}
