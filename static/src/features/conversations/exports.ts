/** The files that a conversation can be had as. */
import { api } from "../../api/client";
import { t } from "../../i18n";
import type { MenuItem } from "../../ui/menu";

const exportsOfAll = (id: string): MenuItem[] => [
  { label: t("Markdown, all branches"), icon: "download", href: api.exportHref(id, "md", true) },
  { label: t("JSON, all branches"), icon: "download", href: api.exportHref(id, "json", true) },
];

export const exportsOf = (id: string, branches: number): MenuItem[] => [
  { label: "Markdown", icon: "download", href: api.exportHref(id, "md") },
  { label: "JSON", icon: "download", href: api.exportHref(id, "json") },
  ...(branches > 1 ? exportsOfAll(id) : []),
];

/** These actions, named so that they can stand among others. */
export const namedExports = (items: readonly MenuItem[]): MenuItem[] =>
  items.map((item) =>
    item.href === undefined ? item : { ...item, label: t("Export: {{as}}", { as: item.label }) },
  );
