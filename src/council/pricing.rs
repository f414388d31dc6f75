//! What a request will probably cost: tokens estimated from the length of its text, at the model's price.

use crate::llm::{ChatRequest, Models, Pricing, Purpose, Sampling, Text};

/// Characters that make a token, on average over languages and models.
const CHARS_PER_TOKEN: u64 = 4;

/// What one request will probably cost, in USD, where the model's price is known.
#[must_use]
pub fn of_request(request: &ChatRequest, models: &dyn Models) -> Option<f64> {
    let prompt = prompt_tokens(request);
    let price = models.price(&request.model, prompt)?;
    // An embedding has no output tokens.
    let written = if request.embeds { 0 } else { completion(request.purpose, request.sampling) };
    Some(cost(price, prompt, written))
}

/// How much a model is expected to write, in tokens: its limit, else what is usual for the purpose.
pub(super) fn completion(purpose: &Purpose, sampling: Sampling) -> u64 {
    sampling.max_tokens.map_or(purpose.usual_tokens, u64::from)
}

pub(super) fn prompt_tokens(request: &ChatRequest) -> u64 {
    let messages = request.messages.iter().map(|message| {
        let calls = message.tool_calls.iter().map(|call| tokens(&call.arguments));
        let images = message.images.iter().map(|image| image.tokens());
        tokens_of_text(&message.content) + calls.chain(images).sum::<u64>()
    });
    let tools =
        request.tools.iter().map(|tool| tokens(&tool.description) + tokens(&tool.parameters.to_string()));
    messages.chain(tools).sum()
}

pub(super) fn tokens(text: &str) -> u64 {
    tokens_of(text.chars().count())
}

pub(super) fn tokens_of_text(text: &Text) -> u64 {
    tokens_of(text.pieces().map(|piece| piece.chars().count()).sum())
}

pub(super) fn tokens_of(chars: usize) -> u64 {
    (chars as u64).div_ceil(CHARS_PER_TOKEN)
}

/// The cost of a call of this many tokens at this price, in USD.
#[expect(clippy::cast_precision_loss, reason = "no call has 2^53 tokens")]
pub(super) fn cost(price: Pricing, prompt_tokens: u64, completion_tokens: u64) -> f64 {
    prompt_tokens as f64 * price.prompt + completion_tokens as f64 * price.completion + price.request
}
