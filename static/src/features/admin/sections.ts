import type { ComponentType } from "react";
import { msg } from "../../i18n";
import AdminBudgetEditor from "../budgets/admin-budgets";
import { ProvidersPage } from "../checks/page";
import { starts } from "../list";
import { PeoplesData } from "../own-data/peoples-data";
import { InstanceWebhooks } from "../webhooks/instance-webhooks";
import { Audit } from "./audit";
import { Everybody } from "./everybody";
import { Instance } from "./instance";
import { Runs } from "./runs";
import { Usage } from "./usage";
import { Users } from "./users";

export interface Section {
  path: string;
  /** Translated where it is read. */
  title: string;
  View: ComponentType;
}

/** What the features have for administrators, found by the names of their files. */
const found = import.meta.glob<Section>("../*/admin.tsx", { eager: true, import: "admin" });

/** The parts of the administration, in the order of its menu. A new one is a line, or a feature's file. */
export const sections: readonly Section[] = [
  { path: "/admin", title: msg("Usage"), View: Usage },
  { path: "/admin/analytics", title: msg("Models"), View: Everybody },
  { path: "/admin/users", title: msg("Users"), View: Users },
  { path: "/admin/runs", title: msg("Runs"), View: Runs },
  { path: "/admin/audit", title: msg("Audit log"), View: Audit },
  { path: "/admin/data", title: msg("People’s data"), View: PeoplesData },
  { path: "/admin/budgets", title: msg("Budgets"), View: AdminBudgetEditor },
  { path: "/admin/webhooks", title: msg("Webhooks"), View: InstanceWebhooks },
  { path: "/admin/providers", title: msg("Providers"), View: ProvidersPage },
  ...starts.flatMap(({ name }) => found[`../${name}/admin.tsx`] ?? []),
  { path: "/admin/settings", title: msg("Instance settings"), View: Instance },
];
