/** Views of providers: whose answers are made up, because no test asks them. */
import type { Page } from "playwright-core";
import { checkReport } from "./checks";

const regions = {
  provider: "bedrock",
  region: "us-east-2",
  default: "us-east-2",
  regions: [
    { id: "eu-west-1", name: "Europe (Ireland)" },
    { id: "us-east-2", name: "US East (Ohio)" },
  ],
};

const report = {
  region: "eu-west-1",
  moved: [
    {
      place: "council_models.0",
      from: "bedrock:us.cedar.large-20250929-v1:0",
      to: "bedrock:eu.cedar.large-20250929-v1:0",
    },
  ],
  missing: [
    {
      place: "council_models.1",
      model: "acme/basil",
      nearest: ["bedrock:eu.basil-2-v1:0", "bedrock:basil-mini-v1:0"],
    },
  ],
};

/** A provider with regions, which this page believes and the server never sees. */
export async function withRegions(page: Page) {
  let region = "us-east-2";
  await page.route("**/api/settings/regions", (route) => route.fulfill({ json: regions }));
  await page.route("**/api/config", async (route) => {
    const change = route.request().method() === "PUT" ? route.request().postDataJSON() : null;
    const isMove = typeof change?.region === "string";
    if (isMove) region = change.region || regions.default;
    const response = isMove ? await page.request.get("/api/config") : await route.fetch();
    const config = { ...(await response.json()), region };
    await route.fulfill({ json: isMove ? { ...config, region_report: report } : config });
  });
}

/** Chooses another region; resolves when it is said what that did. */
export async function moveRegion(page: Page) {
  await page.getByRole("combobox", { name: "Region" }).selectOption("eu-west-1");
  await page.getByRole("button", { name: "Use this region" }).press("Enter");
  await page.locator(".region-changes li").first().waitFor();
}

/** An examination that no provider is asked for; resolves when its result is there. */
export async function checkProviders(page: Page) {
  await page.route("**/api/admin/providers/check", (route) => route.fulfill({ json: checkReport }));
  await page.getByRole("button", { name: "Check now" }).press("Enter");
  await page.getByRole("heading", { name: "The server", exact: true }).waitFor();
}
