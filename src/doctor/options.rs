//! What an examination is asked to do.

use std::net::IpAddr;

/// What is to be examined.
#[derive(Debug, Clone, Default)]
pub struct ExaminationOptions {
    /// Models in addition to those of the council.
    pub models: Vec<String>,
    /// The most that it may cost, in USD; absent: the usual amount, and models of unknown price are asked as well.
    pub max_cost_usd: Option<f64>,
    /// Models are asked for streamed replies only.
    pub only_streamed: bool,
}

/// A request that came to the server that is examined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRequest {
    /// The address that the request came from.
    pub peer: Option<IpAddr>,
    /// The names of its headers.
    pub headers: Vec<String>,
}
