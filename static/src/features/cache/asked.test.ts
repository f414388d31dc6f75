import { describe, expect, it } from "vitest";
import type { Config } from "../../api/types";
import { config } from "../../test/samples";
import { problemsIn } from "../../test/settings";
import type { Choices } from "../feature";
import {
  byDefaultIn,
  chosen,
  obstacle,
  readChoices,
  sceneOf,
  titleOf,
  toAsk,
  toDefaultOptions,
} from "../options/choices";
import { settings } from "./settings";

const able: Config = { ...config, features: { ...config.features, cache: true } };
const withDefaults = (default_options: Record<string, unknown>) => ({ ...able, default_options });
const sent = (own: Partial<Choices>, by = able) => toAsk(sceneOf(own, by));

describe("what a question says of earlier answers", () => {
  it("is nothing while they are not asked for", () => {
    expect(sent({})).toEqual({});
    expect(sent({ cache_mode: "exact", cache_similarity_threshold: 0.95 })).toEqual({});
  });

  it("is that they are offered first, where nobody has chosen another way", () => {
    expect(sent({ use_cache: true })).toEqual({ use_cache: true, cache_mode: "offer" });
    expect(sent({}, withDefaults({ use_cache: true }))).toEqual({ cache_mode: "offer" });
  });

  it("is the way that was chosen, here or by default", () => {
    expect(sent({ use_cache: true, cache_mode: "serve" })).toEqual({ use_cache: true });
    const byDefault = withDefaults({ use_cache: true, cache_mode: "exact" });
    expect(sent({}, byDefault)).toEqual({});
    expect(sent({ cache_mode: "offer" }, byDefault)).toEqual({ cache_mode: "offer" });
    expect(sent({ use_cache: false }, byDefault)).toEqual({ use_cache: false });
  });

  it("has the threshold that was chosen, which is no whole number", () => {
    expect(sent({ use_cache: true, cache_similarity_threshold: 0.85 })).toEqual({
      use_cache: true,
      cache_mode: "offer",
      cache_similarity_threshold: 0.85,
    });
    expect(readChoices({ cache_similarity_threshold: 0.4 })).toEqual({});
    expect(readChoices({ cache_similarity_threshold: "0.9", cache_mode: "guess" })).toEqual({});
  });

  it("is the same in another format", () => {
    expect(sent({ use_cache: true, mode: "debate", debate_style: "all_to_all" })).toMatchObject({
      use_cache: true,
      cache_mode: "offer",
    });
  });

  it("is nothing where the server keeps none", () => {
    expect(sent({ use_cache: true }, config)).toEqual({});
    expect(obstacle("use_cache", { choices: byDefaultIn(config), config })).toEqual({
      reason: "This server keeps no answers.",
      settings: null,
    });
  });
});

describe("the options by default", () => {
  it("name the way, because the server has another", () => {
    const choices = { ...byDefaultIn(able), use_cache: true };
    expect(toDefaultOptions(choices)).toMatchObject({ use_cache: true, cache_mode: "offer" });
    expect(toDefaultOptions(byDefaultIn(able))).not.toHaveProperty("cache_mode");
  });
});

describe("the chip", () => {
  const text = (own: Partial<Choices>) =>
    chosen(sceneOf({ use_cache: true, ...own }, able)).map((chip) => chip.text);
  it("says in which way", () => {
    expect(text({})).toEqual(["Reuse earlier answers"]);
    expect(text({ cache_mode: "serve" })).toEqual(["Reuse answers without asking"]);
    expect(text({ cache_mode: "exact" })).toEqual(["Reuse answers to the same text"]);
  });

  it("has the option's name for each of its fields", () => {
    for (const field of ["use_cache", "cache_mode", "cache_similarity_threshold"]) {
      expect(titleOf(field)).toBe("Reuse earlier answers");
    }
  });
});

describe("the settings", () => {
  it("are sent as they are typed, without spaces around", () => {
    const draft = settings.draftOf(able);
    expect(draft).toEqual({ byProvider: true, model: "elm/embed" });
    expect(settings.changeOf({ ...draft, model: " acme/embed " })).toEqual({
      use_api_embeddings: true,
      embedding_model: "acme/embed",
    });
  });

  it("refuse what is no model", () => {
    expect(problemsIn(settings, { byProvider: true, model: "" })).toEqual([]);
    expect(problemsIn(settings, { byProvider: true, model: "two words" })).toHaveLength(1);
  });
});
