import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { getDefaultStore } from "jotai";
import { safeReturnTo } from "./api/login-redirect.ts";
import { NotFoundPage, PageError } from "./components/page/StatePages.tsx";
import { homeOf } from "./features/system/shell/nav.ts";
import { RootLayout } from "./features/system/shell/RootLayout.tsx";
import { BASE_PATH } from "./lib/base-path.ts";
import { loadTexts } from "./state/i18n.ts";
import { queryClientAtom, withQueries } from "./state/query-client.ts";
import { parseSearch, stringifySearch } from "./state/search-text.ts";
import { ensureSiteStatus, refreshSiteStatus } from "./state/site-status.ts";
import { readUser } from "./state/stored-user.ts";

/** Untyped search parameters; every page parses its own. */
type Search = Record<string, unknown>;

const root = createRootRoute({
  component: RootLayout,
  notFoundComponent: NotFoundPage,
  validateSearch: (search: Search) => search,
  beforeLoad: async ({ location }) => {
    // A gateway without setup shows only the setup page; one that can't be reached shows each page's own error.
    // The page doesn't wait for retries: the layout loads the status again.
    const [site] = await Promise.all([
      ensureSiteStatus().catch(() => null),
      // Public pages have the sidebar and the account's menu too.
      readUser() && loadTexts("signedIn"),
    ]);
    if (site && !site.setup && location.pathname !== "/setup") throw redirect({ to: "/setup", search: {} });
    if (site?.setup && location.pathname === "/setup") throw redirect({ to: "/", search: {} });
  },
});

/** Redirects to the sign-in page, which returns here. */
function requireSignIn({ location }: { location: { href: string } }): void {
  if (!readUser()) throw redirect({ to: "/login", search: { returnTo: location.href } });
}

/** Redirects signed-in users away from the sign-in page; an expired session is forgotten before this runs. */
function skipSignIn({ search }: { search: Search }): void {
  const { returnTo } = search;
  if (readUser()) throw redirect({ href: safeReturnTo(typeof returnTo === "string" ? returnTo : undefined) });
}

/** Leads to where the console begins for whoever is signed in. */
async function goHome({ location }: { location: { href: string } }): Promise<void> {
  requireSignIn({ location });
  throw redirect({ to: homeOf(readUser(), await ensureSiteStatus().catch(() => undefined)), search: {} });
}

/** A page that anybody may open, with the texts that the sign-in page has too. */
const entry = <Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => withQueries(load()), name) });

/** A page that anybody may open, with its texts. */
const open = <Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: () => Promise<Module>,
  name: keyof Module & string,
) => entry(path, async () => (await Promise.all([load(), loadTexts("site")]))[0], name);

/** A page for signed-in users, loaded after the shared parts of such pages. */
const guarded = <Path extends string, Module extends Record<string, unknown>>(
  path: Path,
  load: (pages: typeof import("./signed-in.ts")) => Promise<Module>,
  name: keyof Module & string,
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    component: lazyRouteComponent(async () => load(await withQueries(import("./signed-in.ts"))), name),
    beforeLoad: requireSignIn,
  });

/** The drawer has its own paths and opens over the unchanged list. */
const channels = guarded("/channel", (pages) => pages.channelList(), "ChannelListPage");

const users = guarded("/user", (pages) => pages.userList(), "UserListPage");

