//! Who asks, and with what: what every tool stands on.

use actix_web::web;

use crate::server::app::App;
use crate::server::extract::Caller;
use crate::runs::AskedBy;

/// One request's caller, at this server.
#[derive(Clone)]
pub(super) struct Asker {
    pub app: web::Data<App>,
    pub caller: Caller,
    pub asked_by: AskedBy,
}
