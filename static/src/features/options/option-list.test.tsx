import { expect, it, vi } from "vitest";
import { render } from "../../test/render";
import { config } from "../../test/samples";
import { defaults } from "./choices";
import OptionList from "./option-list";

it("shows a quorum and a wait that only a program can have set", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(() => new Promise(() => undefined));
  const council_models = [{ model: "a/one" }, { model: "b/two" }, { model: "c/three" }];
  const choices = { ...defaults, quorum: 1, straggler_grace_ms: 12_500 };
  const page = await render(
    <OptionList
      scene={{ choices, config: { ...config, council_models } }}
      onChange={() => undefined}
    />,
  );
  const shown = [...page.querySelectorAll("select")].map((one) => one.value);
  expect(shown).toContain("1");
  expect(shown).toContain("12500");
  expect(page.textContent).toContain("then 12.5 s for the others");
});
