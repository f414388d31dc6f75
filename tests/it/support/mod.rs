//! What the tests stand on.

pub mod app;
pub mod db;
pub mod device;
pub mod events;
pub mod follower;
pub mod judged;
pub mod model_server;
pub mod models;
pub mod money;
pub mod object_server;
pub mod process;
pub mod ranked;
pub mod replicas;
pub mod search_server;
pub mod sentry;
pub mod wire;
