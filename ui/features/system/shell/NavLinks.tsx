import ExpandMore from "@mui/icons-material/ExpandMore";
import Box from "@mui/material/Box";
import ButtonBase from "@mui/material/ButtonBase";
import type SvgIcon from "@mui/material/SvgIcon";
import { Link, useLocation } from "@tanstack/react-router";
import { memo, useId } from "react";
import { useTranslation } from "react-i18next";
import { Tip } from "../../../components/tip/Tip.tsx";
import { isUnder, type NavEntry } from "./nav.ts";
import { GROUP_ICONS, PAGE_ICONS } from "./page-icons.ts";

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
  /** It stands for several pages, which show below it while one of them is open. */
  group?: Readonly<{ id: string; isOpen: boolean }>;
};

/** Waits until the pointer rests, so that moving along the menu shows nothing. */
const HINT_DELAY_MS = 500;

/** An entry of the sidebar that opens a page. */
export const NavLink = memo(({ to, label, hint, icon: Icon, isHere, isCollapsed, onNavigate, group }: NavLinkProps) => {
  const link = (
    <ButtonBase
      component={Link}
      to={to}
      onClick={() => onNavigate?.()}
      aria-current={isHere ? "page" : undefined}
      aria-label={isCollapsed ? label : undefined}
      {...(group && { "aria-expanded": group.isOpen, ...(group.isOpen && { "aria-controls": group.id }) })}
      sx={entryStyle(isHere, isCollapsed)}
    >
      <Icon />
      {!isCollapsed && <Box sx={{ flex: 1 }}>{label}</Box>}
      {!isCollapsed && group && <ExpandMore sx={group.isOpen ? {} : { transform: "rotate(-90deg)" }} />}
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

type NavEntryLinksProps = Readonly<{ entry: NavEntry }> & Pick<NavLinkProps, "isCollapsed" | "onNavigate">;

/** An entry of the sidebar; that of a group opens its first page, and shows all of them while one is open. */
export const NavEntryLinks = ({ entry: { group, items }, ...shared }: NavEntryLinksProps) => {
  const { t } = useTranslation();
  const id = useId();
  const here = useLocation({ select: ({ pathname }) => items.find(({ path }) => isUnder(pathname, path))?.path });
  const [first] = items;
  const links = items.map(({ path, label }) => (
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
  if (group === undefined) return links;
  if (here !== undefined && shared.isCollapsed) return links;
  const label = t(`shell.groups.${group}`);
  const isOpen = here !== undefined;
  return (
    <>
      <NavLink
        to={first.path}
        label={label}
        hint={items.map((item) => t(`shell.${item.label}`)).join(", ")}
        icon={GROUP_ICONS[group]}
        isHere={false}
        group={{ id, isOpen }}
        {...shared}
      />
      {isOpen && (
        <Box id={id} sx={{ pl: 3, my: 0.5 }}>
          {links}
        </Box>
      )}
    </>
  );
};
