import ContrastOutlined from "@mui/icons-material/ContrastOutlined";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useColorScheme } from "@mui/material/styles";
import { useState } from "react";
import { useTranslation } from "react-i18next";

export const THEME_MODES = ["light", "dark", "system"] as const;

/** Light, dark, or as the system has it; remembered on this device. */
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
