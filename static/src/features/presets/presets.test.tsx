/** Presets in the settings: what one takes the place of comes back, or is asked about first. */
import { act } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { keys, queryClient, useConfig } from "../../api/queries";
import type { Config, Preset } from "../../api/types";
import { button, click, render, settled, type } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { Presets } from "./presets";

const preset = (name: string): Preset => ({
  id: `p-${name}`,
  name,
  shared: false,
  settings: {} as Preset["settings"],
  options: {},
  created_at: "2026-03-12T09:30:00.000000",
  updated_at: "2026-03-12T09:30:00.000000",
});
const own: Config = { ...config, is_default: false, chairman_model: "z/mine" };
const applied: Config = { ...own, chairman_model: "z/of-the-preset" };

let presets: Preset[];
const onApplied = vi.fn();

function Page({ unsaved }: { unsaved: boolean }) {
  const { data } = useConfig();
  return (
    <>
      {data && <Presets config={data} unsaved={unsaved} onApplied={onApplied} />}
      <Toasts />
    </>
  );
}

async function show(before: Config = own, unsaved = false) {
  queryClient.setQueryData(keys.config, before);
  const page = await render(<Page unsaved={unsaved} />, queryClient);
  await settled("Careful");
  return page;
}

beforeEach(() => {
  queryClient.clear();
  queryClient.setQueryDefaults(keys.config, { staleTime: Number.POSITIVE_INFINITY });
  presets = [preset("Careful"), preset("Quick")];
  onApplied.mockReset();
  vi.spyOn(api, "user").mockResolvedValue({ id: "ann", is_admin: false } as never);
  vi.spyOn(api, "presets").mockImplementation(async () => presets);
  vi.spyOn(api, "applyPreset").mockResolvedValue(applied);
});
afterEach(() => vi.restoreAllMocks());

/** The way on in the question, which stands last. */
const sure = () => click([...document.querySelectorAll("dialog button")].at(-1));
const chairman = () => queryClient.getQueryData<Config>(keys.config)?.chairman_model;

it("one's own council comes back after a preset was applied", async () => {
  const saved = vi.spyOn(api, "saveConfig").mockResolvedValue(own);
  await show();
  await click(button("Apply Careful"));
  await settled("“Careful” is your council now.");
  expect(chairman()).toBe("z/of-the-preset");
  await click(button("Undo"));
  await vi.waitFor(() => expect(chairman()).toBe("z/mine"));
  expect(saved).toHaveBeenCalledOnce();
  expect(saved.mock.calls[0]?.[0]).toMatchObject({ chairman_model: "z/mine" });
  // The preset has not changed the region, so nothing is said of it.
  expect(saved.mock.calls[0]?.[0]).not.toHaveProperty("region");
});

it("so does the region, where the preset has another", async () => {
  vi.mocked(api.applyPreset).mockResolvedValue({ ...applied, region: "us-east-1" });
  const saved = vi.spyOn(api, "saveConfig").mockResolvedValue(own);
  await show({ ...own, region: "eu-central-1" });
  await click(button("Apply Careful"));
  await settled("“Careful” is your council now.");
  await click(button("Undo"));
  await vi.waitFor(() => expect(saved).toHaveBeenCalledOnce());
  expect(saved.mock.calls[0]?.[0]).toMatchObject({ region: "eu-central-1" });
});

it("what was saved after a preset was applied is not lost for what was before", async () => {
  const saved = vi.spyOn(api, "saveConfig").mockResolvedValue(own);
  await show();
  await click(button("Apply Careful"));
  await settled("“Careful” is your council now.");
  await act(async () => {
    queryClient.setQueryData(keys.config, { ...applied, chairman_model: "z/saved-since" });
  });
  await click(button("Undo"));
  await settled("Not restored: the council was changed since.");
  expect(saved).not.toHaveBeenCalled();
  expect(chairman()).toBe("z/saved-since");
});

it("whoever had none of their own follows the instance again", async () => {
  const before: Config = { ...config, is_default: true };
  const reset = vi.spyOn(api, "resetConfig").mockResolvedValue(before);
  await show(before);
  await click(button("Apply Careful"));
  await settled("“Careful” is your council now.");
  await click(button("Undo"));
  await vi.waitFor(() => expect(reset).toHaveBeenCalledOnce());
});

it("edits that are not saved are asked about", async () => {
  await show(own, true);
  await click(button("Apply Careful"));
  await settled("is lost when “Careful” is applied");
  expect(api.applyPreset).not.toHaveBeenCalled();
  await sure();
  await settled("“Careful” is your council now.");
  expect(onApplied).toHaveBeenCalledOnce();
});

it("one is deleted after a question, which a double click does not answer", async () => {
  const removed = vi.spyOn(api, "removePreset").mockImplementation(async (id) => {
    presets = presets.filter((one) => one.id !== id);
  });
  await show();
  const remove = button("Delete Careful");
  remove?.focus();
  await click(remove);
  await click(remove);
  await settled("Delete “Careful”?");
  expect(removed).not.toHaveBeenCalled();
  await sure();
  await vi.waitFor(() => expect(button("Delete Careful")).toBeUndefined());
  expect(document.activeElement).toBe(button("Apply Quick"));
});

it("one of the same name is replaced after a question", async () => {
  const saved = vi
    .spyOn(api, "savePreset")
    .mockResolvedValue({ preset: preset("Quick"), updated: true });
  const page = await show();
  const name = page.querySelector("input");
  await type(name, " Quick ");
  await click(button("Save preset"));
  await settled("Replace “Quick”?");
  expect(saved).not.toHaveBeenCalled();
  await sure();
  await settled("“Quick” was replaced.");
  expect(saved).toHaveBeenCalledExactlyOnceWith("Quick", false);

  // Another name takes nothing away.
  saved.mockResolvedValue({ preset: preset("New"), updated: false });
  await type(name, "New");
  await click(button("Save preset"));
  await settled("“New” was saved.");
});
