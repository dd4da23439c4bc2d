import AccountBalanceWalletOutlined from "@mui/icons-material/AccountBalanceWalletOutlined";
import AltRouteOutlined from "@mui/icons-material/AltRouteOutlined";
import BalanceOutlined from "@mui/icons-material/BalanceOutlined";
import BrushOutlined from "@mui/icons-material/BrushOutlined";
import CampaignOutlined from "@mui/icons-material/CampaignOutlined";
import ForumOutlined from "@mui/icons-material/ForumOutlined";
import GroupOutlined from "@mui/icons-material/GroupOutlined";
import HandshakeOutlined from "@mui/icons-material/HandshakeOutlined";
import HubOutlined from "@mui/icons-material/HubOutlined";
import InsightsOutlined from "@mui/icons-material/InsightsOutlined";
import KeyOutlined from "@mui/icons-material/KeyOutlined";
import ManageHistoryOutlined from "@mui/icons-material/ManageHistoryOutlined";
import MenuBookOutlined from "@mui/icons-material/MenuBookOutlined";
import MonitorHeartOutlined from "@mui/icons-material/MonitorHeartOutlined";
import MusicNoteOutlined from "@mui/icons-material/MusicNoteOutlined";
import PersonOutlineOutlined from "@mui/icons-material/PersonOutlineOutlined";
import ReceiptLongOutlined from "@mui/icons-material/ReceiptLongOutlined";
import ReceiptOutlined from "@mui/icons-material/ReceiptOutlined";
import RedeemOutlined from "@mui/icons-material/RedeemOutlined";
import SensorsOutlined from "@mui/icons-material/SensorsOutlined";
import TuneOutlined from "@mui/icons-material/TuneOutlined";
import type SvgIcon from "@mui/material/SvgIcon";
import { useLocation } from "@tanstack/react-router";
import { atom } from "jotai";
import { useTranslation } from "react-i18next";
import { useSession } from "../../state/session.ts";
import { type SiteStatus, useSite } from "../../state/site-status.ts";
import { isAdmin, isSuperAdmin, type StoredUser } from "../../state/stored-user.ts";

/** The site's switches for optional pages. */
type SiteSwitches = Pick<SiteStatus, "enable_data_export" | "enable_drawing" | "enable_task">;

export type NavItem = Readonly<{
  path:
    | "/playground"
    | "/detail"
    | "/token"
    | "/log"
    | "/midjourney"
    | "/task"
    | "/channel"
    | "/live"
    | "/router"
    | "/redemption"
    | "/user"
    | "/audit"
    | "/books"
    | "/catalog"
    | "/doctor"
    | "/notice"
    | "/setting"
    | "/topup"
    | "/order"
    | "/agent"
    | "/personal";
  /** A key under `shell` in the locales. */
  label:
    | "playground"
    | "dashboard"
    | "tokens"
    | "logs"
    | "drawings"
    | "tasks"
    | "channels"
    | "live"
    | "routing"
    | "codes"
    | "users"
    | "audit"
    | "books"
    | "catalog"
    | "doctor"
    | "notices"
    | "settings"
    | "wallet"
    | "orders"
    | "agents"
    | "personalSettings";
  icon: typeof SvgIcon;
  isForSuperAdmins?: true;
  /** Only if the site has this enabled. */
  needs?: keyof SiteSwitches;
}>;

type NavSection = Readonly<{
  key: "console" | "admin" | "personal";
  isForAdmins: boolean;
  items: readonly NavItem[];
}>;

