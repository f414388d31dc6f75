//! `llm-council healthcheck`: for containers, which have no curl.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;

use crate::config::Config;

const TIMEOUT: Duration = Duration::from_secs(3);

/// Asks the server on this machine whether it is ready.
pub fn run(config: &Config) -> anyhow::Result<ExitCode> {
    let host = match config.server.bind {
        IpAddr::V4(ip) => IpAddr::V4(if ip.is_unspecified() { Ipv4Addr::LOCALHOST } else { ip }),
        IpAddr::V6(ip) => IpAddr::V6(if ip.is_unspecified() { Ipv6Addr::LOCALHOST } else { ip }),
    };
    let address = SocketAddr::new(host, config.server.port);
    let answer = ask(address).with_context(|| format!("no server answers on {address}"))?;
    let ready = answer.split_whitespace().nth(1) == Some("200");
    if !ready {
        eprintln!("not ready: {}", answer.lines().last().unwrap_or_default());
    }
    Ok(if ready { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    write!(stream, "GET /health/ready HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
