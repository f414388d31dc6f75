//! HEAD is answered as GET is, without the body: monitors and link checkers ask so.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::Error;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;
use bytes::Bytes;

/// Where an answer goes on for as long as something happens, or is made while it is sent. There HEAD is refused: it would
/// begin what nobody reads.
const STREAMS: [&str; 3] = ["/api/me/export", "/api/runs/{id}/events", "/v1/responses/{id}"];

/// Whether a route that knows GET knows HEAD too.
pub fn is_known_at(pattern: &str) -> bool {
    !STREAMS.contains(&pattern)
}

/// Lets the routes see GET in the place of HEAD.
///
/// # Errors
/// Those of what comes after.
pub async fn as_get(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_head = *request.method() == Method::HEAD
        && request.match_pattern().is_none_or(|pattern| is_known_at(&pattern));
    if !is_head {
        return Ok(next.call(request).await?.map_into_boxed_body());
    }
    request.head_mut().method = Method::GET;
    let response = next.call(request).await?;
    Ok(response.map_body(|_, body| BoxBody::new(Unsent(body.size()))))
}

/// A body of this size that is not sent.
struct Unsent(BodySize);

impl MessageBody for Unsent {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Poll::Ready(None)
    }
}
