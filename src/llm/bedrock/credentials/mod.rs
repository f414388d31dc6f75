//! Where the keys that requests are signed with come from. They are looked for only where the configuration says, and
//! those that expire are renewed in time, once for all callers.

mod keys;
mod metadata;
mod renewing;
mod shared_files;
mod source;

pub(super) use keys::Keys;
pub(super) use renewing::Renewing;
pub(super) use source::Source;
