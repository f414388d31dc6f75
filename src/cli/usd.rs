//! Amounts of money on the command line.

/// An amount in US dollars, with or without the sign.
pub(super) fn usd(text: &str) -> Result<f64, String> {
    let usd: f64 =
        text.trim_start_matches('$').parse().map_err(|_| "not an amount in US dollars".to_owned())?;
    if usd.is_finite() && usd >= 0.0 { Ok(usd) } else { Err("not an amount in US dollars".to_owned()) }
}