/** The pages of the sidebar, by section. */
export const NAV: readonly NavSection[] = [
  {
    key: "console",
    isForAdmins: false,
    items: [
      { path: "/playground", label: "playground", icon: ForumOutlined },
      { path: "/detail", label: "dashboard", icon: InsightsOutlined, needs: "enable_data_export" },
      { path: "/token", label: "tokens", icon: KeyOutlined },
      { path: "/log", label: "logs", icon: ReceiptLongOutlined },
      { path: "/midjourney", label: "drawings", icon: BrushOutlined, needs: "enable_drawing" },
      { path: "/task", label: "tasks", icon: MusicNoteOutlined, needs: "enable_task" },
    ],
  },
  {
    key: "admin",
    isForAdmins: true,
    items: [
      { path: "/channel", label: "channels", icon: HubOutlined },
      { path: "/live", label: "live", icon: SensorsOutlined },
      { path: "/router", label: "routing", icon: AltRouteOutlined },
      { path: "/catalog", label: "catalog", icon: MenuBookOutlined },
      { path: "/user", label: "users", icon: GroupOutlined },
      { path: "/redemption", label: "codes", icon: RedeemOutlined },
      { path: "/audit", label: "audit", icon: ManageHistoryOutlined },
      { path: "/books", label: "books", icon: BalanceOutlined, isForSuperAdmins: true },
      { path: "/doctor", label: "doctor", icon: MonitorHeartOutlined, isForSuperAdmins: true },
      { path: "/notice", label: "notices", icon: CampaignOutlined, isForSuperAdmins: true },
      { path: "/order", label: "orders", icon: ReceiptOutlined },
      { path: "/agent", label: "agents", icon: HandshakeOutlined },
      { path: "/setting", label: "settings", icon: TuneOutlined, isForSuperAdmins: true },
    ],
  },
  {
    key: "personal",
    isForAdmins: false,
    items: [
      { path: "/topup", label: "wallet", icon: AccountBalanceWalletOutlined },
      { path: "/personal", label: "personalSettings", icon: PersonOutlineOutlined },
    ],
  },
];

/** The sections and pages that the user may open; without the site's status, only those that every site has. */
export const navFor = (user: StoredUser | null, site: SiteSwitches | undefined): readonly NavSection[] =>
  NAV.filter(({ isForAdmins }) => !isForAdmins || isAdmin(user)).map((section) => ({
    ...section,
    items: section.items.filter(
      ({ isForSuperAdmins, needs }) => (!isForSuperAdmins || isSuperAdmin(user)) && (!needs || site?.[needs] === true),
    ),
  }));

/** Public pages whose path lies under that of a console page. */
const OPEN_PAGES: ReadonlySet<string> = new Set(["/user/reset"]);

/** Whether a path is a page or a drawer of that page. */
export const isUnder = (pathname: string, page: string): boolean =>
  pathname === page || (pathname.startsWith(`${page}/`) && !OPEN_PAGES.has(pathname.replace(/\/$/, "")));

/** Whether this is a page of the console. */
export const isConsolePage = (pathname: string): boolean =>
  NAV.some(({ items }) => items.some(({ path }) => isUnder(pathname, path)));

/** Pages without the sidebar. */
const WHOLE_PAGES = [
  "/setup",
  "/login",
  "/register",
  "/reset",
  "/user/reset",
  "/oauth",
  "/chat",
  "/chat2link",
] as const;

/** Whether the sidebar is shown to signed-in users: on all pages except home, chats and sign-in pages. */
export const hasSiderBeside = (pathname: string): boolean => {
  const path = pathname.replace(/\/$/, "");
  return path !== "" && !WHOLE_PAGES.some((page) => isUnder(path, page));
};

/** Whether only administrators may open this page. */
export const isAdminPage = (pathname: string): boolean =>
  NAV.some(({ isForAdmins, items }) => isForAdmins && items.some(({ path }) => isUnder(pathname, path)));

/** One of the site's main links: a page of the console, or another site. */
export type SiteLink = Readonly<{ key: string; label: string; isHere: boolean } & ({ to: string } | { href: string })>;

/** The links at the top of every page; some are for signed-in users only. */
export function useSiteLinks(): readonly SiteLink[] {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const { user } = useSession();
  const site = useSite();
  const docs = site?.docs_link;
  return [
    { key: "home", label: t("shell.home"), to: "/", isHere: pathname === "/" },
    ...(user ? [{ key: "console", label: t("shell.console"), to: "/token", isHere: isConsolePage(pathname) }] : []),
    { key: "pricing", label: t("pricing.title"), to: "/pricing", isHere: pathname === "/pricing" },
    ...(site?.status_page_enabled
      ? [{ key: "status", label: t("status.title"), to: "/status", isHere: pathname === "/status" }]
      : []),
    ...(docs ? [{ key: "docs", label: t("shell.docs"), href: docs, isHere: false }] : []),
    { key: "about", label: t("shell.about"), to: "/about", isHere: pathname === "/about" },
  ];
}

/** Whether the command palette is open. */
export const paletteAtom = atom(false);

/** The palette's keyboard shortcut on this platform. */
export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";
