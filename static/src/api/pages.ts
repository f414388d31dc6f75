/** Lists that are read page by page, by offset. */

/** The rows of all pages, each once: one that moved on while the next page was read is in both. */
export function eachOnce<P, T extends { id: string }>(
  pages: readonly P[] | undefined,
  rows: (page: P) => readonly T[],
): T[] {
  const all = (pages ?? []).flatMap((page) => rows(page));
  return [...new Map(all.map((row) => [row.id, row])).values()];
}
