//! The devil's advocate: an attack on the answer, and the revision that a grave one leads to.

use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Adversary {
    pub model: String,
    pub status: AdversaryStatus,
    /// The attack as far as it has come.
    pub critique: String,
    /// How grave it is; `None` until the attack is complete.
    pub severity: Option<String>,
    /// Why the severity had to be worked out, if the attacker did not state it.
    pub severity_note: Option<String>,
    /// The revision as far as it has come; the answer once `revised`.
    pub revision: String,
    pub revised: bool,
    /// What failed; the answer stands as it was then.
    pub error: Option<String>,
    /// In USD; `None` if no cost is known.
    pub cost: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AdversaryStatus {
    #[default]
    Attacking,
    Judged,
    Revising,
    Done,
}
