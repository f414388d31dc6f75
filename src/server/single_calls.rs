//! The single calls that programs wait for here, and those whose reply nobody has had: the same request again joins its call
//! instead of being paid for once more. Libraries send a request again by themselves when they have given it up. Nothing
//! of such calls is stored, so this is in memory: at another server it is a new call.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared};

use super::problem::Problem;
use crate::id::UserId;
use crate::llm::{CallError, Reply};
use crate::runs::StartError;
use crate::store::runs::IdempotencyKey;

/// How long one is remembered, from its beginning: longer than libraries wait before they try again.
const REMEMBERED: Duration = Duration::from_secs(20 * 60);
/// How many are remembered; those beyond it cannot be joined.
const MOST: usize = 256;

/// What comes of a call, for everybody who waits for it.
pub(super) type PendingReply = Shared<BoxFuture<'static, Result<Result<Reply, CallError>, Problem>>>;

/// By what the same request is known again.
#[derive(Debug, Clone)]
pub(super) struct Name {
    place: (UserId, String),
    digest: Vec<u8>,
    /// The client has named it, so it is the same request also once it is answered.
    is_given: bool,
}

impl Name {
    /// A request of this user's, under its key or by a digest of all that it says.
    pub(super) fn of(user: &UserId, key: Option<IdempotencyKey>, digest: Vec<u8>) -> Self {
        match key {
            Some(key) => Self { place: (user.clone(), key.key), digest: key.request_digest, is_given: true },
            None => Self { place: (user.clone(), hex::encode(&digest)), digest, is_given: false },
        }
    }
}

struct Call {
    digest: Vec<u8>,
    begun: Instant,
    reply: PendingReply,
}

/// See the module.
#[derive(Clone, Default)]
pub struct SingleCalls(Arc<Mutex<HashMap<(UserId, String), Call>>>);

impl SingleCalls {
    /// The call of this request and whether it was joined; where there is none that did not fail, the one that begins now.
    ///
    /// # Errors
    /// When the name stands for another request.
    pub(super) fn join(
        &self,
        name: &Name,
        begin: impl FnOnce() -> PendingReply,
    ) -> Result<(PendingReply, bool), Problem> {
        let mut calls = self.calls();
        calls.retain(|_, call| call.begun.elapsed() < REMEMBERED);
        if let Some(call) = calls.get(&name.place) {
            if call.digest != name.digest {
                return Err(StartError::KeyOfAnother.into());
            }
            let reply = call.reply.clone().now_or_never();
            if reply.is_none_or(|reply| matches!(reply, Ok(Ok(_)))) {
                return Ok((call.reply.clone(), true));
            }
        }
        let reply = begin();
        calls.remove(&name.place);
        if calls.len() < MOST {
            let call = Call { digest: name.digest.clone(), begun: Instant::now(), reply: reply.clone() };
            calls.insert(name.place.clone(), call);
        }
        Ok((reply, false))
    }

    /// A client has had the reply. A client that sends the same request after that wants another one, unless its own
    /// key says otherwise.
    pub(super) fn mark_delivered(&self, name: &Name) {
        if !name.is_given {
            self.calls().remove(&name.place);
        }
    }

    fn calls(&self) -> MutexGuard<'_, HashMap<(UserId, String), Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
