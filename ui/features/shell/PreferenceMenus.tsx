import ContrastOutlined from "@mui/icons-material/ContrastOutlined";
import LanguageOutlined from "@mui/icons-material/LanguageOutlined";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useColorScheme } from "@mui/material/styles";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Language, switchLanguage } from "../../state/i18n.ts";

/** Each language in its own name, so that everybody finds theirs. */
export const LANGUAGES: readonly (readonly [Language, string, string])[] = [
  ["en", "English", "EN"],
  ["zh", "中文", "中"],
];

/** Switches between English and Chinese. */
export const LanguageMenu = () => {
  const { t, i18n } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const short = LANGUAGES.find(([language]) => language === i18n.language)?.[2];
  return (
    <>
      <Button
        variant="text"
        aria-label={`${t("shell.language")}: ${short}`}
        aria-haspopup="menu"
        startIcon={<LanguageOutlined />}
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        {short}
      </Button>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {LANGUAGES.map(([language, name]) => (
          <MenuItem
            key={language}
            lang={language}
            selected={i18n.language === language}
            onClick={() => {
              setAnchor(null);
              void switchLanguage(language);
            }}
          >
            {name}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
};

export const THEME_MODES = ["light", "dark", "system"] as const;

/** Light, dark or the system's theme; stored on this device. */
export const ThemeMenu = () => {
  const { t } = useTranslation();
  const { mode, setMode } = useColorScheme();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <IconButton
        aria-label={t("shell.theme.label")}
        aria-haspopup="menu"
        onClick={(event) => setAnchor(event.currentTarget)}
      >
        <ContrastOutlined />
      </IconButton>
      <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
        {THEME_MODES.map((choice) => (
          <MenuItem
            key={choice}
            selected={choice === mode}
            onClick={() => {
              setAnchor(null);
              setMode(choice);
            }}
          >
            {t(`shell.theme.${choice}`)}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
};
