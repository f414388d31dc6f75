//! What a client brings back unread, and must not have changed.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use rmcp::ErrorData;
use sha2::Sha256;
use uuid::Uuid;

/// Signs with a key that lives as long as the process.
#[derive(Clone)]
pub struct Signer(Arc<[u8; 16]>);

impl Default for Signer {
    fn default() -> Self {
        Self(Arc::new(Uuid::new_v4().into_bytes()))
    }
}

impl Signer {
    fn mac(&self, stage: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&*self.0).expect("HMAC takes a key of any length");
        mac.update(stage.as_bytes());
        mac
    }

    pub fn seal(&self, stage: &str) -> String {
        format!("{stage}.{}", hex::encode(self.mac(stage).finalize().into_bytes()))
    }

    /// # Errors
    /// When it is none that was sealed here.
    pub fn open<'a>(&self, state: &'a str) -> Result<&'a str, ErrorData> {
        let sealed = state.rsplit_once('.').and_then(|(stage, seal)| {
            let seal = hex::decode(seal).ok()?;
            self.mac(stage).verify_slice(&seal).ok()?;
            Some(stage)
        });
        sealed.ok_or_else(|| ErrorData::invalid_params("requestState is none that this server gave", None))
    }
}
