//! What the tests stand on.

pub mod model_server;
