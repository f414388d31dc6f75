/** Every view and state of the web app, and how one gets there. */
import type { Locator, Page } from "playwright-core";
import { withConversation } from "../browser";
import { correctVotes, leanings, mixCosts } from "../figures";
import { bench, benches } from "./bench";
import { countAnswers, keepAnswers, offerEarlier, useEarlier } from "./earlier";
import { saidWhatWasWrong, sayWhatWasWrong } from "./feedback";
import { folders } from "./folders";
import {
  library,
  libraryEntry,
  promptsByKeys,
  promptsDialog,
  promptVariables,
  rubricChoice,
} from "./library";
import { withDevices } from "./notifications";
import { withFiles } from "./own-files";
import { pictureCards, picturesAsked, picturesChosen, pictureView } from "./pictures";
import { checkProviders, moveRegion, withRegions } from "./providers";
import type { Conversations } from "./scenes";
import { someSchedules } from "./schedules";
import { shareDialog, shared } from "./sharing";
import { listOf, someWebhooks } from "./webhooks";

export interface View {
  name: string;
  /** Where it is; `empty` is the server where nothing was asked. */
  path: string;
  empty?: boolean;
  /** The whole page, and not what a screen shows of it. */
  whole?: boolean;
  /** It is a picture of waiting. */
  loading?: boolean;
  /** The server refuses something or is out of reach, which the console notes too. */
  refused?: boolean;
  act?: (page: Page) => Promise<unknown>;
}

const top = (place: Locator) =>
  place.evaluate((element) => {
    // Below what stays at the top of a screen.
    const head = innerWidth < 860 ? 128 : 72;
    const top = element.getBoundingClientRect().top + scrollY - head;
    scrollTo({ top, behavior: "instant" });
  });

/** A part of a run, opened, and at the top of the screen. */
const part = (title: string, inside?: string) => async (page: Page) => {
  // The composer has a button that is called "Research", too.
  const folds = page.locator(".fold-heading");
  const head = folds.getByRole("button", { name: new RegExp(`^${title}`) }).first();
  await head.waitFor();
  if ((await head.getAttribute("aria-expanded")) === "false") await head.click();
  await top(inside ? page.locator(inside).first() : head);
  await page.locator(".fold-body:not([hidden])").first().waitFor();
};

const heading = (name: string) => async (page: Page) => {
  const place = page.getByRole("heading", { name, exact: true }).first();
  await place.waitFor();
  await top(place);
};

const answerThat = (pattern: RegExp, answer: { status: number; json: object }) => (page: Page) =>
  page.route(pattern, (route) => route.fulfill(answer));

const inSidebar = async (page: Page) => {
  const menu = page.getByRole("button", { name: "Open the sidebar" });
  if (await menu.isVisible()) await menu.click();
  return page.locator(".sidebar, .drawer").filter({ visible: true }).first();
};

const typed = async (page: Page) => {
  await page.getByLabel("Your question").fill("Which of the two would you debug at night?");
  await page.locator(".estimate button").waitFor();
};

const openCouncil = async (page: Page) => {
  await page.getByRole("button", { name: "Change the council" }).click();
  await page.getByText(/^A short question: about/).waitFor();
};

const draining = { status: 503, json: { title: "Service Unavailable", status: 503 } };

