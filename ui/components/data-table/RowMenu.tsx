import MoreHoriz from "@mui/icons-material/MoreHoriz";
import IconButton from "@mui/material/IconButton";
import ListItemIcon from "@mui/material/ListItemIcon";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { RowAction } from "./column.ts";

/** What can be done with one row. */
export const RowMenu = ({ actions, name }: { actions: readonly RowAction[]; name: string }) => {
  const { t } = useTranslation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <IconButton
        size="small"
        aria-label={t("components.table.actionsFor", { name })}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        onClick={(event) => {
          event.stopPropagation();
          setAnchor(event.currentTarget);
        }}
      >
        <MoreHoriz />
      </IconButton>
      <Menu
        open={anchor !== null}
        anchorEl={anchor}
        onClose={() => setAnchor(null)}
        onClick={(event) => event.stopPropagation()}
        anchorOrigin={{ vertical: "bottom", horizontal: "right" }}
        transformOrigin={{ vertical: "top", horizontal: "right" }}
      >
        {actions.map(({ label, icon, onSelect, isDangerous, isDisabled }) => (
          <MenuItem
            key={label}
            disabled={isDisabled ?? false}
            sx={isDangerous ? { color: "tone.bad.text" } : {}}
            onClick={() => {
              setAnchor(null);
              onSelect();
            }}
          >
            {icon && <ListItemIcon sx={{ color: "inherit" }}>{icon}</ListItemIcon>}
            {label}
          </MenuItem>
        ))}
      </Menu>
    </>
  );
};
