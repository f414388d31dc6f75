import { describe, expect, it } from "vitest";
import type { Answer } from "../../api/types";
import { render } from "../../test/render";
import { answer } from "../../test/samples";
import { AnswerCard } from "./answer-card";

const seat = { model: "~openai/gpt-latest", member: "~openai/gpt-latest" };

async function card(more: Partial<Answer>): Promise<string | null> {
  const result = answer(seat, more);
  const state = {
    seat,
    status: result.error ? ("failed" as const) : ("done" as const),
    text: result.response,
    reasoning: "",
    restarted: false,
    late: false,
    tier: null,
    since: null,
    result,
  };
  return (await render(<AnswerCard answer={state} seat={0} />)).textContent;
}

describe("a member's card", () => {
  it("names the model that really answered", async () => {
    expect(await card({ served_by: "openai/gpt-5.5" })).toContain("answered by openai/gpt-5.5");
  });

  it("says nothing of it where that is the model that was asked", async () => {
    expect(await card({})).not.toContain("answered by");
  });

  it("says how much was read of the files where the model has no room for more", async () => {
    const part = { files_read: { characters: 60_000, characters_read: 12_000 } };
    const said = "Read the first 12,000 of 60,000 characters of the files";
    expect(await card(part)).toContain(said);
    expect(await card({ ...part, error: "HTTP 503", error_kind: "overloaded" })).toContain(said);
    expect(await card({})).not.toContain("of the files");
  });

  it("says of a cut answer that it was too long, beside what there is of it", async () => {
    const text = await card({
      response: "The first mebibyte.",
      truncated: true,
      error: "the reply is larger than 1048576 bytes",
      error_kind: "bad_response",
    });
    expect(text).toContain("The first mebibyte.");
    expect(text).toContain("The answer is too long and was cut");
    expect(text).not.toContain("no answer");
  });
});
