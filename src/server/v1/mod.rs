//! The council for programs that speak OpenAI's API: `/v1/models`, `/v1/chat/completions` and `/v1/responses`.
//! It only translates: a list of messages becomes a question with a history, [`asking`](super::asking) makes a run of
//! that, and the run's events ([`followed_run`]) become chunks, typed events or one object.
//!
//! Start at [`ask`], which both share, then [`chat`] and [`followed_run`]. What both APIs read alike is in [`request`],
//! [`messages`] and [`files`]; errors are one table, in [`refusal`].

mod api;
mod ask;
pub(super) mod chat;
mod chat_object;
mod chat_request;
mod chores;
mod conversation;
mod council_object;
mod direct;
mod files;
mod follow;
mod followed_run;
mod form;
pub(super) mod gate;
mod keeping;
mod messages;
pub(super) mod models;
mod offer;
mod references;
pub(super) mod refusal;
mod request;
mod response_object;
mod response_request;
pub(super) mod responses;
mod start;
mod stream;

#[cfg(test)]
mod body_tests;
