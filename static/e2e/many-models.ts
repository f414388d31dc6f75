/** Providers with long lists: what they offer, and what their models say. */
import type { Call, Line } from "./scripted-models";

const lines = ["Sonnet", "Opus", "Haiku", "Large", "Mini", "Pro", "Flash", "Coder"];
const makers = ["anthropic", "cedar", "deepseek", "google", "meta-llama", "mistralai", "openai"];

/** About four hundred, with prices and sizes; a few are free, a few name no price. */
export const manyModels = makers.flatMap((maker, of) =>
  lines.flatMap((line, at) =>
    [1, 2, 3, 4, 5, 6, 7].map((version) => {
      const price = (of + 1) * (at + 1) * version * 4e-8;
      const free = version === 7;
      const pricing = {
        prompt: String(free ? 0 : price),
        completion: String(free ? 0 : price * 4),
      };
      return {
        id: `${maker}/${line.toLowerCase()}-${version}`,
        name: `${maker[0]?.toUpperCase()}${maker.slice(1)}: ${line} ${version}`,
        ...(version === 6 ? {} : { pricing, context_length: 32_000 * 2 ** (version % 6) }),
      };
    }),
  ),
);

/** A model that the list had once. */
export const retired = "cedar/large-0";

/** Answers of a council; one that is not on the list is refused, as providers do. */
export function say({ model, purpose, prompt }: Call): Line {
  if (model === retired) {
    return { text: "", error: `The model ${model} has been retired.`, status: 404 };
  }
  const usage = {
    prompt_tokens: 4210,
    completion_tokens: 120,
    total_tokens: 4330,
    prompt_tokens_details: { cached_tokens: 3968 },
  };
  if (purpose === "title") return { text: "A question about tea", usage };
  if (purpose !== "review") return { text: "Green tea, and not too hot.", usage };
  const labels = [...new Set(prompt.match(/Response [A-Z]/g) ?? [])];
  const ranking = labels.map((label, at) => `${at + 1}. ${label}`).join("\n");
  return { text: `Both are right.\n\nFINAL RANKING:\n${ranking}`, usage };
}
