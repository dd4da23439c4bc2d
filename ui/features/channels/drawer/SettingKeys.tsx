import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import { useTranslation } from "react-i18next";
import { addSetting, SETTING_KEYS } from "../setting-keys.ts";

/** What may stand in a channel's settings; a click writes it there with a value to begin with. */
export const SettingKeys = ({ json, onChange }: { json: string; onChange: (json: string) => void }) => {
  const { t } = useTranslation();
  return (
    <Box component="dl" sx={{ m: 0, mt: -2, display: "grid", gridTemplateColumns: "auto 1fr", gap: 1, columnGap: 3 }}>
      {SETTING_KEYS.map((key) => {
        const next = addSetting(json, key);
        return (
          <Box key={key} sx={{ display: "contents", fontSize: 12 }}>
            <Box component="dt">
              <ButtonBase
                disabled={next === null}
                className="mono"
                title={t("channels.form.settingAdd", { key })}
                onClick={() => next !== null && onChange(next)}
                sx={{ color: next === null ? "text.tertiary" : "primary.main", borderRadius: "4px", px: 1, mx: -1 }}
              >
                {key}
              </ButtonBase>
            </Box>
            <Box component="dd" sx={{ m: 0, color: "text.secondary" }}>
              {t(`channels.form.settingKeys.${key}`)}
            </Box>
          </Box>
        );
      })}
    </Box>
  );
};
