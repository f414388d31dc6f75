import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { keys } from "../../api/queries";
import type { VersionInfo } from "../../api/types";
import { render } from "../../test/render";
import { Version } from "./version";

const known: VersionInfo = {
  version: "1.2.3",
  git_commit: "0123456789abcdef0123456789abcdef01234567",
  git_commit_short: "0123456",
  build_time: "2026-03-04T05:06:07Z",
};

async function shown(version: VersionInfo) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryData(keys.version, version);
  return (await render(<Version />, client)).querySelector("p");
}

describe("the server's version", () => {
  it("stands with its short commit, and the whole one with the time of the build as a title", async () => {
    const line = await shown(known);
    expect(line?.textContent).toBe("LLM Council 1.2.30123456");
    expect(line?.title).toContain(known.git_commit);
    expect(line?.title).toContain("2026");
  });

  it("leaves out what the build did not know", async () => {
    const line = await shown({
      ...known,
      git_commit: "unknown",
      git_commit_short: "unknown",
      build_time: "unknown",
    });
    expect(line?.textContent).toBe("LLM Council 1.2.3");
    expect(line?.hasAttribute("title")).toBe(false);
  });
});
