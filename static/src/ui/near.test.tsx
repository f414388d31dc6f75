import { act, type ReactNode } from "react";
import { expect, it } from "vitest";
import { render } from "../test/render";
import { useNear } from "./near";

function Far({ children }: { children: ReactNode }) {
  const [place, near] = useNear<HTMLDivElement>(false);
  return <div ref={place}>{near && children}</div>;
}

it("what is far within something far is there when the page is printed", async () => {
  const page = await render(
    <Far>
      <Far>
        <Far>at the very end</Far>
      </Far>
    </Far>,
  );
  expect(page.textContent).toBe("");
  await act(async () => dispatchEvent(new Event("beforeprint")));
  expect(page.textContent).toBe("at the very end");
});
