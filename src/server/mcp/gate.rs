//! Identification, as at the other routes for programs.

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;

use crate::server::middleware::gate;

/// The prefix of these routes, as `auth.token_routes` names it.
const PREFIX: &str = "/mcp";

/// Lets a request through with its identity in the extensions, or refuses it.
pub async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let admitted = gate::admit_program(&request, PREFIX).await.map_err(|problem| problem.response());
    gate::pass(request, next, admitted).await
}
