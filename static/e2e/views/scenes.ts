/** What there is to see: two servers with conversations of every kind. */
import type { Page } from "playwright-core";
import { call } from "../figures";
import { OwnServer } from "../own-server";
import { PricedModels } from "../priced-models";

export const question = "Should a small team write its next web service in Rust or in Go?";

export interface Stage {
  models: PricedModels;
  /** Models with prices, and conversations to read. */
  server: OwnServer;
  /** Simulated models, and nothing asked yet. */
  empty: OwnServer;
}

export async function build(): Promise<Stage> {
  const models = await PricedModels.start();
  const [server, empty] = await Promise.all([OwnServer.start(models.settings), OwnServer.start()]);
  return { models, server, empty };
}

export async function takeDown({ models, server, empty }: Stage) {
  await Promise.all([server.close(), empty.close()]);
  await models.close();
}

/** Asks to the end; resolves with the conversation's id. */
async function askFor(server: OwnServer, body: object): Promise<string> {
  const { id } = await call(server, "POST", "/api/conversations", {});
  await call(server, "POST", `/api/conversations/${id}/message`, body);
  return String(id);
}

async function rename({ origin }: OwnServer, id: string, title: string) {
  const response = await fetch(`${origin}/api/conversations/${id}`, {
    method: "PATCH",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ title }),
  });
  if (!response.ok) throw new Error(await response.text());
}

export interface Conversations {
  plain: string;
  polished: string;
  escalated: string;
  routed: string;
  failing: string;
  stopped: string;
  rotation: string;
  /** On the server of simulated models. */
  arena: string;
  parts: string;
  researched: string;
  /** A project, with some of these in it. */
  project: string;
}

/** Asks, and stops the run while its members write; resolves once the run is over. */
async function askAndStop({ models, server }: Stage): Promise<string> {
  models.mood = { ...models.mood, pieceMs: 60 };
  const { id } = await call(server, "POST", "/api/conversations", {});
  const asked = await fetch(`${server.origin}/api/conversations/${id}/message/stream`, {
    method: "POST",
    headers: { origin: server.origin, "content-type": "application/json" },
    body: JSON.stringify({ content: "Which colour has the most patience?" }),
  });
  if (!asked.ok || !asked.body) throw new Error(`not asked: ${await asked.text()}`);
  const events = asked.body.pipeThrough(new TextDecoderStream()).getReader();
  let words = 0;
  for (let read = await events.read(); !read.done; read = await events.read()) {
    const before = words;
    words += read.value.split("stage1_token").length - 1;
    if (before < 40 && words >= 40) {
      await call(server, "POST", `/api/conversations/${id}/message/cancel`, {});
    }
  }
  models.calm();
  return String(id);
}

