import Box from "@mui/material/Box";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useColorScheme } from "@mui/material/styles";
import { useTranslation } from "react-i18next";
import { LANGUAGES, switchLanguage } from "../../../../state/i18n.ts";
import type { OpenMenu } from "./PreferenceMenus.tsx";

/** The console's languages. */
export const LanguageItems = ({ anchor, onClose }: OpenMenu) => {
  const { t, i18n } = useTranslation();
  return (
    <Menu open={anchor !== null} anchorEl={anchor} onClose={onClose}>
      {LANGUAGES.map(({ tag, name, isMachineMade }) => (
        <MenuItem
          key={tag}
          lang={tag}
          selected={i18n.language === tag}
          onClick={() => {
            onClose();
            void switchLanguage(tag);
          }}
        >
          {name}
          {isMachineMade && (
            <Box
              component="span"
              lang={i18n.language}
              sx={{ ml: "auto", pl: 3, fontSize: 12, color: "text.secondary" }}
            >
              {t("shell.machineTranslated")}
            </Box>
          )}
        </MenuItem>
      ))}
    </Menu>
  );
};

export const THEME_MODES = ["light", "dark", "system"] as const;

/** Light, dark and the system's theme. */
export const ThemeItems = ({ anchor, onClose }: OpenMenu) => {
  const { t } = useTranslation();
  const { mode, setMode } = useColorScheme();
  return (
    <Menu open={anchor !== null} anchorEl={anchor} onClose={onClose}>
      {THEME_MODES.map((choice) => (
        <MenuItem
          key={choice}
          selected={choice === mode}
          onClick={() => {
            onClose();
            setMode(choice);
          }}
        >
          {t(`shell.theme.${choice}`)}
        </MenuItem>
      ))}
    </Menu>
  );
};
