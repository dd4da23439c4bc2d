import ContrastOutlined from "@mui/icons-material/ContrastOutlined";
import LanguageOutlined from "@mui/icons-material/LanguageOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useColorScheme } from "@mui/material/styles";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LANGUAGES, switchLanguage } from "../../state/i18n.ts";

/** Switches between the console's languages. */
export const LanguageMenu = () => {
  const { t, i18n } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const short = LANGUAGES.find(({ tag }) => tag === i18n.language)?.short;
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
        {LANGUAGES.map(({ tag, name, isMachineMade }) => (
          <MenuItem
            key={tag}
            lang={tag}
            selected={i18n.language === tag}
            onClick={() => {
              setAnchor(null);
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
