import { describe, expect, it } from "vitest";
import type { Model } from "../../api/types";
import { figuresInWords, perMillion, tokens } from "./figures";
import { kinOf } from "./kin";
import { findModels, offersIn } from "./offers";

const model = (id: string, more: Partial<Model> = {}): Model => ({
  id,
  name: id,
  provider: "router",
  family: id.split("/")[0] ?? "",
  ...more,
});

const models = [
  model("openai/gpt-5.1", { name: "OpenAI: GPT 5.1" }),
  model("anthropic/claude-opus", { name: "Claude Opus" }),
  model("openai/o3"),
];
const local = model("local:llama3:8b", { provider: "local", family: "llama" });
const ids = (found: readonly Model[]) => found.map(({ id }) => id);
const names = (list: Parameters<typeof offersIn>[0], query = "") =>
  offersIn(list, query).groups.map(({ name }) => name);

describe("a search among the models", () => {
  it("takes any part of name, id, provider and family, in any order", () => {
    expect(ids(findModels([...models, local], "gpt open"))).toEqual(["openai/gpt-5.1"]);
    expect(ids(findModels([...models, local], "ROUTER o3"))).toEqual(["openai/o3"]);
    expect(ids(findModels([...models, local], "8b loc"))).toEqual(["local:llama3:8b"]);
    expect(findModels(models, "gpt llama")).toEqual([]);
    expect(findModels(models, "  ")).toBe(models);
  });

  it("counts what it finds, also beyond what is shown", () => {
    const many = Array.from({ length: 1200 }, (_, at) => model(`acme/model-${at}`));
    const offers = offersIn({ models: many, errors: [] }, "model");
    expect(offers).toMatchObject({ found: 1200, shown: 500 });
    expect(offers.groups.flatMap((group) => group.models)).toHaveLength(500);
  });
});

describe("the models of a provider with regions", () => {
  it("are those of the person's region, and those that have none", () => {
    const list = [
      model("eu.anthropic.claude", { region: "eu-west-1" }),
      model("us-east-1/us.anthropic.claude", { region: "us-east-1" }),
      local,
    ];
    const found = (region: string | null) =>
      offersIn({ models: list, errors: [] }, "", region).groups.flatMap((group) =>
        ids(group.models),
      );
    expect(found("us-east-1")).toEqual(["us-east-1/us.anthropic.claude", "local:llama3:8b"]);
    expect(found(null)).toHaveLength(3);
  });
});

describe("the groups", () => {
  it("are families where there is one provider, and providers where there are several", () => {
    expect(names({ models, errors: [] })).toEqual(["anthropic", "openai"]);
    expect(names({ models: [...models, local], errors: [] })).toEqual(["router", "local"]);
  });

  it("name a provider without a list, before the others until something is looked for", () => {
    const list = { models, errors: [{ provider: "attic", message: "attic cannot be reached" }] };
    expect(names(list)).toEqual(["attic", "router"]);
    expect(names(list, "claude")).toEqual(["router", "attic"]);
    expect(offersIn(list, "").groups[0]).toMatchObject({
      models: [],
      problem: "attic cannot be reached",
    });
  });

  it("keep what a provider had offered before its list failed", () => {
    const list = { models: [...models, local], errors: [{ provider: "router", message: "503" }] };
    expect(names(list)).toEqual(["router", "local"]);
    expect(offersIn(list, "").groups[0]?.problem).toBe("503");
  });
});

describe("the figures of a model", () => {
  it("are prices per million tokens, and a size", () => {
    expect([4e-6, 7e-8, 1.25e-7, 0].map(perMillion)).toEqual(["$4.00", "$0.07", "$0.13", "$0.00"]);
    expect([800, 8192, 128_000, 999_999, 1_048_576].map(tokens)).toEqual([
      "800",
      "8k",
      "128k",
      "1M",
      "1M",
    ]);
  });

  it("are said in words", () => {
    const pricing = { prompt: 4e-6, completion: 12e-6 };
    expect(figuresInWords(model("a/b", { pricing, context_length: 200_000 }))).toBe(
      "$4.00 in, $12.00 out per million tokens, 200k context",
    );
    expect(figuresInWords(model("a/b", { pricing: { prompt: 0, completion: 0 } }))).toBe("free");
    expect(figuresInWords(model("a/b"))).toBe("price unknown");
  });
});

describe("members of one family", () => {
  it("are told by the list, and by the id where it is on none", () => {
    const offered = [local, model("local:llama-guard", { family: "llama" })];
    expect(kinOf(["local:llama3:8b", "local:llama-guard", "openai/o3"], offered)).toEqual([
      { family: "llama", models: ["local:llama3:8b", "local:llama-guard"] },
    ]);
    expect(kinOf(["openai/o3", "router:openai/gpt-5.1", "~openai/gpt-latest"], [])).toEqual([
      { family: "openai", models: ["openai/o3", "router:openai/gpt-5.1", "~openai/gpt-latest"] },
    ]);
  });

  it("are nothing to warn of where they are made up, or nobody knows their families", () => {
    expect(kinOf(["simulated/ada", "simulated/bob"], [])).toEqual([]);
    expect(kinOf(["one", "two"], [])).toEqual([]);
    expect(kinOf(["bedrock:eu-west-1/eu.acme.one", "bedrock:eu-west-1/eu.birch.two"], [])).toEqual(
      [],
    );
  });
});
