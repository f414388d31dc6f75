import {
  instanceKey,
  resetInstanceConfig,
  saveInstanceConfig,
  useInstanceConfig,
} from "../../api/admin";
import { hasRegion } from "../../api/regions";
import { msg, t } from "../../i18n";
import { Answered } from "../dashboard/panel";
import { CouncilForm, type SettingsStore } from "../settings/council-form";
import { Region } from "../settings/region";

const store: SettingsStore = {
  key: instanceKey,
  save: saveInstanceConfig,
  reset: resetInstanceConfig,
  saved: msg("The instance’s settings were saved."),
  wasReset: msg("The configured council is back."),
  resetTakes: msg(
    "Changes made here are discarded. The configuration’s council, models, thresholds and options apply again to everybody without settings of their own.",
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
          "The defaults for everybody without settings of their own. Runs under way are not affected.",
        )}
      </p>
      <Answered
        query={config}
        failed={msg("The instance’s settings could not be loaded: {{reason}}")}
        lines={8}
      >
        {(data) => (
          <>
            {hasRegion(data) && <Region config={data} store={store} />}
            <CouncilForm config={data} store={store} onEdits={nobody} />
          </>
        )}
      </Answered>
    </div>
  );
}
