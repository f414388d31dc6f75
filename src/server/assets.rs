//! The web app, out of the binary: hashed files for ever, the page itself never from a cache.

use actix_web::http::header::{self, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::{HttpRequest, HttpResponse};
use rust_embed::{Embed, EmbeddedFile};

use super::problem::Problem;

/// The built web app. In debug builds the files are read from the folder when they are asked for.
#[derive(Embed)]
#[folder = "static/dist"]
#[allow_missing = true]
struct Dist;

const PAGE: &str = "index.html";

/// Serves a file of the web app, or the page for its own paths. Unknown API paths are 404.
pub async fn serve(request: HttpRequest) -> HttpResponse {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Problem::method_not_allowed("GET, HEAD").response();
    }
    let path = request.match_info().unprocessed().trim_start_matches('/');
    // Requests to the API are never answered with a page.
    if ["health", "metrics"].contains(&path)
        || ["api/", "v1/", "health/", ".well-known/"].iter().any(|start| path.starts_with(start))
    {
        return Problem::not_found("Page").response();
    }
    let wanted = if path.is_empty() { PAGE } else { path };
    if Dist::get(wanted).is_some() {
        return file(&request, wanted);
    }
    if is_view(wanted) { file(&request, PAGE) } else { Problem::not_found("Page").response() }
}

/// A path with a file ending that is not there is a mistake; anything else is a view, and so are the
/// pages of models, whose names have dots.
fn is_view(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    let of_a_model = ["dashboard/models/", "admin/models/"].iter().any(|start| path.starts_with(start));
    of_a_model || !last.contains('.')
}

fn file(request: &HttpRequest, path: &str) -> HttpResponse {
    let Some((encoding, content)) = best(request, path) else {
        return HttpResponse::build(StatusCode::SERVICE_UNAVAILABLE)
            .content_type("text/plain; charset=utf-8")
            .body("The web app is not built into this server. Run `make build`.");
    };
    let tag = format!("\"{}\"", hex::encode(&content.metadata.sha256_hash()[..16]));
    let known =
        request.headers().get(header::IF_NONE_MATCH).is_some_and(|given| given.as_bytes() == tag.as_bytes());
    let mut response = HttpResponse::build(if known { StatusCode::NOT_MODIFIED } else { StatusCode::OK });
    let cache = if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    response
        .insert_header((header::ETAG, tag))
        .insert_header((header::CACHE_CONTROL, HeaderValue::from_static(cache)))
        .insert_header((header::VARY, "Accept-Encoding"))
        .insert_header((header::CONTENT_ENCODING, encoding));
    if known {
        return response.finish();
    }
    response.content_type(media_type(path)).body(content.data.into_owned())
}

/// The smallest form the client takes; compressed once, when the app was built.
fn best(request: &HttpRequest, path: &str) -> Option<(&'static str, EmbeddedFile)> {
    let accepted =
        request.headers().get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or("");
    for (name, ending) in [("br", ".br"), ("gzip", ".gz")] {
        if takes(accepted, name)
            && let Some(content) = Dist::get(&format!("{path}{ending}"))
        {
            return Some((name, content));
        }
    }
    Dist::get(path).map(|content| ("identity", content))
}

/// Whether an `Accept-Encoding` names this coding, and not to refuse it.
fn takes(accepted: &str, coding: &str) -> bool {
    let is_zero = |weight: &str| weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0);
    let refuses = |parameter: &str| {
        let (name, weight) = parameter.split_once('=').unwrap_or_default();
        name.trim().eq_ignore_ascii_case("q") && is_zero(weight)
    };
    accepted.split(',').any(|one| {
        let mut parts = one.split(';');
        parts.next().map(str::trim) == Some(coding) && !parts.any(refuses)
    })
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{is_view, takes};

    #[test]
    fn a_missing_file_is_no_view_but_the_page_of_a_model_with_dots_is_one() {
        for path in ["dashboard", "c/0198", "dashboard/models/openai/gpt-5.1", "admin/models/a/b.c"] {
            assert!(is_view(path), "{path}");
        }
        for path in ["robots.txt", "assets/index-1a2b.js", "c/picture.png", "dashboard/models.json"] {
            assert!(!is_view(path), "{path}");
        }
    }

    #[test]
    fn a_coding_that_a_client_refuses_is_not_sent_to_it() {
        for accepted in ["gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1", "deflate, gzip ; q=0.001", "gzip;q=x"] {
            assert!(takes(accepted, "gzip"), "{accepted}");
        }
        for refused in ["", "br", "identity, gzip;q=0", "gzip;q=0.000, br", "gzip ; Q=0"] {
            assert!(!takes(refused, "gzip"), "{refused}");
        }
    }
}
