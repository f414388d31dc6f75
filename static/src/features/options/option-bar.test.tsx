import { expect, it } from "vitest";
import { button, render } from "../../test/render";
import { config } from "../../test/samples";
import { sceneOf } from "./choices";
import { useOptions } from "./option-bar";

function Bar({ hasPicker }: { hasPicker: boolean }) {
  return useOptions({
    scene: sceneOf({}, config, null),
    picker: hasPicker && <select aria-label="Council to ask" />,
    question: "",
    onChange: () => undefined,
  }).bar;
}

it("the format says that it is one beside the choice of a council", async () => {
  await render(<Bar hasPicker={false} />);
  expect(button("Format: Council")?.textContent).toBe("Council");
  await render(<Bar hasPicker />);
  expect(button("Format: Council")?.textContent).toBe("Format: Council");
});
