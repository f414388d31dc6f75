import { beforeEach, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import { keys, queryClient } from "../../api/queries";
import { button, render } from "../../test/render";
import { config } from "../../test/samples";
import CouncilDialog from "./dialog";

beforeEach(async () => {
  await identity.note("ann");
  queryClient.clear();
  queryClient.setQueryData(keys.config, config);
  queryClient.setQueryData(keys.presets, []);
  HTMLDialogElement.prototype.showModal = () => undefined;
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({}));
});

it("opened at a member it has the focus there", async () => {
  const at = (place?: number) =>
    render(
      <CouncilDialog
        place={null}
        project={null}
        conversationId={null}
        {...(place !== undefined && { at: place })}
        onClose={() => undefined}
      />,
      queryClient,
    );
  await at(1);
  expect(document.activeElement).toBe(button("Swap Basil"));
});
