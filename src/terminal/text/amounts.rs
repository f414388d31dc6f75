//! How figures are written: money, tokens, time. And how money is read, where a person writes it.

/// US dollars, with as many digits as small amounts need; `cost unknown` where nobody said.
#[must_use]
pub fn usd(amount: Option<f64>) -> String {
    let Some(amount) = amount.filter(|amount| is_amount(*amount)) else {
        return "cost unknown".to_owned();
    };
    if amount == 0.0 {
        "$0.00".to_owned()
    } else if amount < 0.0001 {
        "<$0.0001".to_owned()
    } else if amount < 0.99995 {
        format!("${amount:.4}")
    } else {
        format!("${amount:.2}")
    }
}

/// Whether this can be an amount of money. NaN cannot: as a limit it would let everything through, since nothing
/// exceeds it.
#[must_use]
pub fn is_amount(usd: f64) -> bool {
    usd.is_finite() && usd >= 0.0
}

/// An amount in US dollars as a person writes it, with or without the sign.
///
/// # Errors
/// What to write instead, if this is not an amount.
pub fn read_usd(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let number = text.strip_prefix('$').unwrap_or(text).trim_start();
    number
        .parse::<f64>()
        .ok()
        .filter(|usd| is_amount(*usd))
        .ok_or_else(|| "write an amount in US dollars, such as 0.25".to_owned())
}

/// A number of tokens: `512`, `12.3k`, `1.2M`.
#[must_use]
pub fn tokens(count: u64) -> String {
    // In tenths, rounded.
    let tenths = |unit: u64| count.saturating_add(unit / 20) / (unit / 10);
    let (tenths, unit) = match count {
        0..1000 => return count.to_string(),
        1000..999_950 => (tenths(1000), 'k'),
        _ => (tenths(1_000_000), 'M'),
    };
    format!("{}.{}{unit}", tenths / 10, tenths % 10)
}

/// A time in milliseconds: `3.2 s`, `2 min 05 s`, `1 h 02 min`.
#[must_use]
pub fn seconds(ms: u64) -> String {
    if ms < 59_950 {
        let tenths = (ms + 50) / 100;
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let whole = ms.saturating_add(500) / 1000;
    if whole < 3600 {
        return format!("{} min {:02} s", whole / 60, whole % 60);
    }
    format!("{} h {:02} min", whole / 3600, whole % 3600 / 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_the_digits_it_needs() {
        for (amount, text) in [
            (Some(0.0041), "$0.0041"),
            (Some(0.00001), "<$0.0001"),
            (Some(1.234), "$1.23"),
            (Some(0.5), "$0.5000"),
            (Some(0.99999), "$1.00"),
            (Some(0.0), "$0.00"),
            (Some(1234.5), "$1234.50"),
            (None, "cost unknown"),
            (Some(f64::NAN), "cost unknown"),
            (Some(-1.0), "cost unknown"),
        ] {
            assert_eq!(usd(amount), text);
        }
    }

    #[test]
    fn money_is_read_with_its_sign_and_nothing_else_is_an_amount() {
        for (text, amount) in [("0.1", 0.1), ("$0.10", 0.1), (" $ 2 ", 2.0), ("0", 0.0), ("1e-3", 0.001)] {
            assert_eq!(read_usd(text), Ok(amount), "{text}");
        }
        for text in ["", "$", "much", "NaN", "$nan", "inf", "infinity", "-0.5", "$-1", "1e999", "$$1", "0,25"]
        {
            assert!(read_usd(text).is_err_and(|told| told.contains("such as 0.25")), "{text}");
        }
    }

    #[test]
    fn tokens_are_rounded_to_thousands_and_millions() {
        for (count, text) in [
            (0, "0"),
            (512, "512"),
            (999, "999"),
            (1000, "1.0k"),
            (12_345, "12.3k"),
            (999_949, "999.9k"),
            (999_950, "1.0M"),
            (1_250_000, "1.3M"),
        ] {
            assert_eq!(tokens(count), text);
        }
        assert!(tokens(u64::MAX).ends_with('M'));
    }

    #[test]
    fn time_is_in_the_unit_it_needs() {
        for (ms, text) in [
            (0, "0.0 s"),
            (3_249, "3.2 s"),
            (59_949, "59.9 s"),
            (59_950, "1 min 00 s"),
            (125_000, "2 min 05 s"),
            (3_599_400, "59 min 59 s"),
            (3_599_500, "1 h 00 min"),
            (3_725_000, "1 h 02 min"),
        ] {
            assert_eq!(seconds(ms), text);
        }
        assert!(seconds(u64::MAX).ends_with("min"));
    }
}
