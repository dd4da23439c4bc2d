import { atom } from "jotai";
import { useTranslation } from "react-i18next";
import type { Right } from "../../../../src/domain/accounts/access/access-rules.ts";
import type { OrganizationRight } from "../../../../src/domain/accounts/organizations/rights.ts";
import { usePathname } from "../../../components/use-address.ts";
import { sitePath } from "../../../lib/base-path.ts";
import { useSession } from "../../../state/session.ts";
import { type SiteStatus, useSite } from "../../../state/site-status.ts";
import { hasRootRight, isAdmin, isSuperAdmin, type StoredUser } from "../../../state/stored-user.ts";

/** What optional pages depend on: the site's switches, and whether there are first steps to do. */
type PageSwitches = Pick<
  SiteStatus,
  "enable_data_export" | "enable_drawing" | "enable_task" | "mcp_sign_ins" | "organizations" | "provider_keys"
> &
  Readonly<{ has_first_steps?: boolean }>;

/** Entries of the sidebar that stand for several pages, which show while one of them is open. */
export type NavGroup = "connections" | "logs" | "models" | "quality" | "access" | "billing" | "monitoring" | "system";

export type NavItem = Readonly<{
  path:
    | "/start"
    | "/playground"
    | "/detail"
    | "/token"
    | "/provider-keys"
    | "/mcp-sign-ins"
    | "/log"
    | "/failures"
    | "/sessions"
    | "/midjourney"
    | "/task"
    | "/channel"
    | "/live"
    | "/router"
    | "/routes"
    | "/guardrails"
    | "/mcp-servers"
    | "/experiments"
    | "/replays"
    | "/channel-checks"
    | "/redemption"
    | "/user"
    | "/service-accounts"
    | "/admin-roles"
    | "/identity-providers"
    | "/audit"
    | "/books"
    | "/catalog"
    | "/doctor"
    | "/jobs"
    | "/alerts"
    | "/exports"
    | "/notice"
    | "/setting"
    | "/topup"
    | "/organization"
    | "/order"
    | "/statement"
    | "/plan"
    | "/agent"
    | "/personal";
  /** A key under `shell` in the locales. */
  label:
    | "start"
    | "playground"
    | "dashboard"
    | "tokens"
    | "providerKeys"
    | "mcpSignIns"
    | "logs"
    | "failures"
    | "sessions"
    | "drawings"
    | "tasks"
    | "channels"
    | "live"
    | "routing"
    | "routes"
    | "experiments"
    | "replays"
    | "channelChecks"
    | "codes"
    | "users"
    | "serviceAccounts"
    | "guardrails"
    | "mcpServers"
    | "adminRoles"
    | "identityProviders"
    | "audit"
    | "books"
    | "catalog"
    | "doctor"
    | "jobs"
    | "alerts"
    | "exports"
    | "notices"
    | "settings"
    | "wallet"
    | "organizations"
    | "orders"
    | "statements"
    | "plans"
    | "agents"
    | "personalSettings";
  /** The entry under which it stands. */
  group?: NavGroup;
  isForSuperAdmins?: true;
  /** Opens a page of administrators to people whose custom role has it. */
  right?: Right;
  /** What members need who act for an organization. */
  memberRight?: OrganizationRight;
  /** Only if this is on. */
  needs?: keyof PageSwitches;
}>;

type NavSection = Readonly<{
  key: "playground" | "console" | "admin" | "personal";
  isForAdmins: boolean;
  items: readonly NavItem[];
}>;