/** One conversation for each kind of run, oldest first. */
export async function fill(stage: Stage): Promise<Conversations> {
  const { models, server, empty } = stage;
  const broken = ["ada", "cut", "fails"].map((name) => ({ model: `simulated/${name}` }));
  const simulated = ["ada", "basil", "cleo", "dora"].map((name) => ({
    model: `simulated/${name}`,
  }));
  await call(empty, "PUT", "/api/config", { council_models: broken });
  const failing = await askFor(empty, { content: "Is glass a liquid?" });

  await call(empty, "PUT", "/api/config", { council_models: simulated });
  const arena = await askFor(empty, { content: question, mode: "arena", use_refinement: true });
  const parts = await askFor(empty, {
    content: "Compare Rust with Go for a small team. What does each cost?",
    mode: "decomposition",
  });

  const researched = await askFor(empty, {
    content: "How long does coffee keep somebody awake?",
    use_research: true,
    use_web_search: true,
    use_tools: true,
    use_react: true,
  });

  models.mood = { ...models.mood, agreed: true, confidence: 9 };
  const routed = await askFor(server, {
    content: "Write a function that reverses a linked list.",
    use_dynamic_routing: true,
    use_early_consensus: true,
  });
  models.mood = { ...models.mood, agreed: false, confidence: 3 };
  const escalated = await askFor(server, {
    content: "Will it rain on the day of the fair?",
    use_escalation: true,
  });
  models.calm();
  const stopped = await askAndStop(stage);
  const plain = await askFor(server, { content: question });
  const rotation = await askFor(server, { content: question, mode: "debate" });
  models.mood = { ...models.mood, severity: "major" };
  const polished = await askFor(server, {
    content: question,
    use_early_consensus: true,
    use_multi_chairman: true,
    use_refinement: true,
    use_adversary: true,
    verbosity: 3,
    rubric: {
      name: "Decisions of the team",
      text: "- Cost: it says what each way costs us in the first year\n- Way back: it says how we would undo it\n- Honest: what it does not know, it says",
    },
  });
  models.calm();

  await rename(server, routed, "Reversing a linked list");
  await rename(server, escalated, "Rain at the fair");
  await rename(server, stopped, "The patience of colours");
  await rename(server, plain, "Rust or Go for the next service");
  await rename(server, polished, "Rust or Go, argued through");
  await rename(server, rotation, "Rust or Go, debated");
  await call(server, "PUT", `/api/conversations/${plain}/tags`, {
    tags: ["decisions of the platform team", "work", "rust", "services"],
  });
  await call(server, "PUT", `/api/conversations/${escalated}/tags`, { tags: ["home"] });
  await call(server, "PATCH", `/api/conversations/${escalated}`, { pinned: true });
  const project = await call(server, "POST", "/api/projects", {
    name: "Platform decisions",
    instructions:
      "We are a team of five that runs its own services on two machines.\nName what we would have to learn, and what it costs to go back.",
  });
  for (const [kind, name, role] of [
    ["user", "ben.oak", "owner"],
    ["user", "cleo.ash", "writer"],
    ["group", "platform", "viewer"],
  ]) {
    await call(server, "PUT", `/api/projects/${project.id}/members`, { kind, name, role });
  }
  await call(server, "PUT", `/api/admin/retention/projects/${project.id}`, { days: 365 });
  for (const id of [plain, polished]) {
    await call(server, "PATCH", `/api/conversations/${id}`, { project_id: project.id });
  }
  const folder = await call(server, "POST", "/api/folders", { name: "Planning" });
  await call(server, "POST", "/api/folders", { name: "What to read on long journeys by train" });
  for (const id of [routed, rotation]) {
    await call(server, "PATCH", `/api/conversations/${id}`, { folder_id: folder.id });
  }
  await call(server, "POST", "/api/settings/presets", { name: "Thorough", shared: false });
  await call(server, "PUT", "/api/budget", { per_day_usd: 2, per_month_usd: 20 });
  return {
    plain,
    polished,
    escalated,
    routed,
    failing,
    stopped,
    rotation,
    arena,
    parts,
    researched,
    project: String(project.id),
  };
}

/** The stages of a run, one after another, held still for as long as `look` takes. */
export async function holdEachStage(
  { models, server }: Stage,
  page: Page,
  look: (stage: string, path: string) => Promise<void>,
) {
  const still = 60_000;
  models.mood = { ...models.mood, pieceMs: 60 };
  await page.goto(`${server.origin}/`);
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.waitForURL(/\/c\//);
  const path = new URL(page.url()).pathname;
  for (const name of ["Answers", "Reviews", "Final answer"]) {
    const step = page.getByRole("listitem").filter({ hasText: name });
    await step.and(page.locator("[aria-current=step]")).waitFor({ timeout: 60_000 });
    // Some words are there.
    await new Promise((done) => setTimeout(done, 600));
    models.mood = { ...models.mood, pieceMs: still };
    await look(name, path);
    models.hurry();
    models.mood = { ...models.mood, pieceMs: 60 };
  }
  models.calm();
  await page.getByRole("button", { name: "Copy answer" }).waitFor({ timeout: 60_000 });
}
