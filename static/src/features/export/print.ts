import { layOutForPaper } from "../../ui/printing";

const patienceMs = 3_000;

/** Parts of the page that are fetched only when they are opened are there before the paper is. */
export async function print() {
  layOutForPaper(true);
  const until = Date.now() + patienceMs;
  do {
    await new Promise((done) => setTimeout(done, 50));
  } while (document.querySelector(".deliberation [data-waits]") && Date.now() < until);
  window.print();
  layOutForPaper(false);
}
