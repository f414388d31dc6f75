/** Views of the folders of the list. */
import type { Locator, Page } from "playwright-core";
import type { View } from "./views";

export function folders(inSidebar: (page: Page) => Promise<Locator>): View[] {
  const view = (name: string, act: (page: Page, sidebar: Locator) => Promise<unknown>): View => ({
    name,
    path: "/",
    act: async (page) => act(page, await inSidebar(page)),
  });
  const opened = async (sidebar: Locator) => {
    await sidebar.getByRole("button", { name: /^Planning/ }).press("ArrowRight");
    await sidebar.locator(".folder .entry-title").nth(2).waitFor();
  };
  const choose = async (page: Page, place: Locator, action: string) => {
    await place.hover();
    await place.getByRole("button", { name: /^More for/ }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  return [
    view("folder", (_, sidebar) => opened(sidebar)),
    view("folder-menu", async (page, sidebar) => {
      const row = sidebar.locator(".folder > .entry").first();
      await row.hover();
      await row.getByRole("button", { name: "More for the folder Planning" }).click();
      await page.getByRole("menuitem", { name: "Delete folder…" }).waitFor();
    }),
    view("folder-new", async (page, sidebar) => {
      await sidebar.getByRole("button", { name: "New folder" }).click();
      await page.getByRole("dialog", { name: "New folder" }).getByLabel("Name").fill("Reading");
    }),
    view("folder-move", async (page, sidebar) => {
      const entry = sidebar.locator(".entry").filter({ has: page.locator('a[href^="/c/"]') });
      await choose(page, entry.first(), "Move to folder…");
      await page.getByRole("radio", { name: "Planning" }).check();
    }),
    view("folder-select", async (page, sidebar) => {
      await opened(sidebar);
      await sidebar.getByRole("button", { name: "Select", exact: true }).click();
      await sidebar.locator(".folder").getByRole("checkbox").first().check();
      await sidebar.getByRole("toolbar").getByRole("button", { name: "Move to folder…" }).click();
      await page.getByRole("radio", { name: "New folder" }).check();
    }),
  ];
}
