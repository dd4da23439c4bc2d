import Bookmark from "@mui/icons-material/BookmarkBorderOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Box from "@mui/material/Box";
import Divider from "@mui/material/Divider";
import IconButton from "@mui/material/IconButton";
import Menu from "@mui/material/Menu";
import MenuItem from "@mui/material/MenuItem";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useAtom } from "jotai";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { jsonFormat, storedAtoms } from "../../state/stored-atom.ts";
import { useOnceOpened } from "../once-opened.ts";
import { Tip } from "../tip/Tip.tsx";

const LONGEST_NAME = 40;

/** Named filters of a list, stored in this browser. `list` is the list's key. */
export const SavedViews = ({ list }: { list: string }) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const wasOpened = useOnceOpened(anchor !== null);
  const [views, setViews] = useAtom(savedViewsAtom(list));
  const [name, setName] = useState("");
  const save = () => {
    const viewName = name.trim();
    if (viewName === "") return;
    setViews(withView(views, viewOf(viewName, search)));
    setName("");
    setAnchor(null);
  };
  return (
    <>
      <Tip title={t("components.views.title")}>
        <IconButton
          aria-label={t("components.views.title")}
          aria-haspopup="menu"
          onClick={(event) => setAnchor(event.currentTarget)}
        >
          <Bookmark />
        </IconButton>
      </Tip>
      {wasOpened && (
        <Menu open={anchor !== null} anchorEl={anchor} onClose={() => setAnchor(null)}>
          {views.map((view) => (
            <MenuItem
              key={view.name}
              sx={{ gap: 4, pr: 1 }}
              onClick={() => {
                setAnchor(null);
                void navigate({ to: pathname, search: view.search });
              }}
            >
              <Box sx={{ flex: 1, minWidth: 0, overflow: "hidden", textOverflow: "ellipsis" }}>{view.name}</Box>
              <IconButton
                size="small"
                aria-label={t("components.views.remove", { name: view.name })}
                onClick={(event) => {
                  event.stopPropagation();
                  setViews(views.filter((other) => other !== view));
                }}
              >
                <Delete />
              </IconButton>
            </MenuItem>
          ))}
          {views.length > 0 && <Divider />}
          <Box component="li" sx={{ px: 3, py: 1, listStyle: "none" }}>
            <OutlinedInput
              value={name}
              placeholder={t("components.views.name")}
              inputProps={{ "aria-label": t("components.views.name"), maxLength: LONGEST_NAME }}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => {
                // The menu selects items by their first letter.
                event.stopPropagation();
                if (event.key === "Enter") save();
                if (event.key === "Escape") setAnchor(null);
              }}
              sx={{ width: 220 }}
            />
          </Box>
          <MenuItem disabled={name.trim() === ""} onClick={save}>
            {t("components.views.save")}
          </MenuItem>
        </Menu>
      )}
    </>
  );
};

/** Named filters of a list, without the page number. */
type SavedView = Readonly<{ name: string; search: Readonly<Record<string, unknown>> }>;

const MOST = 30;

/** The filters in a URL, without the page number. */
export function viewOf(name: string, search: Readonly<Record<string, unknown>>): SavedView {
  const { p: _page, ...filters } = search;
  return { name, search: filters };
}

/** Adds a view, replacing one with the same name; keeps the newest thirty. */
const withView = (views: readonly SavedView[], view: SavedView): readonly SavedView[] =>
  [...views.filter(({ name }) => name !== view.name), view].slice(-MOST);

const isView = (value: unknown): value is SavedView =>
  typeof value === "object" &&
  value !== null &&
  "name" in value &&
  typeof value.name === "string" &&
  "search" in value &&
  typeof value.search === "object" &&
  value.search !== null;

/** The views stored for a list, in order; empty when they can't be read. */
const viewsAtom = storedAtoms(
  jsonFormat((value): readonly SavedView[] => (Array.isArray(value) ? value.filter(isView) : [])),
);

/** The saved views of a list on this device. */
const savedViewsAtom = (list: string) => viewsAtom(`saved-views-${list}`);
