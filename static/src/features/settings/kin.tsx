import { useModels } from "../../api/queries";
import { t } from "../../i18n";
import { listText } from "../../ui/format";
import { Notice } from "../../ui/notice";
import { kinOf } from "../models/kin";
import type { SeatDraft } from "./form";
import { seatName } from "./member-row";

/** Warns of seats of one family: a council of relatives agrees too easily. */
export function Kin({ seats }: { seats: readonly SeatDraft[] }) {
  const models = useModels();
  const kin = kinOf(
    seats.map(({ model }) => model.trim()),
    models.data?.models ?? [],
  );
  if (kin.length === 0) return null;
  return (
    <Notice tone="warn">
      <ul className="kin">
        {kin.map(({ family, models: own }) => (
          <li key={family}>
            {t("{{members}} are of one family, {{family}}.", {
              members: listText(
                seats.filter(({ model }) => own.includes(model.trim())).map(seatName),
                "conjunction",
              ),
              family,
            })}
          </li>
        ))}
      </ul>
      {t(
        "Models of one family err alike and tend to prefer each other’s answers. The council may be saved like this; members of different families tell it more.",
      )}
    </Notice>
  );
}
