//! Identification on every request, even on one kept-alive connection; and whether a browser's state-changing request
//! comes from our own pages. Decided before the database is touched, except for tokens, which live there.

use std::net::IpAddr;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpRequest, HttpResponse, web};
use percent_encoding::percent_decode;

use crate::identity::{AuthMethod, Gate, Identity, Mode, Refusal, same_origin, token};
use crate::server::app::App;
use crate::server::problem::Problem;
use crate::store::{Scope, StoreError, tokens};

/// Lets a request through with its identity in the extensions, or refuses it.
pub async fn identify(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let admitted = admit(&request).await.map_err(|problem| problem.response());
    pass(request, next, admitted).await
}

/// Lets a request go on with this identity, or answers it with the refusal.
///
/// # Errors
/// Those of what comes after.
pub async fn pass(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
    admitted: Result<Identity, HttpResponse>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    match admitted {
        Ok(identity) => {
            request.extensions_mut().insert(identity);
            Ok(next.call(request).await?.map_into_left_body())
        }
        // A response, not an error: so it gets the same headers, log line and metrics as every other.
        Err(refusal) => Ok(request.into_response(refusal).map_into_right_body()),
    }
}

async fn admit(request: &ServiceRequest) -> Result<Identity, Problem> {
    let who = identity(request).await?;
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if !matches!(who.via, AuthMethod::Token { .. }) && !reads {
        let app = app(request)?;
        check_origin(&app.gate, request.request())?;
    }
    settle(request, who)
}

/// Identification on the routes for programs that begin with `prefix`. A browser's session counts there for our own
/// pages alone, whatever the method; from outside of the trusted proxies only a token does, and only where the
/// configuration says so.
///
/// # Errors
/// Why the request is refused.
pub async fn admit_program(request: &ServiceRequest, prefix: &str) -> Result<Identity, Problem> {
    let app = app(request)?;
    if let Mode::Proxy(policy) = &app.gate.mode
        && !policy.trusted.contains(peer(request))
        && !app.config.auth.token_routes.iter().any(|route| route == prefix)
    {
        metrics::counter!("llm_council_refused_total", "reason" => Refusal::UntrustedPeer.reason())
            .increment(1);
        let detail = format!(
            "this address is outside of auth.trusted_proxies: come through this server's proxy; whoever runs it can \
             also open {prefix} to tokens with auth.token_routes"
        );
        return Err(Problem::unauthenticated(&detail));
    }
    let identity = identity(request).await?;
    if !matches!(identity.via, AuthMethod::Token { .. }) {
        check_origin(&app.gate, request.request())?;
    }
    settle(request, identity)
}

/// Refuses administrators who are blocked, or whose data is being erased. Everybody else is refused by the first transaction in
/// their name; administrators use other transactions.
async fn check_refused(app: &App, who: &Identity) -> Result<(), Problem> {
    if !who.is_admin || who.via == AuthMethod::Local {
        return Ok(());
    }
    match app.db.begin(&Scope::User(who.user.clone())).await {
        Err(refused @ (StoreError::Blocked | StoreError::Erasing)) => Err(refused.into()),
        // Without a database nobody's data can be read or changed, and requests that work without one do not need this
        // check.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn app(request: &ServiceRequest) -> Result<web::Data<App>, Problem> {
    request.app_data::<web::Data<App>>().cloned().ok_or_else(Problem::internal)
}

fn peer(request: &ServiceRequest) -> IpAddr {
    request.peer_addr().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.ip())
}

async fn identity(request: &ServiceRequest) -> Result<Identity, Problem> {
    let app = app(request)?;
    let who = match bearer(request) {
        Some(secret) => by_token(&app, secret).await?,
        None => by_proxy(&app, request)?,
    };
    check_refused(&app, &who).await?;
    Ok(who)
}

/// Tells the log and Sentry who the user is.
fn settle(request: &ServiceRequest, identity: Identity) -> Result<Identity, Problem> {
    let app = app(request)?;
    check_expected(request, &identity)?;
    let hash = app.telemetry.user_hash(&identity.user);
    tracing::Span::current().record("user", &hash);
    sentry::configure_scope(|scope| {
        scope.set_user(Some(sentry::User { id: Some(hash), ..sentry::User::default() }));
    });
    Ok(identity)
}

/// The user whom a page believes to be signed in, percent-encoded. A page outlives its user's session, and what it
/// sends after the next one has signed in is not theirs.
pub const EXPECTED_USER: &str = "x-expected-user";

