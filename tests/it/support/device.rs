//! A browser that has subscribed to Web Push: its keys, and how it reads what it is sent (RFC 8291, from the receiver's side).

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// The part of a configuration that notifications are on with. Push services of tests listen on this machine.
pub const PUSH: &str = "[push]\nvapid_private_key = \"yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw\"\n\
    subject = \"mailto:root@example.com\"\nallowed_networks = [\"127.0.0.0/8\"]\n";
/// The same where nothing is sent into any network of this machine's.
pub const PUSH_TO_PUBLIC: &str = "[push]\nvapid_private_key = \"yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw\"\n\
    subject = \"mailto:root@example.com\"\n";
/// The public part of that key.
pub const PUBLIC_KEY: &str =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";

pub struct Device {
    key: PrivateKey,
    auth: [u8; 16],
}

impl Device {
    pub fn new() -> Self {
        Self { key: PrivateKey::generate(&ECDH_P256).unwrap(), auth: *uuid::Uuid::new_v4().as_bytes() }
    }

    /// What the browser gives out.
    pub fn subscription(&self, endpoint: &str) -> Value {
        let public = self.key.compute_public_key().unwrap();
        json!({
            "endpoint": endpoint,
            "expirationTime": null,
            "keys": {"p256dh": URL_SAFE_NO_PAD.encode(public), "auth": URL_SAFE_NO_PAD.encode(self.auth)},
            "name": "Firefox (Linux)",
        })
    }

    /// Reads a message; nothing where it is not for this device.
    pub fn open(&self, message: &[u8]) -> Option<Value> {
        let (salt, rest) = message.split_at_checked(16)?;
        let (record, rest) = rest.split_at_checked(4)?;
        assert_eq!(record, 4_096_u32.to_be_bytes());
        let (&length, rest) = rest.split_first()?;
        let (theirs, sealed) = rest.split_at_checked(length.into())?;
        assert!(sealed.len() <= 4_096, "it is one record");
        let own = self.key.compute_public_key().unwrap();
        let shared =
            agree(&self.key, UnparsedPublicKey::new(&ECDH_P256, theirs), (), |key| Ok(key.to_vec())).ok()?;
        let info = [b"WebPush: info\0".as_slice(), own.as_ref(), theirs].concat();
        let secret = derive(&self.auth, &shared, &info);
        let key = derive(salt, &secret, b"Content-Encoding: aes128gcm\0");
        let nonce = derive(salt, &secret, b"Content-Encoding: nonce\0");
        let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key[..16]).unwrap());
        let nonce = Nonce::try_assume_unique_for_key(&nonce[..12]).unwrap();
        let mut sealed = sealed.to_vec();
        let padded = key.open_in_place(nonce, Aad::empty(), &mut sealed).ok()?;
        let end = padded.iter().rposition(|byte| *byte != 0)?;
        assert_eq!(padded[end], 2, "it is the last record");
        Some(serde_json::from_slice(&padded[..end]).unwrap())
    }
}

/// HKDF with SHA-256, by its definition, up to 32 bytes.
fn derive(salt: &[u8], secret: &[u8], info: &[u8]) -> [u8; 32] {
    let sign = |key: &[u8], text: &[u8]| hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text);
    let extracted = sign(salt, secret);
    let expanded = sign(extracted.as_ref(), &[info, &[1]].concat());
    expanded.as_ref().try_into().unwrap()
}
