import Search from "@mui/icons-material/Search";
import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import InputAdornment from "@mui/material/InputAdornment";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { findSettings, type SettingTarget } from "./find-settings.ts";
import { useSettingTargets } from "./use-setting-targets.ts";

const SHOWN = 30;

/** Finds a setting by its name, key or description and jumps to it. */
export const SettingSearch = ({ onFound }: { onFound: (target: SettingTarget) => void }) => {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  const targets = useSettingTargets();
  return (
    <Autocomplete
      options={targets}
      value={null}
      inputValue={typed}
      autoHighlight
      blurOnSelect
      forcePopupIcon={false}
      noOptionsText={t("settings.search.none")}
      sx={{ width: { xs: "100%", sm: 280 } }}
      filterOptions={(all, { inputValue }) => findSettings(all, inputValue).slice(0, SHOWN)}
      getOptionLabel={({ label }) => label}
      getOptionKey={({ section, field }) => `${section.id}/${field?.key ?? ""}`}
      onInputChange={(_, text, reason) => setTyped(reason === "input" ? text : "")}
      onChange={(_, target) => target && onFound(target)}
      renderOption={({ key, ...props }, { label, section, field }) => (
        <Box component="li" key={key} {...props}>
          <Box sx={{ minWidth: 0 }}>
            <Box sx={{ fontSize: 13 }}>{label}</Box>
            <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
              {t(`settings.tabs.${section.tab}`)}
              {field && ` · ${t(`settings.sections.${section.id}.title`)}`}
            </Box>
          </Box>
        </Box>
      )}
      renderInput={({ slotProps }) => (
        <OutlinedInput
          ref={slotProps.input.ref}
          fullWidth
          inputProps={{ ...slotProps.htmlInput, "aria-label": t("settings.search.label") }}
          placeholder={t("settings.search.placeholder")}
          startAdornment={
            <InputAdornment position="start">
              <Search />
            </InputAdornment>
          }
        />
      )}
    />
  );
};