/** The pages of the sidebar, by section. */
export const NAV: readonly NavSection[] = [
  {
    key: "playground",
    isForAdmins: false,
    items: [
      { path: "/start", label: "start", isForSuperAdmins: true, needs: "has_first_steps" },
      { path: "/playground", label: "playground" },
    ],
  },
  {
    key: "console",
    isForAdmins: false,
    items: [
      { path: "/detail", label: "dashboard", memberRight: "usage.read", needs: "enable_data_export" },
      { path: "/token", label: "tokens" },
      { path: "/provider-keys", label: "providerKeys", group: "connections", needs: "provider_keys" },
      { path: "/mcp-sign-ins", label: "mcpSignIns", group: "connections", needs: "mcp_sign_ins" },
      { path: "/log", label: "logs", group: "logs", memberRight: "requests.read" },
      { path: "/failures", label: "failures", group: "logs", memberRight: "requests.read" },
      { path: "/sessions", label: "sessions", group: "logs", memberRight: "requests.read" },
      { path: "/midjourney", label: "drawings", group: "logs", memberRight: "requests.read", needs: "enable_drawing" },
      { path: "/task", label: "tasks", group: "logs", memberRight: "requests.read", needs: "enable_task" },
    ],
  },
  {
    key: "admin",
    isForAdmins: true,
    items: [
      { path: "/channel", label: "channels", right: "channels:read" },
      { path: "/catalog", label: "catalog", group: "models", right: "models:read" },
      { path: "/routes", label: "routes", group: "models", right: "models:read" },
      { path: "/guardrails", label: "guardrails", group: "models", right: "models:read" },
      { path: "/mcp-servers", label: "mcpServers", group: "models", right: "models:read" },
      { path: "/router", label: "routing", group: "models", right: "channels:read" },
      { path: "/channel-checks", label: "channelChecks", group: "quality", right: "channels:read" },
      { path: "/experiments", label: "experiments", group: "quality", right: "models:read" },
      { path: "/replays", label: "replays", group: "quality", right: "logs:read" },
      { path: "/user", label: "users", group: "access", right: "users:read" },
      { path: "/admin-roles", label: "adminRoles", group: "access", isForSuperAdmins: true },
      { path: "/service-accounts", label: "serviceAccounts", group: "access", isForSuperAdmins: true },
      { path: "/identity-providers", label: "identityProviders", group: "access", isForSuperAdmins: true },
      { path: "/redemption", label: "codes", group: "billing", right: "billing:read" },
      { path: "/plan", label: "plans", group: "billing", right: "billing:read" },
      { path: "/order", label: "orders", group: "billing", right: "billing:read" },
      { path: "/statement", label: "statements", group: "billing", right: "billing:read" },
      { path: "/agent", label: "agents", group: "billing", right: "billing:read" },
      { path: "/books", label: "books", group: "billing", right: "system:read", isForSuperAdmins: true },
      { path: "/live", label: "live", group: "monitoring", right: "logs:read" },
      { path: "/alerts", label: "alerts", group: "monitoring" },
      { path: "/exports", label: "exports", group: "monitoring", right: "settings:read", isForSuperAdmins: true },
      { path: "/audit", label: "audit", group: "monitoring", right: "audit:read" },
      { path: "/doctor", label: "doctor", group: "system", right: "system:read", isForSuperAdmins: true },
      { path: "/jobs", label: "jobs", group: "system", right: "system:read", isForSuperAdmins: true },
      { path: "/notice", label: "notices", group: "system", right: "settings:read", isForSuperAdmins: true },
      { path: "/setting", label: "settings", right: "settings:read", isForSuperAdmins: true },
    ],
  },
  {
    key: "personal",
    isForAdmins: false,
    items: [
      { path: "/topup", label: "wallet" },
      { path: "/organization", label: "organizations", needs: "organizations" },
      { path: "/personal", label: "personalSettings" },
    ],
  },
];

/** An entry of the sidebar: a page, or a group with those of its pages that the user may open. */
export type NavEntry = Readonly<{ group?: NavGroup; items: readonly [NavItem, ...NavItem[]] }>;

/** The entries of a section, in their order; a group of one page is that page. */
export function entriesOf(items: readonly NavItem[]): readonly NavEntry[] {
  const entries = Map.groupBy(items, ({ group, path }) => group ?? path);
  return [...entries.values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    return [{ ...(first.group && others.length > 0 && { group: first.group }), items: [first, ...others] as const }];
  });
}

