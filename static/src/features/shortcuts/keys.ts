/** What the keys do. Every key is one that is typed: the same on each keyboard, whatever it takes. */
import { navigate } from "wouter/use-browser-location";
import { msg, t } from "../../i18n";
import { kept } from "../../ui/kept";
import { focusSearch, toggleSidebar } from "../../ui/sidebar-state";
import { toast } from "../../ui/toast";
import { composerBox } from "../composer/focus";
import { showHelp } from "./help";

export interface Shortcut {
  /** What the browser calls the key. */
  key: string;
  /** A text of the catalogue. */
  name: string;
  run: () => void;
}

function press(selector: string, otherwise: string) {
  const found = [...document.querySelectorAll<HTMLElement>(selector)].filter(
    (button) => button.checkVisibility() && !button.matches(":disabled, [aria-disabled=true]"),
  );
  const last = found.at(-1);
  if (last) last.click();
  else toast(otherwise);
}

/** To the conversation above or below the open one, in the order of the sidebar. */
function step(by: 1 | -1) {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(".sidebar .entry > a")];
  const at = links.findIndex((link) => link.getAttribute("aria-current") === "page");
  const next = links[at < 0 ? 0 : at + by];
  if (next) navigate(next.pathname);
}

export const groups: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: msg("Conversations"),
    shortcuts: [
      { key: "n", name: msg("New conversation"), run: () => navigate("/") },
      { key: "/", name: msg("Search"), run: focusSearch },
      { key: "j", name: msg("Next conversation in the list"), run: () => step(1) },
      { key: "k", name: msg("Previous conversation in the list"), run: () => step(-1) },
      { key: "b", name: msg("Show or hide the sidebar"), run: toggleSidebar },
    ],
  },
  {
    title: msg("The council"),
    shortcuts: [
      {
        key: "c",
        name: msg("Write in the box"),
        run: () => document.querySelector<HTMLElement>(composerBox)?.focus(),
      },
      {
        key: "S",
        name: msg("Stop the run"),
        run: () => press(".stop-button", t("Nothing runs here.")),
      },
      {
        key: "y",
        name: msg("Copy the latest final answer"),
        run: () => press("[data-copies=final]", t("There is no final answer to copy.")),
      },
      {
        key: "p",
        name: msg("Show or hide the process log"),
        run: () => press(".monitor-button", t("This run has no process log.")),
      },
    ],
  },
  {
    title: msg("Help"),
    shortcuts: [{ key: "?", name: msg("Show these shortcuts"), run: () => showHelp(true) }],
  },
];

const setting = "shortcuts";
export const areOn = () => kept.read(setting) !== "off";
export const switchKeys = (on: boolean) => kept.write(setting, on ? null : "off");

const typed = "input, textarea, select, [contenteditable]:not([contenteditable=false])";
/** Where letters have a meaning of their own, or the page behind cannot be reached. */
const elsewhere = `${typed}, dialog, [role=menu], [role=listbox]`;

/** Whether the reader has left the box by Escape, and nothing has had the focus since. */
let hasLeft = false;

const onFocusIn = () => {
  hasLeft = false;
};

/**
 * Whether a key that nothing has taken begins a question. With the focus on nothing, the page of a new
 * conversation is for typing, unless that is what was just left: every letter is one. Elsewhere a shortcut comes first.
 */
function beginsQuestion(key: string, target: EventTarget | null, acts: boolean): boolean {
  if (!/^[^\s\p{C}]$/u.test(key)) return false;
  const onNothing = target === document.body || (target instanceof Element && target.id === "main");
  const isForTyping = onNothing && !hasLeft && location.pathname === "/";
  return !acts || (isForTyping && /^[\p{L}\p{N}]$/u.test(key));
}

function onKeyDown(event: KeyboardEvent) {
  if (event.defaultPrevented || event.isComposing) return;
  const { key, target } = event;
  if (key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    if (event.altKey || event.shiftKey || document.querySelector("dialog:modal")) return;
    event.preventDefault();
    focusSearch();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target instanceof Element && target.closest(elsewhere)) {
    // The box itself gives the focus up, where nothing else in it had a use for the key.
    hasLeft =
      key === "Escape" && target.matches(composerBox) && document.activeElement === document.body;
    return;
  }
  if (document.querySelector("dialog:modal")) return;
  const found = groups.flatMap((group) => group.shortcuts).find((one) => one.key === key);
  // The sheet says how to switch them on again.
  const acts = found !== undefined && (areOn() || key === "?");
  if (beginsQuestion(key, target, acts)) {
    // The letter itself is typed by the browser: into what has the focus by then.
    document.querySelector<HTMLElement>(composerBox)?.focus();
    return;
  }
  if (!acts) return;
  if (event.repeat && key !== "j" && key !== "k") return;
  event.preventDefault();
  found.run();
}

export function listen() {
  addEventListener("keydown", onKeyDown);
  addEventListener("focusin", onFocusIn);
  return () => {
    removeEventListener("keydown", onKeyDown);
    removeEventListener("focusin", onFocusIn);
  };
}
