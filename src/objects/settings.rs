//! Which object store is used, and with which identity.

use secrecy::SecretString;
use url::Url;

/// See the module. `Debug` shows no secret.
#[derive(Debug, Clone)]
pub struct Settings {
    pub endpoint: Url,
    pub bucket: String,
    pub region: String,
    /// What keys begin with.
    pub prefix: String,
    pub access_key_id: String,
    pub secret_access_key: SecretString,
    /// Whether the bucket stands in the path, or in the name of the host.
    pub path_style: bool,
    /// Smaller files stay in the database.
    pub from_bytes: usize,
}