const isOn = (state: boolean | string | undefined): boolean => state === true || state === "on" || state === "required";

/**
 * The sections and pages that the user may open; without the site's status, only those that every site has. `may`: what they
 * may do for the account that they act for.
 */
export const navFor = (
  user: StoredUser | null,
  site: PageSwitches | undefined,
  may: (right: OrganizationRight) => boolean = () => true,
): readonly NavSection[] =>
  NAV.map(({ items, ...section }) => ({
    ...section,
    items: items.filter(
      (item) =>
        mayOpen(user, section.isForAdmins, item) &&
        (!item.memberRight || may(item.memberRight)) &&
        (!item.needs || isOn(site?.[item.needs])),
    ),
  })).filter(({ isForAdmins, items }) => !isForAdmins || items.length > 0);

/** Whether the user's role opens a page: a built-in one, or the rights of a custom one. */
function mayOpen(user: StoredUser | null, isForAdmins: boolean, { isForSuperAdmins, right }: NavItem): boolean {
  if (isSuperAdmin(user) || (right && hasRootRight(user, right))) return true;
  return !isForSuperAdmins && (!isForAdmins || isAdmin(user));
}

/** Public pages whose path lies under that of a console page. */
const OPEN_PAGES: ReadonlySet<string> = new Set(["/user/reset"]);

/** Whether a path is a page or a drawer of that page. */
export const isUnder = (pathname: string, page: string): boolean =>
  pathname === page || (pathname.startsWith(`${page}/`) && !OPEN_PAGES.has(pathname.replace(/\/$/, "")));

/** Whether this is a page of the console. */
export const isConsolePage = (pathname: string): boolean =>
  NAV.some(({ items }) => items.some(({ path }) => isUnder(pathname, path)));

/** Pages without the sidebar. */
const FULL_WIDTH_PAGES = [
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
export const isSiderPage = (pathname: string): boolean => {
  const path = pathname.replace(/\/$/, "");
  return path !== "" && !FULL_WIDTH_PAGES.some((page) => isUnder(path, page));
};

/** Whether this is a page of administrators that the user's role does not open. */
export const isForbiddenPage = (user: StoredUser | null, pathname: string): boolean =>
  NAV.some(
    ({ isForAdmins, items }) =>
      isForAdmins && !isAdmin(user) && items.some((item) => isUnder(pathname, item.path) && !mayOpen(user, true, item)),
  );

/** One of the site's main links: a page of the console, or another site. */
export type SiteLink = Readonly<{ key: string; label: string; isHere: boolean } & ({ to: string } | { href: string })>;

/** The links at the top of every page; some are for signed-in users only. */
export function useSiteLinks(): readonly SiteLink[] {
  const { t } = useTranslation();
  const pathname = usePathname();
  const { user } = useSession();
  const site = useSite();
  const docs = site?.docs_link;
  return [
    { key: "home", label: t("shell.home"), to: "/", isHere: pathname === "/" },
    ...(user
      ? [{ key: "console", label: t("shell.console"), to: homeOf(user, site), isHere: isConsolePage(pathname) }]
      : []),
    { key: "pricing", label: t("shell.prices"), to: "/pricing", isHere: pathname === "/pricing" },
    ...(site?.status_page_enabled
      ? [{ key: "status", label: t("shell.modelStatus"), to: "/status", isHere: pathname === "/status" }]
      : []),
    ...(docs ? [{ key: "docs", label: t("shell.docs"), href: sitePath(docs), isHere: false }] : []),
    { key: "about", label: t("shell.about"), to: "/about", isHere: pathname === "/about" },
  ];
}

/** Where the console begins: for administrators with what the site does, else with one's API keys. */
export const homeOf = (user: StoredUser | null, site: PageSwitches | undefined): "/detail" | "/token" =>
  isAdmin(user) && isOn(site?.enable_data_export) ? "/detail" : "/token";

/** Whether the command palette is open. */
export const paletteAtom = atom(false);

/** The palette's keyboard shortcut on this platform. */
export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘ K" : "Ctrl K";
