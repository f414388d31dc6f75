//! Pages of lists: how they are asked for, and where the next one is.

use actix_web::http::header;
use actix_web::{HttpResponse, HttpResponseBuilder};
use serde::Deserialize;

/// A page of a list that grows.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct PageQuery {
    /// How many at most, 1 to 500; 100 when left out.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

impl PageQuery {
    /// The first page.
    pub(super) const FIRST: Self = Self { limit: None, offset: None };

    /// How many, and how many before them.
    pub(super) fn bounds(&self) -> (u32, u32) {
        (self.limit.unwrap_or(100).clamp(1, 500), self.offset.unwrap_or(0))
    }
}

/// A page of a list that is usually read as a whole.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
pub(super) struct WholeQuery {
    /// How many at most, 1 to 1000; 1000 when left out.
    limit: Option<u32>,
    /// How many to skip.
    offset: Option<u32>,
}

impl WholeQuery {
    /// How many, and how many before them.
    pub(super) fn bounds(&self) -> (u32, u32) {
        (self.limit.unwrap_or(1000).clamp(1, 1000), self.offset.unwrap_or(0))
    }
}

/// The answer with one page of a plain array: how many there are in all stands in `X-Total-Count`, the way to the next page, asked for
/// in the same words, in `Link`.
pub(super) fn paged(
    path: &str,
    limit: u32,
    offset: u32,
    total: i64,
    asked: impl IntoIterator<Item = (&'static str, Option<String>)>,
) -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response.insert_header(("x-total-count", total.to_string()));
    if i64::from(offset) + i64::from(limit) < total {
        let mut next = url::form_urlencoded::Serializer::new(String::new());
        next.append_pair("limit", &limit.to_string());
        next.append_pair("offset", &offset.saturating_add(limit).to_string());
        for (name, value) in asked {
            if let Some(value) = value {
                next.append_pair(name, &value);
            }
        }
        let link = format!("<{path}?{}>; rel=\"next\"", next.finish());
        response.insert_header((header::LINK, link));
    }
    response
}
