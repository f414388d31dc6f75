import { act } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "../../api/client";
import { keys, queryClient, useConfig } from "../../api/queries";
import type { Config } from "../../api/types";
import { button, click, render, type } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import { CouncilForm, type SettingsStore } from "./council-form";

const own = { ...config, is_default: false };

const save = vi.fn<SettingsStore["save"]>();
const store: SettingsStore = {
  key: keys.config,
  save,
  reset: vi.fn(),
  saved: "saved",
  wasReset: "reset",
  resetTakes: "everything",
  isDefault: "default",
  isOwn: "own",
};

function Form() {
  const { data } = useConfig();
  return data ? <CouncilForm config={data} store={store} onEdits={() => undefined} /> : null;
}

async function show(): Promise<HTMLElement> {
  queryClient.setQueryData(keys.config, own);
  return render(<Form />, queryClient);
}

const aMoment = () => new Promise<void>((done) => setTimeout(done, 20));

const elsewhere = (change: Partial<Config>) =>
  act(async () => {
    queryClient.setQueryData(keys.config, { ...own, ...change });
    await aMoment();
  });

type Box = HTMLInputElement | HTMLTextAreaElement;

function field(label: string): Box {
  const named = [...document.querySelectorAll("label")].find((one) =>
    one.textContent?.startsWith(label),
  );
  const found = named && document.getElementById(named.htmlFor);
  if (found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement) return found;
  throw new Error(`there is no field “${label}”`);
}

beforeEach(() => {
  queryClient.clear();
  save.mockReset();
  vi.spyOn(api, "models").mockResolvedValue({ models: [], errors: [] });
});

it("says which of the models are not on offer, and puts the nearest in their places", async () => {
  queryClient.setQueryData(keys.config, {
    ...own,
    chairman_model: "aurora/large",
    missing_models: [{ model: "aurora/large", nearest: "aurora/large-2", replaced: false }],
  });
  const page = await render(<Form />, queryClient);
  const notice = () => page.querySelector(".settings-form > .notice-warn");
  expect(notice()?.textContent).toContain(
    "aurora/large is not on its provider’s list and will probably not answer. The nearest model there is aurora/large-2.",
  );
  expect(page.querySelector(".member")?.textContent).toContain("not on offer now");
  await click(button("Use aurora/large-2 in the place of aurora/large"));
  expect(notice()).toBeNull();
  expect(page.querySelector(".member")?.textContent).not.toContain("not on offer now");
  expect(field("Chairman").value).toBe("aurora/large-2");
  save.mockResolvedValue(own);
  await click(button("Save"));
  expect(save.mock.calls[0]?.[0]).toMatchObject({ chairman_model: "aurora/large-2" });
  expect(save.mock.calls[0]?.[0].council_models?.[0]?.model).toBe("aurora/large-2");
});

it("warns of members of one family, and takes them", async () => {
  queryClient.setQueryData(keys.config, {
    ...own,
    council_models: [...own.council_models, { model: "aurora/small" }],
  });
  const page = await render(<Form />, queryClient);
  const notice = page.querySelector("#members .notice-warn");
  expect(notice?.textContent).toContain("large and small are of one family, aurora.");
  expect(page.querySelectorAll(".field-error").length).toBe(0);
});

describe("saving the council", () => {
  /** Begins to save, and gives what ends it. */
  async function saving(): Promise<(saved: Config) => Promise<void>> {
    let answer: (saved: Config) => void = () => undefined;
    save.mockReturnValue(new Promise((done) => (answer = done)));
    await act(async () => {
      dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true, cancelable: true }));
    });
    return (saved) =>
      act(async () => {
        answer(saved);
        await aMoment();
      });
  }

  it("leaves alone what is typed meanwhile", async () => {
    const place = await show();
    const prompt = field("System prompt of aurora/large");
    await type(prompt, "Be");
    await type(field("Chairman"), "z/new");
    const end = await saving();
    await type(prompt, "Be brief.");
    await end({
      ...own,
      chairman_model: "z/new",
      council_models: [
        { model: "aurora/large", system_prompt: "Be" },
        ...own.council_models.slice(1),
      ],
    });
    expect(field("System prompt of aurora/large").value).toBe("Be brief.");
    expect(field("Chairman").value).toBe("z/new");
    expect(place.textContent).toContain("Not saved yet");
  });

  it("leaves the rows and the focus where they are", async () => {
    const place = await show();
    const prompt = field("System prompt of aurora/large");
    const box = prompt.closest("details");
    await act(async () => {
      if (box) box.open = true;
    });
    prompt.focus();
    await type(prompt, "Be brief.");
    const end = await saving();
    await end({
      ...own,
      council_models: [
        { model: "aurora/large", system_prompt: "Be brief." },
        ...own.council_models.slice(1),
      ],
    });
    expect(document.activeElement).toBe(prompt);
    expect(box?.isConnected && box.open).toBe(true);
    expect(place.textContent).not.toContain("Not saved yet");
  });
});

