//! The devil's advocate: an attack on the answer, and the revision that a grave one leads to.

use serde::Serialize;

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Adversary {
    pub model: String,
    pub status: AdversaryStatus,
    /// The attack as far as it has come.
    pub critique: String,
    /// How grave it is; `None` as long as there is no whole attack.
    pub severity: Option<String>,
    /// Why nobody said the severity, where it had to be worked out.
    pub severity_note: Option<String>,
    /// The revision as far as it has come; the answer once `revised`.
    pub revision: String,
    pub revised: bool,
    /// What failed; the answer stands as it was then.
    pub error: Option<String>,
    /// In USD; `None` where nothing of it is known.
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
