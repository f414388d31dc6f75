// Writes a .br and a .gz beside every built file that gains from it, and prints what the first
// load costs. The server picks the encoding; it never compresses these files itself.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const compressible = new Set([
  ".css",
  ".html",
  ".js",
  ".json",
  ".map",
  ".svg",
  ".txt",
  ".webmanifest",
]);
// What an empty home page is, and what e2e/first-load.test.ts sees a browser fetch for it.
const budgetBytes = 140_000;

function* walk(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* walk(path);
    else yield path;
  }
}

// Only this script reads vite's manifest; it is not part of the site.
const manifest = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));
rmSync(join(dist, ".vite"), { recursive: true });

const sizes = new Map();
for (const path of [...walk(dist)]) {
  if (!compressible.has(extname(path))) continue;
  const raw = readFileSync(path);
  const gz = gzipSync(raw, { level: 9 });
  const br = brotliCompressSync(raw, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
    },
  });
  writeFileSync(`${path}.gz`, gz);
  writeFileSync(`${path}.br`, br);
  sizes.set(relative(dist, path), { raw: raw.length, gz: gz.length, br: br.length });
}

/** The files the browser takes before anything shows: the page, its entry, static imports, styles. */
function firstLoad() {
  const files = new Set(["index.html"]);
  const visit = (key) => {
    const chunk = manifest[key];
    if (!chunk || files.has(chunk.file)) return;
    files.add(chunk.file);
    for (const css of chunk.css ?? []) files.add(css);
    for (const next of chunk.imports ?? []) visit(next);
  };
  visit("index.html");
  return [...files];
}

const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
const first = new Set(firstLoad());
const total = { gz: 0, br: 0 };
for (const [name, size] of sizes) {
  const isFirst = first.has(name);
  if (isFirst) {
    total.gz += size.gz;
    total.br += size.br;
  }
  console.log(
    `${isFirst ? "first" : "lazy "} ${kb(size.raw)} raw ${kb(size.gz)} gz ${kb(size.br)} br  ${name}`,
  );
}
console.log(
  `first load: ${kb(total.gz).trim()} gzip, ${kb(total.br).trim()} brotli (budget ${budgetBytes / 1000} kB gzip)`,
);
if (total.gz > budgetBytes) {
  console.error("The first load is over its budget: move something behind a dynamic import.");
  process.exit(1);
}
