import { useState } from "react";
import { expect, it } from "vitest";
import { button, click, render } from "../../test/render";
import { config } from "../../test/samples";
import { Toasts } from "../../ui/toast";
import type { Choices } from "../feature";
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

it("what was written for the question comes back after its chip was pressed", async () => {
  function Written() {
    const [own, setOwn] = useState<Partial<Choices>>({ rubric: { text: "- Brief" } });
    const { bar } = useOptions({
      scene: sceneOf(own, config, null),
      picker: null,
      question: "",
      onChange: (change) => setOwn((now) => ({ ...now, ...change })),
    });
    return (
      <>
        {bar}
        <p>{own.rubric?.text ?? "nothing"}</p>
        <Toasts />
      </>
    );
  }
  const page = await render(<Written />);
  await click(button("Take back: A rubric of its own"));
  expect(page.textContent).toContain("nothing");
  await click(button("Undo"));
  expect(page.textContent).toContain("- Brief");
});
