import { act } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import * as client from "../../api/client";
import { keys, queryClient, useConfig } from "../../api/queries";
import { hasRegion, type RegionReport } from "../../api/regions";
import type { Config } from "../../api/types";
import { button, click, render, settled } from "../../test/render";
import { config } from "../../test/samples";
import { Region, type RegionStore } from "./region";

const regions = {
  provider: "bedrock",
  region: "us-east-2",
  default: "us-east-2",
  regions: [
    { id: "eu-west-1", name: "Europe (Ireland)" },
    { id: "us-east-2", name: "US East (Ohio)" },
  ],
};
const inOhio: Config = { ...config, chairman_model: "bedrock:us.cedar", region: "us-east-2" };
const report: RegionReport = {
  region: "eu-west-1",
  moved: [{ place: "council_models.1", from: "bedrock:us.basil", to: "bedrock:eu.basil" }],
  missing: [
    {
      place: "chairman_model",
      model: "bedrock:us.cedar",
      nearest: ["bedrock:eu.cedar-2", "bedrock:eu.cedar-mini"],
    },
  ],
};

const save = vi.fn<RegionStore["save"]>();

function View() {
  const { data } = useConfig();
  return data ? <Region config={data} store={{ key: keys.config, save }} /> : null;
}

async function show(list: object = regions) {
  vi.spyOn(client, "json").mockResolvedValue(list);
  queryClient.setQueryData(keys.config, inOhio);
  return render(<View />, queryClient);
}

async function choose(region: string) {
  const select = document.querySelector("select");
  await act(async () => {
    if (select) select.value = region;
    select?.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

beforeEach(() => {
  queryClient.clear();
  save.mockReset();
});

it("says in words what a change did, and offers what is nearest to what is missing", async () => {
  const page = await show();
  await settled("Use this region");
  await click(button("Use this region"));
  expect(save).not.toHaveBeenCalled();
  expect(page.querySelector("select")?.value).toBe("us-east-2");
  expect([...page.querySelectorAll("option")].map((option) => option.textContent)).toEqual([
    "Europe (Ireland) · eu-west-1",
    "US East (Ohio) · us-east-2 (the default)",
  ]);
  const moved: Config = { ...inOhio, region: "eu-west-1", region_report: report };
  save.mockResolvedValue(moved);
  await choose("eu-west-1");
  await click(button("Use this region"));
  expect(save).toHaveBeenLastCalledWith({ region: "eu-west-1" });
  await settled("1 model now has its id for Europe (Ireland):");
  expect(page.textContent).toContain("Member 2: bedrock:us.basil is now bedrock:eu.basil");
  expect(page.textContent).toContain(
    "Chairman: bedrock:us.cedar is not offered in Europe (Ireland) and stays as it is.",
  );
  const replaced: Config = { ...moved, chairman_model: "bedrock:eu.cedar-2" };
  delete replaced.region_report;
  save.mockResolvedValue(replaced);
  await click(button("Use bedrock:eu.cedar-2 in the place of bedrock:us.cedar"));
  expect(save).toHaveBeenLastCalledWith({ chairman_model: "bedrock:eu.cedar-2" });
  expect(page.textContent).not.toContain("is not offered in");
  // What was moved is still said, although the settings no longer tell of it.
  expect(page.textContent).toContain("Member 2");
});

it("goes back to the provider’s own region by naming none", async () => {
  vi.spyOn(client, "json").mockResolvedValue(regions);
  queryClient.setQueryData<Config>(keys.config, { ...inOhio, region: "eu-west-1" });
  await render(<View />, queryClient);
  await settled("Use this region");
  save.mockResolvedValue(inOhio);
  await choose("us-east-2");
  await click(button("Use this region"));
  expect(save).toHaveBeenLastCalledWith({ region: "" });
});

it("is not there where no provider has regions", async () => {
  const page = await show({ provider: null, region: null, default: null, regions: [] });
  await act(() => vi.waitFor(() => expect(page.textContent).toBe("")));
  expect([config, { ...config, region: null }, inOhio].map(hasRegion)).toEqual([
    false,
    false,
    true,
  ]);
});
