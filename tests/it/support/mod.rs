//! What the tests stand on.

pub mod db;
pub mod model_server;