fn check_expected(request: &ServiceRequest, identity: &Identity) -> Result<(), Problem> {
    let is_user = |given: &HeaderValue| percent_decode(given.as_bytes()).eq(identity.user.as_str().bytes());
    if request.headers().get_all(EXPECTED_USER).all(is_user) {
        return Ok(());
    }
    metrics::counter!("llm_council_refused_total", "reason" => "another_user").increment(1);
    Err(Problem::another_user())
}

fn by_proxy(app: &App, request: &ServiceRequest) -> Result<Identity, Problem> {
    let peer = peer(request);
    let headers = request.headers().iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
    app.gate.identify(peer, headers).map_err(|refusal| {
        warn_of(app, &refusal, peer, request);
        refused(&refusal)
    })
}

/// How often this is logged: anybody who reaches this port can be such a peer.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// Logs that an untrusted peer sends identity headers: otherwise an operator who sets up a proxy would see everybody
/// refused without a reason.
fn warn_of(app: &App, refusal: &Refusal, peer: IpAddr, request: &ServiceRequest) {
    let Mode::Proxy(policy) = &app.gate.mode else { return };
    let why = match refusal {
        Refusal::UntrustedPeer => {
            "they come from an address outside auth.trusted_proxies; if it is your proxy's, add it there"
        }
        Refusal::ProxySecret => {
            "the request does not carry the secret of auth.proxy_secret; if the address is your proxy's, let it send that"
        }
        Refusal::Repeated(_)
        | Refusal::Alias(_)
        | Refusal::Value(_)
        | Refusal::NoUser
        | Refusal::Reserved => return,
    };
    if !request.headers().contains_key(policy.headers.user.as_str()) {
        return;
    }
    let mut warned_at = app.peer_warned_at.lock().unwrap_or_else(PoisonError::into_inner);
    if warned_at.is_none_or(|at| at.elapsed() >= WARN_EVERY) {
        *warned_at = Some(Instant::now());
        tracing::warn!(
            peer = %peer.to_canonical(),
            why,
            "identity headers are not trusted"
        );
    }
}

fn refused(refusal: &Refusal) -> Problem {
    metrics::counter!("llm_council_refused_total", "reason" => refusal.reason()).increment(1);
    match refusal {
        Refusal::UntrustedPeer | Refusal::ProxySecret | Refusal::NoUser => {
            Problem::unauthenticated("sign in through this server's proxy, or send a personal access token")
        }
        Refusal::Repeated(_) | Refusal::Alias(_) | Refusal::Value(_) => {
            Problem::identity_header(refusal.to_string())
        }
        Refusal::Reserved => Problem::forbidden(&refusal.to_string()),
    }
}

async fn by_token(app: &App, secret: &str) -> Result<Identity, Problem> {
    let refused = || {
        metrics::counter!("llm_council_refused_total", "reason" => "token").increment(1);
        Problem::unauthenticated("this token is unknown, expired or revoked")
    };
    if !token::is_well_formed(secret) {
        return Err(refused());
    }
    let mut tx = app.db.begin(&Scope::Engine).await.map_err(Problem::from)?;
    let owner = tokens::owner_of(&mut tx, &token::hash(secret)).await?;
    tx.commit().await?;
    let owner = owner.filter(|(user, ..)| app.gate.may_exist(user));
    let (user, id, permissions) = owner.ok_or_else(refused)?;
    Ok(Identity::by_token(user, id, &permissions))
}

fn bearer(request: &ServiceRequest) -> Option<&str> {
    let value = request.headers().get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme
        .eq_ignore_ascii_case("bearer")
        .then(|| secret.trim())
        .filter(|secret| secret.starts_with(token::PREFIX))
}

/// Refuses a browser's request that comes from another site, or from an unknown one.
///
/// # Errors
/// 403, also where its origin is unclear.
pub fn check_origin(gate: &Gate, request: &HttpRequest) -> Result<(), Problem> {
    let values = |name: &str| request.headers().get_all(name).map(HeaderValue::as_bytes);
    let site = same_origin::site(values("sec-fetch-site"));
    let origin = same_origin::origin(values("origin"));
    let (Ok(site), Ok(origin)) = (site, origin) else {
        metrics::counter!("llm_council_refused_total", "reason" => "malformed_origin").increment(1);
        return Err(Problem::forbidden("the request does not say plainly which page it comes from"));
    };
    let host = request.headers().get(header::HOST).and_then(|host| host.to_str().ok());
    if gate.same_origin(site, origin, host) {
        return Ok(());
    }
    metrics::counter!("llm_council_refused_total", "reason" => "cross_origin").increment(1);
    Err(Problem::forbidden("this request comes from another site"))
}
