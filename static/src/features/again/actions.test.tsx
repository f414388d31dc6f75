import { beforeEach, expect, it, vi } from "vitest";
import { identity } from "../../api/identity";
import type { Schemas } from "../../api/types";
import { button, click, render, settled } from "../../test/render";
import { answer, seats, storedRun, synthesis } from "../../test/samples";
import { fromStored } from "../reducer";
import { AskMenu } from "./actions";
import { useAsking } from "./asking";
import { AskableContext } from "./context";

const asked: unknown[] = [];
beforeEach(async () => {
  await identity.note("ann");
  asked.length = 0;
  useAsking.setState({ runs: {} });
  vi.spyOn(globalThis, "fetch").mockImplementation((_, init = {}) => {
    if (init.method === "POST") asked.push(JSON.parse(String(init.body)));
    return Promise.reject(new TypeError("Failed to fetch"));
  });
});

const askable = { conversationId: "c1", runId: "r1", messageId: "m1" };
const show = (fact: Schemas["HeadingFact"], sat = seats) => {
  const answers = sat.map((one) => answer(one));
  const run = fromStored(storedRun(answers, [], synthesis({ heading_fact: fact })), "c1");
  return render(
    <AskableContext value={askable}>
      <AskMenu run={run} />
    </AskableContext>,
  );
};

it.each<[Schemas["HeadingFact"], string]>([
  [{ code: "member_alone", member: "Basil" }, "Ask Basil again"],
  [{ code: "chairman_alone" }, "Ask the chairman again"],
])("a seat that alone was asked is asked again, and nothing of a council", async (fact, name) => {
  const page = await show(fact, seats.slice(1));
  expect([...page.querySelectorAll("button")].map((one) => one.textContent)).toEqual([name]);
  await click(button(name));
  expect(asked).toEqual([{ from: "stage1" }]);
});

it("a council is asked again from a stage on", async () => {
  const page = await show({ code: "council" });
  await click(button("Ask again…"));
  await settled("Ask everybody again");
  expect(page.querySelectorAll("[role=menuitem]")).toHaveLength(3);
});

it("of an earlier answer that is given again only the whole is asked again", async () => {
  const message = storedRun(
    seats.map((one) => answer(one)),
    [],
    synthesis({ heading_fact: { code: "council" } }),
  );
  const cache: Schemas["CacheInfo"] = { mode: "serve", threshold: 0.92, outcome: "hit" };
  const run = fromStored({ ...message, metadata: { ...message.metadata, cache } }, "c1");
  const page = await render(
    <AskableContext value={askable}>
      <AskMenu run={run} />
    </AskableContext>,
  );
  await click(button("Ask again…"));
  await settled("Ask everybody again");
  expect(page.querySelectorAll("[role=menuitem]")).toHaveLength(1);
});
