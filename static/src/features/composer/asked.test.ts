import { beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { Problem } from "../../api/problem";
import { keys, queryClient } from "../../api/queries";
import type { Config, Preset } from "../../api/types";
import { config } from "../../test/samples";
import { toAsk } from "../options/choices";
import { readScene } from "./asked";

const plain = { choices: {}, preset: null };
const preset = {
  id: "p-1",
  name: "Careful",
  shared: false,
  settings: {},
  options: {},
  created_at: "2026-03-12T09:30:00.000000",
  updated_at: "2026-03-12T09:30:00.000000",
} as unknown as Preset;
/** By itself the server gives an earlier answer without asking. */
const settings: Config = {
  ...config,
  features: { ...config.features, cache: true },
  default_options: { use_cache: true },
};

beforeEach(() => queryClient.clear());

describe("a question that is asked again", () => {
  it("waits for the settings, and is asked with what they say", async () => {
    let come = () => {};
    const held = new Promise<void>((done) => {
      come = done;
    });
    const read = vi.spyOn(api, "config").mockImplementation(() => held.then(() => settings));
    let isRead = false;
    const scene = readScene(plain, {}, null).finally(() => {
      isRead = true;
    });
    await vi.waitFor(() => expect(read).toHaveBeenCalledOnce());
    expect(isRead).toBe(false);
    come();
    expect(toAsk(await scene)).toEqual({ cache_mode: "offer" });
  });

  it("reads nothing anew that the page has", async () => {
    const read = vi.spyOn(api, "config");
    queryClient.setQueryData(keys.config, settings);
    expect(toAsk(await readScene(plain, { use_cache: false }, null))).toEqual({
      use_cache: false,
    });
    expect(read).not.toHaveBeenCalled();
  });

  it("waits for its project, and for the preset that is chosen by its name", async () => {
    queryClient.setQueryData(keys.config, config);
    vi.spyOn(api, "presets").mockResolvedValue([preset]);
    vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
      Response.json({ settings: {}, options: { use_cot: true } }),
    );
    const inProject = await readScene(plain, { use_cot: false }, "p-1");
    expect(toAsk(inProject)).toEqual({ use_cot: false });
    const withPreset = await readScene({ choices: {}, preset: "Careful" }, {}, null);
    expect(toAsk(withPreset)).toEqual({ preset_id: "p-1" });
  });

  it("is asked all the same where the settings cannot be read", async () => {
    vi.spyOn(api, "config").mockRejectedValue(new Problem("refused", "Not now.", 500));
    const { config: none, choices } = await readScene(plain, { use_cot: true }, null);
    expect(none).toBeUndefined();
    expect(choices.use_cot).toBe(true);
  });
});