export function views(to: Conversations): View[] {
  const run = (name: string, id: string, act?: View["act"], more: Partial<View> = {}): View => ({
    name,
    path: `/c/${id}`,
    act: async (on) => {
      await on.locator(".fold").first().waitFor();
      await act?.(on);
    },
    ...more,
  });
  const setting = (name: string, title: string): View => ({
    name: `settings-${name}`,
    path: "/settings",
    act: async (on) => {
      await on.locator(".member").first().waitFor();
      await heading(title)(on);
    },
  });
  const webhooks = (name: string, act: (on: Page) => Promise<unknown>): View => ({
    name: `settings-webhooks-${name}`,
    path: "/settings",
    act: async (on) => {
      await someWebhooks(on, false);
      await on.reload();
      await listOf(on).first().waitFor();
      await heading("Webhooks")(on);
      await act(on);
    },
  });
  const schedules = (name: string, act: (on: Page) => Promise<unknown>): View => ({
    name: `schedules${name}`,
    path: "/schedules",
    whole: true,
    act: async (on) => {
      await someSchedules(on);
      await on.reload();
      await on.getByRole("heading", { name: "Herons in the news" }).waitFor();
      await act(on);
    },
  });
  const page = (name: string, path: string, act?: View["act"]): View => ({
    name,
    path,
    whole: true,
    ...(act && { act }),
  });
  return [
    { name: "home", path: "/" },
    page("schedules-none", "/schedules", (on) =>
      on.getByText("Nothing is asked on a schedule yet.").waitFor(),
    ),
    schedules("", async () => undefined),
    schedules("-results", (on) => on.getByRole("button", { name: "Results" }).first().click()),
    schedules("-form", async (on) => {
      await on.getByRole("button", { name: "New scheduled question" }).click();
      await on.getByLabel("Question", { exact: true }).fill("What is new about herons?");
      await on.getByRole("status").getByText("Next: ").waitFor();
    }),
    schedules("-own", async (on) => {
      await on.getByRole("button", { name: "Change", exact: true }).last().click();
      await on.getByLabel("Cron expression").waitFor();
    }),
    { name: "home-typed", path: "/", act: typed },
    {
      name: "home-estimate",
      path: "/",
      act: async (on) => {
        await typed(on);
        await on.locator(".estimate button").click();
      },
    },
    {
      name: "home-options",
      path: "/",
      act: async (on) => {
        await on.getByRole("button", { name: /^Options/ }).click();
        await on.locator(".option").first().waitFor();
      },
      whole: true,
    },
    { name: "home-council", path: "/", act: openCouncil },
    {
      name: "home-council-list",
      path: "/",
      act: async (on) => {
        await openCouncil(on);
        await on.getByRole("button", { name: "Swap basil" }).click();
        await on.getByRole("option").first().waitFor();
      },
    },
    {
      name: "home-council-other",
      path: "/",
      act: async (on) => {
        await openCouncil(on);
        await on.getByRole("button", { name: "Remove basil" }).click();
        await on.getByRole("button", { name: "Done" }).click();
        await on.getByText("Asked instead of your council").waitFor();
      },
    },
    {
      name: "home-dictating",
      path: "/settings",
      act: async (on) => {
        await on.addInitScript(() => {
          class Recognition {
            start() {
              // It hears nothing.
            }
            abort() {
              // Nor does it end.
            }
          }
          Object.assign(window, { SpeechRecognition: Recognition });
        });
        await on.reload();
        await on.getByRole("checkbox", { name: /^Dictation/ }).check();
        await on.goto("/");
        await on.getByRole("button", { name: "Dictate" }).click();
        await on.getByText("Listening.").waitFor();
      },
    },
    {
      name: "home-instructions",
      path: "/",
      act: (on) => on.getByRole("button", { name: "System prompt" }).click(),
    },
    {
      name: "home-formats",
      path: "/",
      act: async (on) => {
        await on.getByRole("button", { name: /^Options/ }).click();
        await on.getByRole("radio", { name: /^Debate of all with all/ }).check();
      },
      whole: true,
    },
    { name: "home-simulated", path: "/", empty: true },
    { name: "pictures-chosen", path: "/", empty: true, act: picturesChosen },
    { name: "pictures-asked", path: "/", empty: true, act: picturesAsked },
    { name: "pictures-cards", path: "/", empty: true, act: pictureCards },
    { name: "pictures-view", path: "/", empty: true, act: pictureView },
    { name: "share", path: `/c/${to.polished}`, act: (on) => shareDialog(on) },
    {
      name: "share-made",
      path: `/c/${to.polished}`,
      act: async (on) => {
        const dialog = await shareDialog(on);
        await dialog.getByRole("button", { name: "Create link" }).click();
        await dialog.getByLabel("The new link").waitFor();
      },
    },
    page("shared", `/c/${to.polished}`, shared(to.polished)),
    {
      name: "settings-shared",
      path: `/c/${to.polished}`,
      act: async (on) => {
        await shared(to.polished)(on);
        await on.goto("/settings");
        await on.getByRole("button", { name: "Stop sharing" }).first().waitFor();
        await heading("Shared links")(on);
      },
    },
    {
      name: "project",
      path: `/p/${to.project}`,
      whole: true,
      act: (on) => on.getByRole("region", { name: "Members" }).waitFor(),
    },
    {
      name: "project-conversation",
      path: `/p/${to.project}/c/${to.plain}`,
      act: (on) => on.getByRole("link", { name: "Open the conversation" }).waitFor(),
    },
    {
      name: "project-new",
      path: "/",
      act: async (on) => {
        await (await inSidebar(on)).getByRole("button", { name: "New project" }).click();
        await on.getByRole("dialog", { name: "New project" }).getByLabel("Name").waitFor();
      },
    },
    {
      name: "project-move",
      path: "/",
      act: async (on) => {
        const sidebar = await inSidebar(on);
        const entry = sidebar.locator(".entry:has(button)").first();
        await entry.hover();
        await entry.getByRole("button").click();
        await on.getByRole("menuitem", { name: "Move to project…" }).click();
        await on.getByRole("radio", { name: "No project" }).waitFor();
      },
    },
    page("library", "/", library),
    page("library-entry", "/", libraryEntry),
    { name: "home-prompts-by-keys", path: "/", act: promptsByKeys },
    { name: "home-prompt-variables", path: "/", act: promptVariables },
    { name: "home-prompts", path: "/", act: promptsDialog },
    { name: "home-rubric", path: "/", act: rubricChoice },
    run("run-rubric", to.polished, async (on) => {
      await part("Reviews")(on);
      await on.getByText("Rubric: Decisions of the team").click();
      await on
        .getByText("The reviewers judged by criteria that came with the question.")
        .scrollIntoViewIfNeeded();
    }),
    { name: "sidebar", path: "/", act: inSidebar },
    ...folders(inSidebar),
    {
      name: "search",
      path: "/",
      act: async (on) => {
        const sidebar = await inSidebar(on);
        await sidebar.getByLabel("Search conversations").fill("night");
        await sidebar.locator(".hits .entry").first().waitFor();
      },
    },
    {
      name: "sidebar-archived",
      path: "/",
      act: async (on) => {
        const sidebar = await inSidebar(on);
        await sidebar.getByRole("button", { name: "Archived", exact: true }).click();
        await sidebar.getByRole("button", { name: "Back from Archived" }).waitFor();
      },
    },
    {
      name: "sidebar-select",
      path: "/",
      act: async (on) => {
        const sidebar = await inSidebar(on);
        await sidebar.getByRole("button", { name: "Select", exact: true }).click();
        await sidebar.getByRole("checkbox").nth(1).check();
        await sidebar.getByRole("checkbox").nth(2).check();
      },
    },
    {
      name: "sidebar-select-tag",
      path: "/",
      act: async (on) => {
        const sidebar = await inSidebar(on);
        await sidebar.getByRole("button", { name: "Select", exact: true }).click();
        await sidebar.getByRole("checkbox").nth(1).check();
        await sidebar.getByRole("toolbar").getByRole("button", { name: "Tag" }).click();
        await sidebar.getByLabel(/^A tag for/).fill("home");
      },
    },
    {
      name: "sidebar-rename",
      path: "/",
      act: async (on) => {
        const sidebar = await inSidebar(on);
        const entry = sidebar.locator(".entry:has(button)").first();
        await entry.hover();
        await entry.getByRole("button").click();
        await on.getByRole("menuitem", { name: "Rename" }).click();
        await sidebar.getByLabel(/^New title for/).waitFor();
      },
    },
    {
      name: "shortcuts",
      path: "/",
      act: async (on) => {
        await on.getByRole("heading", { name: "Ask the council" }).click();
        await on.keyboard.press("?");
        await on.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      },
    },
    run("run", to.plain, undefined, { whole: true }),
    run("run-polished", to.polished, undefined, { whole: true }),
    run("run-final", to.polished),
    run("run-answers", to.plain, part("Answers")),
    run("run-reviews", to.plain, part("Reviews")),
    run(
      "run-reviews-corrected",
      to.plain,
      async (on) => {
        await correctVotes(on);
        await on.reload();
        await part("Reviews")(on);
        for (const mark of await on.locator(".verdict .explain summary").all()) await mark.click();
      },
      { whole: true },
    ),
    run("run-review-open", to.plain, async (on) => {
      await part("Reviews")(on);
      const review = on.getByRole("article", { name: /^Review by / }).first();
      await review.getByText("Full review").click();
      await top(review);
    }),
    run("run-chairmen", to.polished, part("Several chairmen")),
    run("run-refinement", to.polished, part("Refinement")),
    run("run-adversary", to.polished, part("Devil’s advocate")),
    run("run-costs", to.polished, part("Cost and time")),
    run("run-no-consensus", to.polished, part("Reviews")),
    run("run-consensus", to.routed),
    run("run-routing", to.routed, part("Answers")),
    run("run-escalation", to.escalated, async (on) => {
      await part("Answers")(on);
      await on.getByText("What was measured").click();
    }),
    run("run-process-log", to.polished, async (on) => {
      await on.getByRole("button", { name: /^Process log/ }).click();
      await on.locator(".notes li:not(.quiet)").first().waitFor();
    }),
    run("run-options", to.plain, async (on) => {
      await on.getByLabel("Your question").click();
      await on.getByRole("button", { name: /^Options/ }).click();
      await on.locator(".option").first().waitFor();
    }),
    run("run-comment", to.polished, sayWhatWasWrong),
    run("run-commented", to.polished, saidWhatWasWrong),
    run("run-export", to.plain, async (on) => {
      await withConversation(on, "Export");
      await on.getByRole("menu").waitFor();
    }),
    run("run-again", to.plain, async (on) => {
      await on.getByRole("button", { name: "Ask again…" }).click();
      await on.getByRole("menu").waitFor();
    }),
    run("run-edit-question", to.plain, async (on) => {
      await on.getByRole("button", { name: "Edit the question" }).first().click();
      await on.getByLabel("The question in other words").waitFor();
    }),
    run("run-rotation", to.rotation, undefined, { whole: true }),
    run(
      "run-arena",
      to.arena,
      async (on) => {
        await part("The openings, ranked blind")(on);
        await on.locator(".said-toggle").first().click();
      },
      { empty: true, whole: true },
    ),
    run(
      "run-parts",
      to.parts,
      async (on) => {
        await on.locator(".part-head button").first().click();
        await on.locator(".part summary", { hasText: "Ballots" }).click();
      },
      { empty: true, whole: true },
    ),
    run(
      "run-sources",
      to.researched,
      async (on) => {
        for (const title of ["Sources", "Research", "Web search"]) await part(title)(on);
        await on.locator(".topic summary").first().click();
        await on.locator(".source").first().waitFor();
      },
      { empty: true, whole: true },
    ),
    run(
      "run-source-card",
      to.researched,
      async (on) => {
        const cite = on.locator(".cite").first();
        await cite.scrollIntoViewIfNeeded();
        await cite.focus();
        await on.locator(".source-card").waitFor();
      },
      { empty: true },
    ),
    {
      name: "run-earlier-offered",
      path: `/c/${to.plain}`,
      act: async (on) => {
        await offerEarlier(on);
        await on.reload();
        await on.locator(".earlier-offer").waitFor();
      },
    },
    run("run-earlier-used", to.plain, async (on) => {
      await useEarlier(on);
      await on.reload();
      await on.locator(".earlier-banner").waitFor();
    }),
    run("run-stopped", to.stopped),
    run("run-failures", to.failing, undefined, { empty: true, whole: true }),
    page("settings", "/settings", (on) => on.locator(".member").first().waitFor()),
    setting("members", "Members"),
    setting("add-a-member", "Add a member"),
    {
      name: "settings-region",
      path: "/settings",
      act: async (on) => {
        await withRegions(on);
        await on.reload();
        await moveRegion(on);
        await heading("Region")(on);
      },
    },
    setting("routing", "Routing"),
    setting("escalation", "Escalation"),
    setting("appearance", "Appearance"),
    {
      name: "settings-notifications",
      path: "/settings",
      act: async (on) => {
        await withDevices(on);
        await on.reload();
        await on.getByText("this browser", { exact: true }).waitFor();
        // What stands above it pushes it down once it is there.
        await on.getByText("Caps of your own").waitFor();
        await heading("Notifications")(on);
      },
    },
    {
      name: "settings-notifications-none",
      path: "/settings",
      act: async (on) => {
        await withDevices(on, []);
        await on.reload();
        await on.getByText("Caps of your own").waitFor();
        await heading("Notifications")(on);
      },
    },
    {
      name: "settings-own-files",
      path: "/settings",
      act: async (on) => {
        await withFiles(on);
        await on.reload();
        await on.locator(".own-file").first().waitFor();
        await heading("Your files")(on);
      },
    },
    setting("own-data", "Your data"),
    webhooks("list", async (on) => {
      await listOf(on).first().getByRole("button", { name: "Deliveries" }).click();
      await on.locator(".delivery").first().waitFor();
    }),
    webhooks("change", (on) => listOf(on).nth(1).getByRole("button", { name: "Change" }).click()),
    webhooks("secret", async (on) => {
      await listOf(on)
        .first()
        .getByRole("button", { name: /^More for / })
        .click();
      await on.getByRole("menuitem", { name: "Another secret…" }).click();
      await on.getByRole("button", { name: "Make another secret" }).click();
      await on.getByText("This is its secret.").waitFor();
    }),
    webhooks("remove", async (on) => {
      await listOf(on)
        .first()
        .getByRole("button", { name: /^More for / })
        .click();
      await on.getByRole("menuitem", { name: "Remove…" }).click();
      await on.getByRole("dialog").waitFor();
    }),
    {
      name: "settings-webhooks-empty",
      path: "/settings",
      act: async (on) => {
        await on.getByRole("button", { name: "Add a webhook" }).click();
        await heading("Webhooks")(on);
      },
    },
    page("admin-webhooks", "/admin/webhooks", async (on) => {
      await someWebhooks(on, true);
      await on.reload();
      await listOf(on).first().waitFor();
    }),
    setting("default-options-prompt", "Default options"),
    {
      name: "deleted",
      path: "/",
      act: async (on) => {
        for (const title of [
          "What makes the ebb?",
          "A much longer title, of the kind that people give who write whole sentences into it",
        ]) {
          const made = await on.request.post("/api/conversations", { data: {} });
          const { id } = (await made.json()) as { id: string };
          await on.request.patch(`/api/conversations/${id}`, { data: { title } });
          await on.request.delete(`/api/conversations/${id}`);
        }
        await on.goto("/deleted");
        await on
          .getByRole("button", { name: /^Restore/ })
          .first()
          .waitFor();
      },
    },
    {
      name: "by-link",
      path: "/",
      act: async (on) => {
        await on.goto(
          "/?q=Why+is+the+sky+blue%3F&models=simulated/ada,simulated/basil&preset=Nowhere&use_cot=true",
        );
        await on.getByText("There is no preset “Nowhere” here").waitFor();
        await on.getByText("Asked instead of your council").waitFor();
      },
    },
    {
      name: "settings-version",
      path: "/settings",
      act: async (on) => {
        // A debug build knows no commit.
        const version = {
          version: "1.2.3",
          git_commit: "0123456789abcdef0123456789abcdef01234567",
          git_commit_short: "0123456",
          build_time: "2026-03-04T05:06:07Z",
        };
        await answerThat(/\/api\/version$/, { status: 200, json: version })(on);
        await on.reload();
        await on.getByText("Caps of your own").waitFor();
        await on.locator(".version code").scrollIntoViewIfNeeded();
      },
    },
    {
      name: "settings-mistakes",
      path: "/settings",
      act: async (on) => {
        const aliases = on.getByLabel(/^Shown as/);
        await aliases.nth(0).fill("The same");
        await aliases.nth(1).fill("The same");
        await heading("Members")(on);
      },
    },
    {
      name: "settings-leaving",
      path: "/settings",
      act: async (on) => {
        await on
          .getByLabel(/^Shown as/)
          .first()
          .fill("The Sceptic");
        const sidebar = await inSidebar(on);
        await sidebar.getByRole("link", { name: "Dashboard" }).click();
        await on.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
      },
    },
    {
      name: "settings-reset",
      path: "/settings",
      act: async (on) => {
        // A council of one's own, which this page believes and the server never sees.
        await on.route("**/api/config", async (route) => {
          const response = await route.fetch();
          await route.fulfill({ json: { ...(await response.json()), is_default: false } });
        });
        await on.reload();
        await on.getByRole("button", { name: "Reset to default" }).click();
        await on.getByRole("button", { name: "Reset", exact: true }).waitFor();
      },
    },
    page("dashboard", "/dashboard?days=all", (on) => on.locator("canvas").first().waitFor()),
    {
      name: "dashboard-top",
      path: "/dashboard",
      act: (on) => on.locator("canvas").first().waitFor(),
    },
    {
      name: "dashboard-mixed-costs",
      path: "/dashboard",
      whole: true,
      act: async (on) => {
        await mixCosts(on);
        await on.reload();
        await on.locator("canvas").first().waitFor();
      },
    },
    page("model", "/dashboard/models/acme/aurora", heading("aurora")),
    {
      name: "model-as-reviewer",
      path: "/dashboard/models/acme/aurora",
      act: async (on) => {
        await on.route(/\/api\/analytics\/reviewers/, (route) => route.fulfill({ json: leanings }));
        await on.reload();
        await on.locator(".leaning svg").first().waitFor();
        await heading("As a reviewer")(on);
      },
    },
    page("no-bench", "/dashboard/bench"),
    {
      name: "benches",
      path: "/dashboard/bench",
      whole: true,
      act: async (on) => {
        await answerThat(/\/api\/bench\?/, { status: 200, json: benches })(on);
        await on.reload();
        await on.getByRole("link", { name: "house questions" }).waitFor();
      },
    },
    {
      name: "bench",
      path: `/dashboard/bench/${bench.id}`,
      whole: true,
      // Before its answer is made up the server knows no such bench.
      refused: true,
      act: async (on) => {
        await answerThat(/\/api\/bench\//, { status: 200, json: bench })(on);
        await on.reload();
        await on.getByRole("heading", { name: "arithmetic" }).waitFor();
      },
    },
    { name: "answers-none", path: "/answers", empty: true },
    {
      name: "answers",
      path: "/answers",
      whole: true,
      act: async (on) => {
        await keepAnswers(on);
        await on.reload();
        await on.locator(".kept-entry").first().waitFor();
      },
    },
    page("admin-answers", "/admin/answers", async (on) => {
      await countAnswers(on);
      await on.reload();
      await on.locator(".tiles").waitFor();
    }),
    page("admin-providers-checked", "/admin/providers", checkProviders),
    ...[
      "",
      "/analytics",
      "/users",
      "/runs",
      "/audit",
      "/data",
      "/budgets",
      "/providers",
      "/settings",
    ].map((path) => page(`admin${path.replace("/", "-") || "-usage"}`, `/admin${path}`)),
    {
      name: "state-not-an-admin",
      path: "/",
      act: async (on) => {
        await on.route("**/api/user", async (route) => {
          const response = await route.fetch();
          await route.fulfill({ json: { ...(await response.json()), is_admin: false } });
        });
        await on.goto(`${new URL(on.url()).origin}/admin`);
      },
    },
    { name: "state-not-found", path: "/nowhere" },
    { name: "state-gone", path: "/c/00000000-0000-7000-8000-000000000000", refused: true },
    {
      name: "state-loading",
      loading: true,
      path: "/",
      act: async (on) => {
        await on.route(/\/api\/conversations\//, () => undefined);
        await on.goto(`${new URL(on.url()).origin}/c/${to.plain}`, { waitUntil: "commit" });
        await on.getByText("Loading the conversation…").waitFor();
      },
    },
    {
      name: "state-signed-out",
      refused: true,
      loading: true,
      path: "/",
      act: async (on) => {
        await answerThat(/\/api\//, { status: 401, json: {} })(on);
        await on.getByLabel("Your question").fill("Am I still here?");
        await on.getByRole("button", { name: "Ask", exact: true }).click();
        await on.getByRole("link", { name: "Reload the page to sign in again" }).waitFor();
      },
    },
    {
      name: "state-draining",
      refused: true,
      loading: true,
      path: "/",
      act: async (on) => {
        await answerThat(/\/api\//, draining)(on);
        await on.getByLabel("Your question").fill("Are you still there?");
        await on.getByRole("button", { name: "Ask", exact: true }).click();
        await on
          .getByText("The server is restarting. The question is sent as soon as it is back.")
          .waitFor();
      },
    },
    {
      name: "state-error",
      refused: true,
      loading: true,
      path: "/",
      act: async (on) => {
        await answerThat(/\/api\/conversations/, {
          status: 500,
          json: { title: "Internal error", status: 500, detail: "Something went wrong here." },
        })(on);
        await on.goto(`${new URL(on.url()).origin}/c/${to.plain}`);
        await on.getByText(/could not be loaded/).waitFor();
      },
    },
    {
      name: "state-offline",
      refused: true,
      path: "/",
      act: async (on) => {
        await on.context().setOffline(true);
        await on.getByText("This device is offline.").waitFor();
      },
    },
  ];
}

/** Before anything is asked. */
export const emptyViews: View[] = [
  { name: "empty-home", path: "/", empty: true },
  { name: "empty-dashboard", path: "/dashboard", empty: true },
];

/** The names of all others, which are there before the conversations are. */
export const names = views({
  plain: "",
  polished: "",
  escalated: "",
  routed: "",
  failing: "",
  stopped: "",
  rotation: "",
  arena: "",
  parts: "",
  researched: "",
  project: "",
}).map((view) => view.name);
