import { t } from "../../i18n";

/** The model that really answered, where the provider names another than the one that was asked. */
export function ServedBy({ model }: { model: string | null | undefined }) {
  if (!model) return null;
  return <span className="model-id">{t("answered by {{model}}", { model })}</span>;
}
