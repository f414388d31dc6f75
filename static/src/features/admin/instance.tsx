import {
  instanceKey,
  resetInstanceConfig,
  saveInstanceConfig,
  useInstanceConfig,
} from "../../api/admin";
import { msg, t } from "../../i18n";
import { Answered } from "../dashboard/panel";
import { CouncilForm, type SettingsStore } from "../settings/council-form";

const store: SettingsStore = {
  key: instanceKey,
  save: saveInstanceConfig,
  reset: resetInstanceConfig,
  saved: msg("The instance’s settings were saved."),
  wasReset: msg("The configured council is back."),
  resetTakes: msg(
    "What administrators changed here goes, and the configuration's council, models, thresholds and options hold again for everybody who has no settings of their own.",
  ),
  isDefault: msg("This is the council of the configuration"),
  isOwn: msg("An administrator has changed the configuration’s council"),
};

const nobody = () => undefined;

/** The council and the options that everybody starts from. */
export function Instance() {
  const config = useInstanceConfig();
  return (
    <div className="instance">
      <p className="quiet">
        {t(
          "What everybody starts from who has no settings of their own. Runs that are under way are not changed by it.",
        )}
      </p>
      <Answered
        query={config}
        failed={msg("The instance’s settings could not be read: {{reason}}")}
        lines={8}
      >
        {(data) => <CouncilForm config={data} store={store} onEdits={nobody} />}
      </Answered>
    </div>
  );
}
