//! Days in queries, in UTC.

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::problem::Problem;
use crate::store::usage::Span;

/// Reads a day (`2026-11-01`), if one is given.
///
/// # Errors
/// 422 that names `field`.
pub(super) fn read(field: &str, text: Option<&str>) -> Result<Option<Date>, Problem> {
    let Some(text) = text else { return Ok(None) };
    // Postgres has a smaller range of years BC than the calendar.
    let day = text.parse().ok().filter(|day: &Date| day.year() > 0);
    day.map(Some).ok_or_else(|| Problem::field(field, "must be a day, like 2026-11-01"))
}

/// From the beginning of the first day to the end of the last; open where none is given.
///
/// # Errors
/// 422 that names `field`, the last day's, for the end of time.
pub(super) fn span(first: Option<Date>, last: Option<Date>, field: &str) -> Result<Span, Problem> {
    let start = |day: Date| day.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp());
    let from = first.map(start).transpose();
    let until = last.map(|day| start(day.tomorrow()?)).transpose();
    from.and_then(|from| Ok(Span { from, until: until? }))
        .map_err(|_| Problem::field(field, "is out of range"))
}
