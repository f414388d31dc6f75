//! Files in an object store (S3, or what speaks as S3 does), in the place of the database: put before a file points to them, read
//! and compared with the file's hash, removed when no file points to them any more. Which objects there are the database
//! says ([`crate::store::objects`]).
//!
//! Stands on `store`. Start reading at [`Objects`].

mod client;
mod error;
mod kept;
mod metrics;
mod settings;
mod sweep;

pub use error::{NotDone, ObjectError, SetupError};
pub use kept::Objects;
pub use settings::Settings;
