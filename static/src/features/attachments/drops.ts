/** A file that is dropped where nothing takes it would be opened by the browser, in the place of the page. */
export function watchDrops() {
  for (const type of ["dragover", "drop"] as const)
    addEventListener(type, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      // From then on it listens itself. Without it nothing is taken, and nothing lost.
      import("./dropping").catch(() => undefined);
    });
}
