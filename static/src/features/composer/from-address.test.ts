import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drafts } from "./draft";
import { readAddress, takeFromAddress } from "./from-address";

describe("the parameters of an address", () => {
  it("say what to ask, of whom and how", () => {
    const search =
      "?q=Why%20is%20the%20sky%20blue%3F&system=Be+brief.&preset=Thorough&models=a/one,%20b/two&use_cot=true&mode=debate";
    expect(readAddress(search)).toEqual({
      content: "Why is the sky blue?",
      systemPrompt: "Be brief.",
      preset: "Thorough",
      models: [{ model: "a/one" }, { model: "b/two" }],
      choices: { use_cot: true, mode: "debate" },
    });
  });

  it("say nothing where nothing in them is known or right", () => {
    for (const search of [
      "",
      "?",
      "?utm_source=x",
      "?q=%20",
      "?models=,,",
      "?use_cot=maybe&quorum=99",
    ]) {
      expect(readAddress(search)).toBeNull();
    }
  });

  it("are cut to what can be a question", () => {
    const models = Array.from({ length: 9 }, (_, at) => `m/${String(at)}`).join();
    const asked = readAddress(`?q=${"x".repeat(30_000)}&models=${models}`);
    expect(asked?.content).toHaveLength(20_000);
    expect(asked?.models).toHaveLength(7);
  });
});

describe("a link", () => {
  beforeEach(() => drafts.clear(null));
  afterEach(() => history.replaceState(null, "", "/"));

  it("fills the box of a new conversation and leaves the address", () => {
    history.replaceState(null, "", "/?q=Why%3F&models=a/one");
    takeFromAddress();
    expect(location.search).toBe("");
    expect(drafts.read(null)).toMatchObject({ content: "Why?", models: [{ model: "a/one" }] });
  });

  it("means nothing on other pages", () => {
    history.replaceState(null, "", "/settings?q=Why%3F");
    takeFromAddress();
    expect(location.search).toBe("?q=Why%3F");
    expect(drafts.read(null).content).toBe("");
  });
});
