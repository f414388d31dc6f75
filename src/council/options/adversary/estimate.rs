//! Which calls the devil's advocate will probably take.

use super::{ATTACK, AdversaryOptions, STAGE};
use crate::council::estimate::{ExpectedCall, Expecting, FENCE};
use crate::council::revision;
use crate::council::stages::synthesis;

/// What the request says around its material, in tokens.
const FRAME: u64 = 340;

/// The objections are grave.
pub(in crate::council) fn expected_calls(
    expecting: Expecting<'_>,
    options: &AdversaryOptions,
) -> [ExpectedCall; 2] {
    let prompt = FRAME + expecting.quoted() + synthesis::estimate::quoted(expecting);
    let objections = expecting.text(&ATTACK) + FENCE;
    [
        expecting.call(STAGE, &options.model, &ATTACK, prompt),
        revision::expected_call(expecting, STAGE, objections),
    ]
}
