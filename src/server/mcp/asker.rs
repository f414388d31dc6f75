//! The caller and the server, which every tool needs.

use actix_web::web;

use crate::runs::AskedBy;
use crate::server::app::App;
use crate::server::extract::Caller;

/// One request's caller, at this server.
#[derive(Clone)]
pub(super) struct Asker {
    pub app: web::Data<App>,
    pub caller: Caller,
    pub asked_by: AskedBy,
}
