//! What an examination may cost: reserved before a call, settled after it.

use super::report::CheckCost;

/// The most that an examination costs where nobody says otherwise, in USD.
pub const DEFAULT_MAX_COST_USD: f64 = 0.01;

/// How much a call may cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Need {
    /// At most so much, in USD.
    Usd(f64),
    Unknown,
}

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Grant {
    Yes,
    /// It does not fit any more.
    Over {
        needed_usd: f64,
        left_usd: f64,
    },
    /// Nobody knows what it costs, and a limit was given.
    Unknown,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Allowance {
    cost: CheckCost,
    reserved_usd: f64,
    /// A limit was given explicitly: calls of unknown price could exceed it.
    is_promise: bool,
}

impl Allowance {
    /// With this limit, or the default.
    pub fn new(max_cost_usd: Option<f64>) -> Self {
        let max_usd = max_cost_usd.unwrap_or(DEFAULT_MAX_COST_USD);
        let cost = CheckCost { max_usd, ..CheckCost::default() };
        Self { cost, reserved_usd: 0.0, is_promise: max_cost_usd.is_some() }
    }

    /// Notes that this much would be needed to ask everything.
    pub fn expect(&mut self, need: Need) {
        if let Need::Usd(usd) = need {
            self.cost.expected_usd += usd;
        }
    }

    /// Reserves what a call may cost, where it fits.
    pub fn reserve(&mut self, need: Need) -> Grant {
        match need {
            Need::Unknown if self.is_promise => Grant::Unknown,
            Need::Unknown => Grant::Yes,
            Need::Usd(needed_usd) => {
                let left_usd = self.left_usd();
                if needed_usd > left_usd {
                    return Grant::Over { needed_usd, left_usd };
                }
                self.reserved_usd += needed_usd;
                Grant::Yes
            }
        }
    }

    /// Puts what a call cost in the place of what was reserved for it. One that failed before it reached a model
    /// cost nothing.
    pub fn settle(&mut self, reserved: Need, cost: Cost) {
        if let Need::Usd(usd) = reserved {
            self.reserved_usd -= usd;
        }
        match cost {
            Cost::Nothing => {}
            Cost::Usd(usd) => self.cost.spent_usd += usd,
            Cost::Unknown => {
                self.cost.unpriced_calls += 1;
                // It may have cost all that was reserved.
                if let Need::Usd(usd) = reserved {
                    self.reserved_usd += usd;
                }
            }
        }
    }

    pub fn cost(&self) -> CheckCost {
        self.cost
    }

    fn left_usd(&self) -> f64 {
        (self.cost.max_usd - self.cost.spent_usd - self.reserved_usd).max(0.0)
    }
}

/// What a call cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Cost {
    Nothing,
    /// USD.
    Usd(f64),
    Unknown,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_not_granted_and_what_was_saved_can_be_spent() {
        let mut allowance = Allowance::new(Some(0.01));
        let need = Need::Usd(0.006);
        assert_eq!(allowance.reserve(need), Grant::Yes);
        let Grant::Over { needed_usd, left_usd } = allowance.reserve(need) else { panic!("it does not fit") };
        assert!(needed_usd == 0.006 && (left_usd - 0.004).abs() < 1e-9);
        allowance.settle(need, Cost::Usd(0.001));
        assert_eq!(allowance.reserve(need), Grant::Yes);
        assert!((allowance.cost().spent_usd - 0.001).abs() < 1e-9);
    }

    #[test]
    fn a_call_of_unknown_cost_keeps_what_was_reserved_for_it() {
        let mut allowance = Allowance::new(None);
        let need = Need::Usd(DEFAULT_MAX_COST_USD);
        assert_eq!(allowance.reserve(need), Grant::Yes);
        allowance.settle(need, Cost::Unknown);
        assert!(matches!(allowance.reserve(Need::Usd(0.001)), Grant::Over { .. }));
        assert_eq!(allowance.cost().unpriced_calls, 1);
    }

    #[test]
    fn an_unknown_price_is_asked_only_where_no_limit_was_given() {
        assert_eq!(Allowance::new(None).reserve(Need::Unknown), Grant::Yes);
        assert_eq!(Allowance::new(Some(1.0)).reserve(Need::Unknown), Grant::Unknown);
        assert_eq!(Allowance::new(Some(0.0)).reserve(Need::Usd(0.0)), Grant::Yes);
    }
}
