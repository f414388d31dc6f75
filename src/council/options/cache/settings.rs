//! What the semantic cache is set to.

use crate::council::setting::{Key, Kind, Setting, settings};

settings! {
    /// What the semantic cache is set to.
    CacheSettings,
    /// One layer of it.
    CacheLayer {
        /// Whether questions are compared by vectors of an embedding model. Without it only questions in the same or
        /// nearly the same words are found.
        use_api_embeddings: bool = true,
            Setting { key: Key::At("cache.use_api_embeddings"), ..Setting::of(Kind::Flag) };
        /// The embedding model. Vectors of two models are not compared.
        embedding_model: String = "openai/text-embedding-3-small".to_owned(),
            Setting { key: Key::At("cache.embedding_model"), ..Setting::of(Kind::EmbeddingModel) };
    }
}

impl CacheSettings {
    /// Whether a model makes the vectors, where `offers` says which model's provider has any.
    #[must_use]
    pub fn by_model(&self, offers: impl Fn(&str) -> bool) -> bool {
        self.use_api_embeddings && offers(&self.embedding_model)
    }
}
