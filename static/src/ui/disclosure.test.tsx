import { expect, it } from "vitest";
import { button, click, render } from "../test/render";
import { FoldedSection } from "./disclosure";

const section = (goesOn: boolean) =>
  render(
    <FoldedSection title="Research" openWhile={goesOn}>
      {() => <button type="button">Bees</button>}
    </FoldedSection>,
  );

it("what is open as long as something goes on folds at its end", async () => {
  await section(true);
  expect(button("Bees")).toBeDefined();
  await section(false);
  expect(button("Bees")).toBeUndefined();
});

it("it stays open where something was pressed in it, until it is folded", async () => {
  await section(true);
  await click(button("Bees"));
  await section(false);
  expect(button("Bees")).toBeDefined();
  await click(button("Research"));
  expect(button("Bees")).toBeUndefined();
});