describe("votes for one’s own answer", () => {
  const way = (name: string) => {
    const step = [...document.querySelectorAll(".step")].find((one) => one.textContent === name);
    const radio = step?.querySelector("input");
    if (!radio) throw new Error(`there is no way “${name}”`);
    return radio;
  };
  const sent = () => save.mock.calls[0]?.[0];

  it("begin as settings of before say, and are saved under the new name alone", async () => {
    queryClient.setQueryData(keys.config, {
      ...own,
      self_votes: "counted",
      count_self_votes: true,
    });
    await render(<Form />, queryClient);
    expect(way("As cast").checked).toBe(true);
    save.mockResolvedValue({ ...own, title_model: "z/title" });
    await type(field("Title model"), "z/title");
    await click(button("Save"));
    expect(sent()).not.toHaveProperty("count_self_votes");
    expect(sent()?.default_options).toEqual({ self_votes: "counted" });
  });

  it("are said even where they are the default, and tell what each way means", async () => {
    const place = await show();
    expect(way("Corrected").checked).toBe(true);
    expect(place.textContent).toContain("moved by as much as that model has preferred itself");
    await click(way("Left out"));
    expect(place.textContent).toContain("is shown and does not count");
    await click(way("As cast"));
    expect(place.textContent).toContain("counts like any other");
    await click(way("Corrected"));
    await type(field("Title model"), "z/title");
    save.mockResolvedValue({ ...own, title_model: "z/title" });
    await click(button("Save"));
    expect(sent()?.default_options).toEqual({ self_votes: "adjusted" });
  });
});

it("a default system prompt is saved with the options, and what this page does not know stays", async () => {
  const set = { ...own, default_options: { adversary_revision_threshold: "minor" } };
  queryClient.setQueryData(keys.config, set);
  await render(<Form />, queryClient);
  await type(field("Default system prompt"), "Be brief.");
  save.mockResolvedValue(set);
  await click(button("Save"));
  expect(save.mock.calls[0]?.[0]?.default_options).toMatchObject({
    adversary_revision_threshold: "minor",
    system_prompt: "Be brief.",
  });
});

it("a prompt that was too long stays open while it is shortened", async () => {
  await show();
  const prompt = field("System prompt of aurora/large");
  await type(prompt, "x".repeat(20_001));
  expect(prompt.closest("details")?.open).toBe(true);
  await type(prompt, "x".repeat(20_000));
  expect(prompt.getAttribute("aria-invalid")).toBe("false");
  expect(prompt.closest("details")?.open).toBe(true);
});

describe("settings that another tab saves", () => {
  it("are shown without a word where nothing was edited", async () => {
    const place = await show();
    await elsewhere({ chairman_model: "z/new" });
    expect(field("Chairman").value).toBe("z/new");
    expect(place.textContent).not.toContain("Not saved yet");
    expect(place.textContent).not.toContain("changed elsewhere");
  });

  it("are not undone by saving an edit, which stays", async () => {
    const place = await show();
    await type(field("Title model"), "z/title");
    await elsewhere({ chairman_model: "z/new" });
    expect(place.textContent).toContain("changed elsewhere");
    save.mockResolvedValue({ ...own, chairman_model: "z/new", title_model: "z/title" });
    await click(button("Save"));
    await act(aMoment);
    expect(save.mock.calls[0]?.[0]).toMatchObject({
      chairman_model: "z/new",
      title_model: "z/title",
    });
    expect(place.textContent).not.toContain("changed elsewhere");
    expect(place.textContent).not.toContain("Not saved yet");
  });

  it("are what is left when the edit is discarded", async () => {
    await show();
    await type(field("Title model"), "z/title");
    await elsewhere({ chairman_model: "z/new", title_model: "z/theirs" });
    expect(field("Title model").value).toBe("z/title");
    await click(button("Discard changes"));
    expect(field("Title model").value).toBe("z/theirs");
    expect(field("Chairman").value).toBe("z/new");
  });

  it("are edited again where the discarded edit is brought back", async () => {
    queryClient.setQueryData(keys.config, own);
    const place = await render(
      <>
        <Form />
        <Toasts />
      </>,
      queryClient,
    );
    await type(field("Title model"), "z/title");
    await click(button("Discard changes"));
    expect(field("Title model").value).not.toBe("z/title");
    await click(button("Undo"));
    expect(field("Title model").value).toBe("z/title");
    expect(place.textContent).toContain("Not saved yet");
  });

  it("are asked for when the window is used again", async () => {
    const asked = vi.spyOn(api, "config").mockResolvedValue({ ...own, chairman_model: "z/new" });
    await show();
    await act(async () => {
      dispatchEvent(new Event("focus"));
      await aMoment();
    });
    expect(asked).toHaveBeenCalledOnce();
    expect(field("Chairman").value).toBe("z/new");
  });
});

describe("what goes with the button that was pressed passes the focus on", () => {
  const press = async (name: string) => {
    const pressed = button(name);
    pressed?.focus();
    await click(pressed);
  };
  const focused = () => {
    const { activeElement } = document;
    return activeElement?.getAttribute("aria-label") ?? activeElement?.textContent;
  };

  it("a member", async () => {
    await show();
    await press("Remove large");
    expect(focused()).toBe("Remove Basil");
    await press("Remove Basil");
    expect(focused()).toBe("Search models");
  });

  it("a model that is put on a list, and taken off", async () => {
    await show();
    await press("Add aurora/large to Drafting chairmen");
    expect(focused()).toBe("Add boreal/chat to Drafting chairmen");
    await press("Add boreal/chat to Drafting chairmen");
    expect(focused()).toBe("Find another model for Drafting chairmen");
    await press("Remove aurora/large from Drafting chairmen");
    expect(focused()).toBe("Remove boreal/chat from Drafting chairmen");
  });

  it("the search for another model, and its way back", async () => {
    await show();
    await press("Find another model for Drafting chairmen");
    expect(focused()).toBe("Search models");
    const leaves = new KeyboardEvent("keydown", { key: "Escape", bubbles: true });
    await act(async () => document.activeElement?.dispatchEvent(leaves));
    expect(focused()).toBe("Find another model for Drafting chairmen");
  });

  it("a fallback", async () => {
    await show();
    await press("Add a fallback");
    await press("Add a fallback");
    await press("Remove fallback 1");
    expect(focused()).toBe("Remove fallback 1");
    await press("Remove fallback 1");
    expect(focused()).toBe("Add a fallback");
  });
});
