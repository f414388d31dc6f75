//! When a schedule is due: a cron expression in a time zone. Local time counts: a time that does not exist on the day
//! on which clocks go forward is due once they have, and a time that occurs twice when they go back is due once.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use jiff::civil::{DateTime, date};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan as _, Zoned};

use crate::council::field::FieldError;

/// The longest expression, in bytes.
const MAX_BYTES: usize = 100;
const MINUTES_PER_DAY: usize = 24 * 60;
/// How many years ahead due times are looked for.
const WITHIN_YEARS: i16 = 30;

/// See the module.
#[derive(Debug, Clone)]
pub(super) struct When {
    cron: Cron,
    zone: TimeZone,
}

impl When {
    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with `cron` and with `time_zone`.
    pub fn parse(cron: &str, time_zone: &str) -> Result<Self, Vec<FieldError>> {
        let cron = expression(cron).map_err(|message| FieldError::value("cron", message));
        let zone = zone(time_zone).ok_or_else(|| {
            let message = format!(
                "must be a time zone of the IANA database, as \"Europe/Berlin\" or \"UTC\"; it is {time_zone:?}"
            );
            FieldError::value("time_zone", message)
        });
        match (cron, zone) {
            (Ok(cron), Ok(zone)) => Ok(Self { cron, zone }),
            (cron, zone) => Err([cron.err(), zone.err()].into_iter().flatten().collect()),
        }
    }

    /// The next time after this one; none where there will be none.
    #[must_use]
    pub fn after(&self, at: Timestamp) -> Option<Zoned> {
        let from = self.shown(at);
        // Every hour, or every second one: by the hours that there are, be they shown twice or left out.
        if self.cron.pattern.hours.from_wildcard {
            let next = self.cron.find_next_occurrence(&from, false).ok()?;
            return (next.timestamp() > at).then_some(next);
        }
        let times = self.cron.iter_after(from.datetime());
        times.filter_map(|time| self.moment(time)).find(|next| next.timestamp() > at)
    }

    /// When the clocks show this time first; where they leave it out, when they go forward.
    fn moment(&self, time: DateTime) -> Option<Zoned> {
        let shown = self.zone.to_ambiguous_zoned(time);
        let is_left_out = matches!(shown.offset(), AmbiguousOffset::Gap { .. });
        // Of a time that is left out, this is before the clocks go forward.
        let earlier = shown.earlier().ok()?;
        if !is_left_out {
            return Some(earlier);
        }
        let change = self.zone.following(earlier.timestamp()).next()?;
        Some(self.shown(change.timestamp()))
    }

    /// The next times after this one, as many as that.
    #[must_use]
    pub fn next(&self, after: Timestamp, count: usize) -> Vec<Zoned> {
        let first = self.after(after);
        std::iter::successors(first, |before| self.after(before.timestamp())).take(count).collect()
    }

    /// A moment as its time zone shows it.
    #[must_use]
    pub fn shown(&self, at: Timestamp) -> Zoned {
        at.to_zoned(self.zone.clone())
    }

    /// Whether two times are ever closer than so many minutes, by a clock without daylight saving time.
    #[must_use]
    pub fn is_more_often_than(&self, minutes: u32) -> bool {
        let pause = SignedDuration::from_mins(minutes.into());
        // Enough for all times of a day and the first of the next, wherever in the day one begins.
        let count = 2 * (MINUTES_PER_DAY / usize::try_from(minutes).unwrap_or(usize::MAX).max(1) + 1);
        let times: Vec<DateTime> =
            self.cron.iter_after(begin()).take(count).take_while(is_looked_at).collect();
        times.windows(2).any(|two| two[1].duration_since(two[0]) < pause)
    }
}

/// A fixed moment to count from, so that a refusal does not depend on when the request is sent.
fn begin() -> DateTime {
    date(2024, 1, 1).at(0, 0, 0, 0)
}

fn expression(text: &str) -> Result<Cron, String> {
    const EXAMPLE: &str = "as \"0 8 * * 1-5\" (at 8:00, Monday to Friday) or \"@daily\"";
    if text.len() > MAX_BYTES {
        return Err(format!("must be at most {MAX_BYTES} bytes"));
    }
    let parser = CronParser::builder().seconds(Seconds::Disallowed).year(Year::Disallowed).build();
    let no_expression = || {
        format!(
            "must be a cron expression of five fields (minute, hour, day of the month, month, day of the week), {EXAMPLE}"
        )
    };
    let cron = parser.parse(text.trim()).map_err(|error| {
        tracing::debug!(%error, "an expression cannot be read");
        no_expression()
    })?;
    let first = |values: Vec<u16>| values.first().and_then(|value| i8::try_from(*value).ok());
    let time = first(cron.pattern.hours.values()).zip(first(cron.pattern.minutes.values()));
    // A comma alone is a field without a value.
    let (hour, minute) = time.ok_or_else(no_expression)?;
    // The thirtieth of February is a day that never comes. The library would look for it until the year 5000, for
    // seconds at worst, and nothing else would be done until then.
    let mut days = begin().date().at(hour, minute, 0, 0).series(1.day()).take_while(is_looked_at);
    if days.any(|day| cron.is_time_matching(&day).unwrap_or(false)) {
        Ok(cron)
    } else {
        Err("names a day that never comes".to_owned())
    }
}

/// Whether it is in one of the years in which due times are looked for.
fn is_looked_at(time: &DateTime) -> bool {
    time.year() < begin().year() + WITHIN_YEARS
}

fn zone(name: &str) -> Option<TimeZone> {
    TimeZone::get(name).ok().filter(|zone| zone.iana_name().is_some())
}

#[cfg(test)]
#[path = "when_tests.rs"]
mod tests;
