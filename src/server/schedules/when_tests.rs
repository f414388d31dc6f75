use proptest::prelude::*;

use super::*;

fn when(cron: &str, zone: &str) -> When {
    When::parse(cron, zone).unwrap_or_else(|errors| panic!("{cron} in {zone}: {errors:?}"))
}

fn after(cron: &str, zone: &str, at: &str, count: usize) -> Vec<String> {
    let times = when(cron, zone).next(at.parse().unwrap(), count);
    times.iter().map(|time| time.strftime("%Y-%m-%dT%H:%M%:z").to_string()).collect()
}

#[test]
fn times_are_those_of_the_time_zone() {
    assert_eq!(
        after("0 8 * * 1-5", "Europe/Berlin", "2026-11-27T07:00:00Z", 3),
        ["2026-11-30T08:00+01:00", "2026-12-01T08:00+01:00", "2026-12-02T08:00+01:00"]
    );
    assert_eq!(after("@daily", "Asia/Kolkata", "2026-11-27T07:00:00Z", 1), ["2026-11-28T00:00+05:30"]);
    assert_eq!(after("30 9 L * *", "UTC", "2028-02-01T00:00:00Z", 1), ["2028-02-29T09:30+00:00"]);
    // The given time itself does not count: the next one is later.
    assert_eq!(after("0 8 * * *", "UTC", "2026-11-27T08:00:00.2Z", 1), ["2026-11-28T08:00+00:00"]);
    assert_eq!(after("0 8 * * *", "UTC", "2026-11-27T07:59:59.9Z", 1), ["2026-11-27T08:00+00:00"]);
}

