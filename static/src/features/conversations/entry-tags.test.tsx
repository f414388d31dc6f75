import { afterEach, describe, expect, it } from "vitest";
import { showLanguage } from "../../i18n";
import de from "../../i18n/de.json";
import { render } from "../../test/render";
import { EntryTags } from "./entry-tags";

const shown = async (tags: readonly string[]) => {
  const page = await render(<EntryTags tags={tags} />);
  return [...page.querySelectorAll(".entry-tag")].map((tag) => tag.textContent);
};

afterEach(() => showLanguage("en"));

describe("the tags of an entry", () => {
  it("are nothing where there are none", async () => {
    expect((await render(<EntryTags tags={[]} />)).textContent).toBe("");
  });

  it("are the first two, with a count of the others and all of them as a title", async () => {
    const page = await render(<EntryTags tags={["work", "rust", "home", "later"]} />);
    expect(await shown(["work", "rust", "home", "later"])).toEqual(["work", "rust"]);
    expect(page.querySelector(".entry-tags-more")?.textContent).toBe("+2and 2 more");
    expect(page.querySelector(".entry-tags")?.getAttribute("title")).toContain("later");
  });

  it("are in the reader's language where they are the server's own", async () => {
    expect(await shown(["scheduled", "work"])).toEqual(["scheduled", "work"]);
    showLanguage("de", de);
    expect(await shown(["scheduled", "work"])).toEqual(["geplant", "work"]);
  });

  it("count nothing where all of them stand there", async () => {
    expect(await shown(["work", "rust"])).toEqual(["work", "rust"]);
    const page = await render(<EntryTags tags={["work", "rust"]} />);
    expect(page.querySelector(".entry-tags-more")).toBeNull();
  });
});
