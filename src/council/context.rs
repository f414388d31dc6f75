//! How much a model can read before it writes, where its context is known.

use super::brief::Brief;
use super::pricing::tokens;
use super::prompts::history::Turn;
use super::run::Run;
use crate::llm::Purpose;

/// What fits into the context of every model of today, in tokens: with so little, nobody needs to ask how long the
/// context is.
const FITS_ANYWHERE: u64 = 3_000;

/// How many tokens of material this model can read before it writes, where there is so much (`length`) that it matters
/// and its context is known.
pub async fn budget(
    run: &Run,
    brief: &Brief,
    (model, purpose): (&str, &Purpose),
    length: u64,
) -> Option<u64> {
    if length <= FITS_ANYWHERE {
        return None;
    }
    let context = decided(run, model).await?;
    Some(room(brief, purpose, context))
}

/// The newest of the earlier turns that this model can read whole beside `rest` tokens, the oldest first; all of them
/// where its context is not known.
pub async fn history<'b>(
    run: &Run,
    brief: &'b Brief,
    (model, purpose): (&str, &Purpose),
    rest: u64,
) -> &'b [Turn] {
    let turns = brief.history.as_slice();
    let length = rest + turns.iter().map(length_of).sum::<u64>();
    let fits = |context: u64| length <= room(brief, purpose, context);
    // Most conversations fit, and then nothing has to be remembered.
    if turns.is_empty() || length <= FITS_ANYWHERE || run.context_tokens(model).is_none_or(fits) {
        return turns;
    }
    let Some(context) = decided(run, model).await else { return turns };
    let mut left = room(brief, purpose, context).checked_sub(rest);
    let newest = turns.iter().rev().take_while(|turn| {
        left = left.and_then(|left| left.checked_sub(length_of(turn)));
        left.is_some()
    });
    &turns[turns.len() - newest.count()..]
}

/// The context of a model, in tokens: the same for all executions of a run.
async fn decided(run: &Run, model: &str) -> Option<u64> {
    run.decide(&format!("context/{model}"), async { run.context_tokens(model) }).await
}

/// What may be read, in tokens: a quarter is left for what is not counted, and for languages with more tokens a
/// character.
fn room(brief: &Brief, purpose: &Purpose, context: u64) -> u64 {
    let answer = brief.settings.sampling(purpose).max_tokens.map_or(purpose.usual_tokens, u64::from);
    context.saturating_sub(answer) / 4 * 3
}

fn length_of(turn: &Turn) -> u64 {
    tokens(&turn.question) + tokens(&turn.answer)
}