const routeTree = root.addChildren([
  open("/", () => import("./features/system/public-pages/HomePage.tsx"), "HomePage"),
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    component: lazyRouteComponent(() => import("./features/accounts/sign-in/LoginPage.tsx"), "LoginPage"),
    beforeLoad: skipSignIn,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/register",
    component: lazyRouteComponent(
      () => withQueries(import("./features/accounts/registration/RegisterPage.tsx")),
      "RegisterPage",
    ),
    beforeLoad: skipSignIn,
  }),
  entry("/oauth/$provider", () => import("./features/accounts/sign-in/OAuthCallbackPage.tsx"), "OAuthCallbackPage"),
  entry("/reset", () => import("./features/accounts/sign-in/ResetPage.tsx"), "ResetPage"),
  entry("/user/reset", () => import("./features/accounts/sign-in/ResetPage.tsx"), "UserResetPage"),
  entry("/setup", () => import("./features/accounts/registration/SetupPage.tsx"), "SetupPage"),
  open("/pricing", () => import("./features/models/pricing/PricingPage.tsx"), "PricingPage"),
  createRoute({
    getParentRoute: () => root,
    path: "/key",
    component: lazyRouteComponent(() => withQueries(import("./features/api-keys/KeyUsagePage.tsx")), "KeyUsagePage"),
    // It shows rows of the log as the log itself does.
    beforeLoad: () => loadTexts("signedIn", "records"),
  }),
  open("/status", () => import("./features/models/page/ModelStatusPage.tsx"), "ModelStatusPage"),
  open("/model/$", () => import("./features/models/page/ModelPage.tsx"), "ModelPage"),
  open("/reference", () => import("./features/system/public-pages/ApiReferencePage.tsx"), "ApiReferencePage"),
  open("/about", () => import("./features/system/public-pages/AboutPage.tsx"), "AboutPage"),
  createRoute({ getParentRoute: () => root, path: "/console", beforeLoad: goHome }),
  guarded("/personal", (pages) => pages.personal(), "PersonalPage"),
  guarded("/organization", (pages) => pages.organization(), "OrganizationPage"),
  guarded("/organization/join", (pages) => pages.joinOrganization(), "JoinPage"),
  guarded("/oauth/mcp/callback", (pages) => pages.mcpSignInCallback(), "SignInCallbackPage"),
  guarded("/oauth/authorize", (pages) => pages.authorizeApplication(), "AuthorizePage"),
  guarded("/device", (pages) => pages.device(), "DevicePage"),
  guarded("/topup", (pages) => pages.topup(), "WalletPage"),
  guarded("/topup/agent", (pages) => pages.agentInfo(), "AgentInfoPage"),
  guarded("/order", (pages) => pages.orderList(), "OrderListPage"),
  guarded("/plan", (pages) => pages.planList(), "PlanListPage"),
  guarded("/statement", (pages) => pages.statementList(), "StatementListPage"),
  guarded("/agent", (pages) => pages.agentList(), "AgentListPage"),
  guarded("/alerts", (pages) => pages.alerts(), "AlertsPage"),
  guarded("/notice", (pages) => pages.notice(), "NoticePage"),
  guarded("/start", (pages) => pages.start(), "StartPage"),
  guarded("/playground", (pages) => pages.playground(), "PlaygroundPage"),
  guarded("/detail", (pages) => pages.detail(), "DetailPage"),
  guarded("/token", (pages) => pages.apiKeyList(), "ApiKeyListPage"),
  guarded("/mcp-sign-ins", (pages) => pages.mcpSignInList(), "McpSignInListPage"),
  guarded("/provider-keys", (pages) => pages.providerKeyList(), "ProviderKeyListPage"),
  guarded("/redemption", (pages) => pages.redemptionList(), "RedemptionListPage"),
  guarded("/live", (pages) => pages.live(), "LivePage"),
  guarded("/guardrails", (pages) => pages.guardrailList(), "GuardrailListPage"),
  guarded("/mcp-servers", (pages) => pages.mcpServerList(), "McpServerListPage"),
  guarded("/routes", (pages) => pages.routeList(), "RouteListPage"),
  guarded("/channel-checks", (pages) => pages.authenticity(), "AuthenticityPage"),
  guarded("/experiments", (pages) => pages.experiments(), "ExperimentPage"),
  guarded("/replays", (pages) => pages.replays(), "ReplayPage"),
  guarded("/router", (pages) => pages.routerExplain(), "RouterExplainPage"),
  guarded("/audit", (pages) => pages.auditLog(), "AuditLogPage"),
  guarded("/catalog", (pages) => pages.catalog(), "CatalogPage"),
  guarded("/books", (pages) => pages.ledgerCheck(), "LedgerCheckPage"),
  guarded("/doctor", (pages) => pages.diagnostics(), "DiagnosticsPage"),
  guarded("/sessions", (pages) => pages.sessionList(), "SessionListPage"),
  guarded("/exports", (pages) => pages.sinkList(), "SinkListPage"),
  guarded("/identity-providers", (pages) => pages.identityProviderList(), "IdentityProvidersPage"),
  guarded("/admin-roles", (pages) => pages.adminRoleList(), "AdminRolesPage"),
  guarded("/service-accounts", (pages) => pages.serviceAccountList(), "ServiceAccountsPage"),
  guarded("/jobs", (pages) => pages.jobs(), "JobsPage"),
  guarded("/log", (pages) => pages.usageLog(), "UsageLogPage"),
  guarded("/failures", (pages) => pages.failureList(), "FailureListPage"),
  guarded("/log/archive", (pages) => pages.logArchive(), "ArchivePage"),
  guarded("/log/$requestId", (pages) => pages.request(), "RequestPage"),
  open("/chat", () => import("./features/playground/links/ChatPage.tsx"), "ChatPage"),
  open("/chat/$id", () => import("./features/playground/links/ChatPage.tsx"), "ChatPage"),
  guarded("/chat2link", (pages) => pages.chatToLink(), "ChatToLinkPage"),
  guarded("/midjourney", (pages) => pages.drawingLog(), "DrawingLogPage"),
  guarded("/task", (pages) => pages.taskLog(), "TaskLogPage"),
  guarded("/setting", (pages) => pages.setting(), "SettingPage"),
  channels.addChildren([
    createRoute({ getParentRoute: () => channels, path: "/add" }),
    createRoute({ getParentRoute: () => channels, path: "/edit/$id" }),
  ]),
  users.addChildren([
    createRoute({ getParentRoute: () => users, path: "/add" }),
    // Without an id, this is the user's own account.
    createRoute({
      getParentRoute: () => users,
      path: "/edit",
      beforeLoad: () => {
        throw redirect({ to: "/personal", search: {} });
      },
    }),
    createRoute({ getParentRoute: () => users, path: "/edit/$id" }),
  ]),
]);

/** The pages of the console, each loaded when it is first visited. */
export const createConsoleRouter = () =>
  createRouter({
    routeTree,
    basepath: BASE_PATH || "/",
    // For browser tests, which go to a page with everything read again.
    context: { readQueries: () => getDefaultStore().get(queryClientAtom), refreshSiteStatus },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultErrorComponent: PageError,
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
