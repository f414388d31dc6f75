//! Identification, as at the other routes; refused in the shape that these clients read, never as a page.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{ALLOW, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpRequest, HttpResponse};

use super::refusal::Refusal;
use crate::identity::Permission;
use crate::server::extract::Caller;
use crate::server::middleware::gate;
use crate::server::openapi;

/// The prefix of these routes, as `auth.token_routes` names it.
const PREFIX: &str = "/v1";

/// Lets a request through with its identity in the extensions, or refuses it.
pub async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let admitted = gate::admit_program(&request, PREFIX).await;
    let admitted = admitted.map_err(|problem| Refusal::from(problem).response());
    gate::pass(request, next, admitted).await
}

/// Refuses a token that may not ask. A token that may ask may also read what it has asked.
pub(super) fn may_ask(caller: &Caller) -> Result<(), Refusal> {
    Ok(caller.may(Permission::Ask)?)
}

/// Refuses a token that may neither read nor ask.
pub(super) fn may_look(caller: &Caller) -> Result<(), Refusal> {
    caller.may(Permission::Read).or_else(|_| caller.may(Permission::Ask))?;
    Ok(())
}

/// A path that does not exist, or a method that a path does not support.
pub(in crate::server) async fn no_such_route(request: HttpRequest) -> HttpResponse {
    let Some(methods) = request.match_pattern().as_deref().and_then(openapi::allowed) else {
        return Refusal::no_route().response();
    };
    let mut response = Refusal::wrong_method(methods).response();
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    response
}
