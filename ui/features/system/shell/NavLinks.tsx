import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import type SvgIcon from "@mui/material/SvgIcon";
import { Link, useLocation } from "@tanstack/react-router";
import { useAtom } from "jotai";
import { memo, useId } from "react";
import { useTranslation } from "react-i18next";
import { Tip } from "../../../components/tip/Tip.tsx";
import { jsonFormat, storedAtom } from "../../../state/stored-atom.ts";
import { CLOSED_AT_FIRST, isUnder, type NavGroup, type NavItem } from "./nav.ts";
import { PAGE_ICONS } from "./page-icons.ts";

/** The style of an entry of the sidebar. */
export const entryStyle = (isHere: boolean, isCollapsed: boolean) => ({
  width: "100%",
  minHeight: 30,
  py: 0.5,
  lineHeight: "18px",
  textAlign: "left",
  px: isCollapsed ? 0 : 2.5,
  gap: 2.5,
  justifyContent: isCollapsed ? "center" : "flex-start",
  borderRadius: "7px",
  fontSize: 13,
  color: isHere ? "text.primary" : "text.secondary",
  fontWeight: isHere ? 600 : 450,
  border: "1px solid",
  borderColor: isHere ? "line.main" : "transparent",
  bgcolor: isHere ? "surface.paper" : "transparent",
  "&:hover": { bgcolor: isHere ? "surface.paper" : "surface.hover", color: "text.primary" },
  "& svg": { fontSize: 18, color: isHere ? "primary.main" : "text.tertiary" },
});

export type NavLinkProps = {
  to: string;
  label: string;
  /** What the page is for, shown on hover. */
  hint?: string;
  icon: typeof SvgIcon;
  /** Whether this is the open page. */
  isHere: boolean;
  isCollapsed: boolean;
  onNavigate?: () => void;
};

/** Waits until the pointer rests, so that moving along the menu shows nothing. */
const HINT_DELAY_MS = 500;

/** An entry of the sidebar that opens a page. */
export const NavLink = memo(({ to, label, hint, icon: Icon, isHere, isCollapsed, onNavigate }: NavLinkProps) => {
  const link = (
    <ButtonBase
      component={Link}
      to={to}
      onClick={() => onNavigate?.()}
      aria-current={isHere ? "page" : undefined}
      aria-label={isCollapsed ? label : undefined}
      sx={entryStyle(isHere, isCollapsed)}
    >
      <Icon />
      {!isCollapsed && label}
    </ButtonBase>
  );
  if (isCollapsed) {
    return (
      <Tip title={hint ? `${label}: ${hint}` : label} placement="right">
        {link}
      </Tip>
    );
  }
  if (!hint) return link;
  return (
    <Tip title={hint} placement="right" describeChild delayMs={HINT_DELAY_MS}>
      {link}
    </Tip>
  );
});

/** The groups that are closed on this device; null: nobody has opened or closed one. */
const closedGroupsAtom = storedAtom(
  "sider-closed-groups",
  jsonFormat((value): readonly string[] | null => (Array.isArray(value) ? value.map(String) : null)),
);

/** Menus with fewer pages begin with all groups open. */
const LONG_MENU = 10;

type NavGroupEntriesProps = Readonly<{
  group: NavGroup | undefined;
  items: readonly NavItem[];
  /** Pages in all groups of the section. */
  total: number;
}> &
  Pick<NavLinkProps, "isCollapsed" | "onNavigate">;

/** Pages of a group under a heading that collapses them; the open page always stays. */
export const NavGroupEntries = ({ group, items, total, ...shared }: NavGroupEntriesProps) => {
  const { t } = useTranslation();
  const id = useId();
  const here = useLocation({ select: ({ pathname }) => items.find(({ path }) => isUnder(pathname, path))?.path });
  const [chosen, setClosed] = useAtom(closedGroupsAtom);
  const closed = chosen ?? (total < LONG_MENU ? [] : CLOSED_AT_FIRST);
  const isOpen = group === undefined || shared.isCollapsed || !closed.includes(group);
  const shown = isOpen ? items : items.filter(({ path }) => path === here);
  const links = shown.map(({ path, label }) => (
    <NavLink
      key={path}
      to={path}
      label={t(`shell.${label}`)}
      hint={t(`shell.hints.${label}`)}
      icon={PAGE_ICONS[label]}
      isHere={path === here}
      {...shared}
    />
  ));
  if (group === undefined || shared.isCollapsed) return links;
  return (
    <Box sx={{ "& + &": { mt: 1 } }}>
      <ButtonBase
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setClosed(isOpen ? [...closed, group] : closed.filter((name) => name !== group))}
        sx={{
          width: "100%",
          height: 24,
          px: 2.5,
          borderRadius: "6px",
          justifyContent: "space-between",
          fontSize: 12,
          color: "text.tertiary",
          "&:hover": { bgcolor: "surface.hover", color: "text.primary" },
          "& svg": { fontSize: 16 },
        }}
      >
        {t(`shell.groups.${group}`)}
        <ExpandMore sx={isOpen ? {} : { transform: "rotate(-90deg)" }} />
      </ButtonBase>
      <Box id={id}>{links}</Box>
    </Box>
  );
};
