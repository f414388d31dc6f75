import { layOutForPaper } from "../../ui/printing";

const patienceMs = 3_000;

/** What is fetched only when it is opened, and answers that are not read whole yet, are there before the paper is. */
export async function print() {
  layOutForPaper(true);
  const until = Date.now() + patienceMs;
  do {
    await new Promise((done) => setTimeout(done, 50));
  } while (document.querySelector(".turn [data-waits]") && Date.now() < until);
  window.print();
  layOutForPaper(false);
}
