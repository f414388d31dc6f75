//! Amazon Bedrock: Converse, ConverseStream, and InvokeModel for embeddings. Framing and signatures are left to AWS's
//! own crates.

mod catalogue;
mod converse;
mod credentials;
mod embeddings;
mod failure;
mod frames;
mod incoming;
mod lists;
mod provider;
pub(in crate::llm) mod regions;
mod remap;
mod request_json;
mod server;
mod settings;
mod sign;

pub use provider::KIND;
