import { expect, it } from "vitest";
import { render } from "../../test/render";
import { DirectPicker } from "./picker";

it("shows whom the next question is for, also where that one's answers are not read yet", async () => {
  const picker = (seats: readonly string[], chosen: string | null) => (
    <DirectPicker seats={seats} chosen={chosen} onChange={() => undefined} />
  );
  const page = await render(picker(["aurora/large"], "Basil"));
  const select = page.querySelector("select");
  const offered = () => [...(select?.options ?? [])].map(({ value }) => value);
  expect(select?.value).toBe("Basil");
  expect(offered()).toEqual(["", "aurora/large", "Basil", "chairman"]);

  await render(picker(["Basil", "aurora/large"], "Basil"));
  expect(offered()).toEqual(["", "Basil", "aurora/large", "chairman"]);
  await render(picker(["aurora/large"], "chairman"));
  expect(offered()).toEqual(["", "aurora/large", "chairman"]);
});
