/** Files that are dragged over the page: dropped anywhere, they go where those go that are chosen under the question. */
import "../../styles/dropping.css";
import { t } from "../../i18n";
import { focusComposer } from "../composer/focus";

/** A browser reports at least every 350 ms that something is held over the page, and nothing when it no longer is. */
const heldMs = 700;

/** The control for files of the box under the pointer, or else of the box that the next question is typed in. */
function control({ target }: Event): HTMLInputElement | null {
  const at = target instanceof Element ? target : null;
  // Behind a dialog nothing can be used.
  if (at?.closest("[data-takes-files]") || document.querySelector("dialog[open]")) return null;
  const form = at?.closest(".composer") ?? document.querySelector(".composer:not(.composer-edits)");
  return form?.querySelector<HTMLInputElement>("input[type=file]") ?? null;
}

let sign: HTMLElement | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

function hide() {
  clearTimeout(timer);
  sign?.remove();
  sign = null;
}

function show() {
  clearTimeout(timer);
  timer = setTimeout(hide, heldMs);
  if (sign) return;
  sign = document.createElement("div");
  sign.className = "drop-sign";
  const words = document.createElement("p");
  words.textContent = t("Drop files here to ask about them");
  sign.append(words);
  document.body.append(sign);
}

addEventListener("dragover", (event) => {
  const { dataTransfer, target } = event;
  if (!dataTransfer?.types.includes("Files")) return;
  if (control(event)) {
    dataTransfer.dropEffect = "copy";
    return show();
  }
  hide();
  if (!(target instanceof Element && target.closest("[data-takes-files]"))) {
    dataTransfer.dropEffect = "none";
  }
});

addEventListener("drop", (event) => {
  hide();
  const files = event.dataTransfer?.files;
  const into = control(event);
  if (!into || !files || files.length === 0) return;
  into.files = files;
  into.dispatchEvent(new Event("change", { bubbles: true }));
  if (!into.closest(".composer-edits")) focusComposer();
});
