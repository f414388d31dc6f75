//! A server with what the test suite of the Model Context Protocol wants to find (`@modelcontextprotocol/conformance`), on
//! the adapter of `/mcp`: so the suite tries our part of the protocol, whatever the council offers. Started by
//! `make mcp-conformance` with the port to listen on; docs/mcp.md has what came of it.

mod asking;
mod fixture;
mod long;
mod offered;
mod signer;

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use actix_web::http::header::{self, HeaderValue};
use actix_web::middleware::Compress;
use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use llm_council::config::{Config, Overrides, Server};
use llm_council::id::UserId;
use llm_council::identity::hosts::Hosts;
use llm_council::identity::same_origin::Origins;
use llm_council::identity::{Gate, Mode};
use llm_council::server::mcp::adapter::{self, Edge};
use llm_council::server::problem::Problem;
use llm_council::shutdown::Shutdown;

use fixture::Fixture;

struct Parts {
    gate: Gate,
    server: Server,
    shutdown: Shutdown,
    fixture: Fixture,
}

async fn speak(
    parts: web::Data<Parts>,
    request: HttpRequest,
    payload: web::Payload,
) -> Result<HttpResponse, Problem> {
    // In the product a middleware does this for every route.
    let hosts = request.headers().get_all(header::HOST).map(HeaderValue::as_bytes);
    parts.gate.hosts.check(hosts, None).map_err(|_| Problem::misdirected())?;
    let edge = Edge { gate: &parts.gate, server: &parts.server, shutdown: &parts.shutdown };
    let fixture = parts.fixture.clone();
    adapter::answer(edge, &request, payload.into_inner(), move || fixture.clone()).await
}

#[actix_web::main]
async fn main() -> anyhow::Result<()> {
    let port: u16 = std::env::args().nth(1).unwrap_or_default().parse()?;
    let config = Config::from_parts("", &BTreeMap::new(), &Overrides::default())?;
    let parts = web::Data::new(Parts {
        gate: Gate {
            mode: Mode::Local(UserId::from_canonical("local")),
            origins: Origins::default(),
            hosts: Hosts::Own { bound: None, public: None },
        },
        server: config.server,
        shutdown: Shutdown::new(),
        fixture: Fixture::default(),
    });
    let server = HttpServer::new(move || {
        let routes = App::new().app_data(parts.clone()).wrap(Compress::default());
        routes.service(web::resource("/mcp").route(web::post().to(speak)))
    });
    server.workers(1).bind((Ipv4Addr::LOCALHOST, port))?.run().await?;
    Ok(())
}
