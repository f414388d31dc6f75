//! What the system reports about this process, under the names that every Prometheus client gives it. Linux only:
//! elsewhere these series are missing.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Resource, getrlimit};

/// Ticks in a second of the times in `/proc`: the same on every machine that this program is built for.
const TICKS_PER_SECOND: f64 = 100.0;
const KIB: f64 = 1024.0;

/// When the process began, as it was last told.
static BEGAN: Mutex<f64> = Mutex::new(0.0);

/// Measures the process now.
pub(super) fn measure() {
    let stat = fs::read_to_string("/proc/self/stat").ok();
    if let Some(stat) = stat.as_deref().and_then(Stat::parse) {
        metrics::describe_gauge!("process_cpu_seconds_total", "Processor time of the process, in seconds.");
        metrics::gauge!("process_cpu_seconds_total").set(stat.cpu_seconds);
        metrics::describe_gauge!("process_threads", "Threads of the process.");
        metrics::gauge!("process_threads").set(stat.threads);
        if let Some((now, since_boot)) = clocks() {
            metrics::describe_gauge!(
                "process_start_time_seconds",
                "When the process began, in seconds since 1970."
            );
            let mut began = BEGAN.lock().unwrap_or_else(PoisonError::into_inner);
            *began = settled(*began, stat.began(now, since_boot));
            metrics::gauge!("process_start_time_seconds").set(*began);
        }
    }
    if let Ok(status) = fs::read_to_string("/proc/self/status") {
        if let Some(kib) = kib_of(&status, "VmRSS:") {
            metrics::describe_gauge!("process_resident_memory_bytes", "Resident memory of the process.");
            metrics::gauge!("process_resident_memory_bytes").set(kib * KIB);
        }
        if let Some(kib) = kib_of(&status, "VmSize:") {
            metrics::describe_gauge!(
                "process_virtual_memory_bytes",
                "Address space (virtual memory) of the process."
            );
            metrics::gauge!("process_virtual_memory_bytes").set(kib * KIB);
        }
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        metrics::describe_gauge!("process_open_fds", "Files and connections that the process has open.");
        // One of them is the directory handle of this count.
        metrics::gauge!("process_open_fds")
            .set(u32::try_from(open.count()).unwrap_or(u32::MAX).saturating_sub(1));
    }
    if let Some(most) = getrlimit(Resource::Nofile).current {
        metrics::describe_gauge!("process_max_fds", "How many of them it may have open.");
        metrics::gauge!("process_max_fds").set(u32::try_from(most).unwrap_or(u32::MAX));
    }
}

/// The fields of `/proc/self/stat` that are needed.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Stat {
    cpu_seconds: f64,
    threads: f64,
    start_seconds_after_boot: f64,
}

impl Stat {
    /// Reads it; `None` for any other text.
    fn parse(text: &str) -> Option<Self> {
        // The program's name comes second, in brackets, and may hold anything.
        let (_, after_name) = text.rsplit_once(')')?;
        let fields: Vec<f64> =
            after_name.split_whitespace().skip(1).map_while(|field| field.parse().ok()).collect();
        // Indices start at the parent's id, the fourth field of the line.
        let field = |number: usize| fields.get(number - 4).copied().filter(|value| value.is_finite());
        Some(Self {
            cpu_seconds: (field(14)? + field(15)?) / TICKS_PER_SECOND,
            threads: field(20)?,
            start_seconds_after_boot: field(22)? / TICKS_PER_SECOND,
        })
    }

    /// When the process began, in seconds since 1970.
    fn began(self, now: Duration, since_boot: Duration) -> f64 {
        now.as_secs_f64() - since_boot.as_secs_f64() + self.start_seconds_after_boot
    }
}

/// The time since 1970, and the time since the machine began. `/proc/stat` is not read for it: a service that sees only
/// its processes (`ProcSubset=pid` of systemd) has none, and some containers show one of their own.
#[cfg(target_os = "linux")]
fn clocks() -> Option<(Duration, Duration)> {
    use rustix::time::{ClockId, clock_gettime};

    let read = |clock| Duration::try_from(clock_gettime(clock)).ok();
    read(ClockId::Realtime).zip(read(ClockId::Boottime))
}

#[cfg(not(target_os = "linux"))]
fn clocks() -> Option<(Duration, Duration)> {
    None
}

/// A time that is measured again and again keeps its first value, unless the clock was set: to its readers a new value
/// means another process.
fn settled(reported: f64, measured: f64) -> f64 {
    if (measured - reported).abs() > 1.0 { measured } else { reported }
}

/// A figure of `/proc/self/status`, in KiB.
fn kib_of(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_does_not_move_the_fields() {
        let line = "77 (a) b (c)) S 1 77 77 0 -1 4194560 9 0 0 0 250 50 0 0 20 0 7 0 123400 1000 200";
        let expected = Stat { cpu_seconds: 3.0, threads: 7.0, start_seconds_after_boot: 1234.0 };
        assert_eq!(Stat::parse(line), Some(expected));
        assert_eq!(Stat::parse("77 (short) S 1 77"), None);
    }

    #[test]
    fn the_start_is_told_by_the_clocks_alone_and_stays_until_they_are_set() {
        let stat = Stat { cpu_seconds: 3.0, threads: 7.0, start_seconds_after_boot: 1234.5 };
        let (now, since_boot) = (Duration::from_secs(1_763_951_600), Duration::from_secs(2000));
        let began = stat.began(now, since_boot);
        assert!((began - 1_763_950_834.5).abs() < 0.01, "{began}");
        assert!((settled(0.0, began) - began).abs() < f64::EPSILON);
        assert!((settled(began, began + 0.01) - began).abs() < f64::EPSILON);
        assert!((settled(began, began + 60.0) - began - 60.0).abs() < f64::EPSILON);
    }

    #[test]
    fn memory_is_found_by_its_name() {
        let status = "Name:\tx\nVmSize:\t  2048 kB\nVmRSS:\t    16 kB\n";
        assert_eq!((kib_of(status, "VmRSS:"), kib_of(status, "VmSize:")), (Some(16.0), Some(2048.0)));
        assert_eq!(kib_of(status, "VmSwap:"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_them_stumble(text in "\\PC*") {
            Stat::parse(&text);
            kib_of(&text, "VmRSS:");
        }
    }
}
