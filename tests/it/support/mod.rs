//! What the tests stand on.

pub mod app;
pub mod db;
pub mod events;
pub mod model_server;
pub mod models;
pub mod wire;
pub mod process;
pub mod sentry;