#[test]
fn a_time_that_does_not_exist_comes_once_when_the_clocks_have_gone_forward() {
    // In the night to 29 March 2026 it is 3:00 after 1:59.
    assert_eq!(
        after("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3),
        ["2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00"]
    );
    assert_eq!(
        after("30 1 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2),
        ["2026-03-29T01:30+01:00", "2026-03-30T01:30+02:00"]
    );
    // One of several times of a day is not left out either, and two of them are not asked at once.
    assert_eq!(
        after("0,30 2,14 * * *", "Europe/Berlin", "2026-03-28T13:45:00Z", 3),
        ["2026-03-29T03:00+02:00", "2026-03-29T14:00+02:00", "2026-03-29T14:30+02:00"]
    );
}

#[test]
fn a_time_that_comes_twice_is_used_once() {
    // In the night to 25 October 2026 it is 2:00 after 2:59.
    assert_eq!(
        after("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2),
        ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]
    );
    // Wherever one looks from: a moment after the first, and between the two.
    for at in ["2026-10-25T00:30:01Z", "2026-10-25T01:15:00Z"] {
        assert_eq!(after("30 2 * * *", "Europe/Berlin", at, 1), ["2026-10-26T02:30+01:00"], "{at}");
    }
    // So is one of several times of a day.
    assert_eq!(
        after("0,30 2,14 * * *", "Europe/Berlin", "2026-10-24T13:00:00Z", 4),
        [
            "2026-10-25T02:00+02:00",
            "2026-10-25T02:30+02:00",
            "2026-10-25T14:00+01:00",
            "2026-10-25T14:30+01:00"
        ]
    );
    assert_eq!(
        after("*/30 2 * * *", "Europe/Berlin", "2026-10-24T23:00:00Z", 3),
        ["2026-10-25T02:00+02:00", "2026-10-25T02:30+02:00", "2026-10-26T02:00+01:00"]
    );
    // An hourly schedule is due every hour.
    assert_eq!(
        after("30 * * * *", "Europe/Berlin", "2026-10-24T23:45:00Z", 3),
        ["2026-10-25T02:30+02:00", "2026-10-25T02:30+01:00", "2026-10-25T03:30+01:00"]
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let fields = |cron: &str, zone: &str| -> Vec<String> {
        When::parse(cron, zone).err().into_iter().flatten().map(|error| error.field).collect()
    };
    assert_eq!(fields("at eight", "Mars/Olympus"), ["cron", "time_zone"]);
    for cron in
        ["", "* * * *", "0 0 8 * * *", "0 8 * * * 2027", "60 8 * * *", "0 8 * * 8", "0 0 30 2 *", "@reboot"]
    {
        assert_eq!(fields(cron, "UTC"), ["cron"], "{cron:?}");
    }
    assert_eq!(fields(&"1,".repeat(60), "UTC"), ["cron"]);
    for zone in ["", "CET+1", "/etc/passwd", "../UTC", "Europe"] {
        assert_eq!(fields("@daily", zone), ["time_zone"], "{zone:?}");
    }
}

#[test]
fn a_day_that_never_comes_is_refused_and_one_that_comes_rarely_is_not() {
    // A Sunday is never the working day nearest to a date, and the first one is never the thirtieth.
    for cron in ["0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 15W * +0", "30 9 30 * +0#1"] {
        let errors = When::parse(cron, "UTC").unwrap_err();
        assert_eq!(errors[0].message, "names a day that never comes", "{cron}");
    }
    // A comma alone names nothing: whoever looked for it hour by hour would look for seconds.
    for cron in [", * * * *", "0 , * * *", ", , * * *"] {
        let errors = When::parse(cron, "UTC").unwrap_err();
        assert!(errors[0].message.starts_with("must be a cron expression"), "{cron}");
    }
    assert_eq!(after("0 8 29 2 *", "UTC", "2026-11-27T07:00:00Z", 1), ["2028-02-29T08:00+00:00"]);
    // The twenty-ninth of February as a Monday.
    assert_eq!(after("0,1 8 29 2 +1", "UTC", "2026-11-27T07:00:00Z", 1), ["2044-02-29T08:00+00:00"]);
    assert!(when("0,1 8 29 2 +1", "UTC").is_more_often_than(15));
    assert!(!when("0 8 29 2 +1", "UTC").is_more_often_than(1));
}

#[test]
fn what_is_asked_too_often_is_seen() {
    for (cron, minutes, too_often) in [
        ("*/15 * * * *", 15, false),
        ("*/14 * * * *", 15, true),
        ("* * * * *", 1, false),
        ("0,1 8 1 1 *", 15, true),
        // The last time of a day and the first of the next.
        ("55,5 0,23 * * *", 15, true),
        ("0 0 * * *", 1_440, false),
        ("0 0,23 * * *", 1_440, true),
        ("59 23 * * 0", 1_440, false),
    ] {
        assert_eq!(when(cron, "UTC").is_more_often_than(minutes), too_often, "{cron} {minutes}");
    }
}

#[test]
fn the_time_zones_come_with_the_program() {
    // Works on machines without a time zone database: their files are not read.
    let bundled = jiff::tz::TimeZoneDatabase::bundled();
    for zone in ["Europe/Berlin", "America/St_Johns", "Asia/Calcutta"] {
        assert!(bundled.get(zone).is_ok(), "{zone}");
    }
}

proptest! {
    #[test]
    fn no_expression_makes_it_stumble(cron in "[-0-9*/,LW#?+@a-zA-Z ]{0,30}", minutes in 1_u32..1_441) {
        if let Ok(when) = When::parse(&cron, "Europe/Berlin") {
            let now: Timestamp = "2026-03-28T12:00:00Z".parse().unwrap();
            let times = when.next(now, 3);
            prop_assert!(times.windows(2).all(|two| two[0] < two[1]));
            prop_assert!(times.iter().all(|time| time.timestamp() > now));
            let _seen = when.is_more_often_than(minutes);
        }
    }

    #[test]
    fn each_field_may_say_anything(
        minute in "[0-9*/,-]{1,6}", hour in "[0-9*/,-]{1,6}", day in "[0-9*/,LW-]{1,6}", month in "[0-9*/,-]{1,4}",
        weekday in "[0-7*/,L#-]{1,4}",
    ) {
        let cron = format!("{minute} {hour} {day} {month} {weekday}");
        if let Ok(when) = When::parse(&cron, "America/New_York") {
            prop_assert_eq!(when.next("2026-10-28T12:00:00Z".parse().unwrap(), 3).len(), 3, "{}", cron);
            let _seen = when.is_more_often_than(15);
        }
    }
}
