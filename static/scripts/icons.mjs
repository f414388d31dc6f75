// Makes the icons of the installed app out of favicon.svg, with the browser of the tests:
// `node scripts/icons.mjs`. What it writes is committed, so that a build needs no browser.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const folder = new URL("../public/", import.meta.url);
const svg = readFileSync(new URL("favicon.svg", folder), "utf8");
const inner = svg.replace(/^<svg[^>]*>|<\/svg>\s*$/g, "");
const ground = '<rect width="32" height="32" fill="#1f5a41"/>';

/** What a system cuts a shape out of: the mark in the middle 80 %, colour to the edges. */
const maskable = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-5 -5 42 42">${ground.replace(
  'width="32" height="32"',
  'x="-5" y="-5" width="42" height="42"',
)}${inner}</svg>`;
/** iOS rounds the corners itself. */
const square = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${ground}${inner}</svg>`;
/** In the status bar of a phone: one colour, only the shape counts. */
const badge = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="3 3 26 26">${inner
  .replace(/<rect[^>]*>/, "")
  .replaceAll("#f4f6f2", "#fff")}</svg>`;

const icons = [
  ["icons/192.png", svg, 192],
  ["icons/512.png", svg, 512],
  ["icons/maskable-512.png", maskable, 512],
  ["icons/apple-touch-icon.png", square, 180],
  ["icons/badge.png", badge, 96],
];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
const page = await browser.newPage();
for (const [name, text, size] of icons) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<style>body{margin:0}svg{display:block;width:${size}px;height:${size}px}</style>${text}`,
  );
  const png = await page.screenshot({ omitBackground: true });
  writeFileSync(fileURLToPath(new URL(name, folder)), png);
}
await browser.close();
