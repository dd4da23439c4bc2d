import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { safeReturnTo } from "./api/login-redirect.ts";
import { RootLayout } from "./features/shell/RootLayout.tsx";
import { NotFoundPage, PageError } from "./features/shell/StatePages.tsx";
import { loadSignedInTexts } from "./state/i18n.ts";
import { parseSearch, stringifySearch } from "./state/search-text.ts";
import { siteStatus } from "./state/site-status.ts";
import { readUser } from "./state/stored-user.ts";

type Context = { queryClient: QueryClient };

/** Untyped search parameters; every page parses its own. */
type Search = Record<string, unknown>;

const root = createRootRouteWithContext<Context>()({
  component: RootLayout,
  notFoundComponent: NotFoundPage,
  validateSearch: (search: Search) => search,
  beforeLoad: async ({ context, location }) => {
    // A gateway without setup shows only the setup page; one that can't be reached shows each page's own error.
    // The page doesn't wait for retries: the layout loads the status again.
    const [site] = await Promise.all([
      context.queryClient.ensureQueryData({ ...siteStatus, retry: false }).catch(() => null),
      // Public pages have the sidebar and the account's menu too.
      readUser() && loadSignedInTexts(),
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

const open = <Path extends string>(path: Path, page: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component: page });

const guarded = <Path extends string>(path: Path, page: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, component: page, beforeLoad: requireSignIn });

/** A page loaded after the shared parts of signed-in pages. */
const inside = <Module extends Record<string, unknown>>(
  load: (pages: typeof import("./signed-in.ts")) => Promise<Module>,
  name: keyof Module & string,
) => lazyRouteComponent(async () => load(await import("./signed-in.ts")), name);

/** The drawer has its own paths and opens over the unchanged list. */
const channels = guarded(
  "/channel",
  inside((pages) => pages.channelList(), "ChannelListPage"),
);

const users = guarded(
  "/user",
  inside((pages) => pages.userList(), "UserListPage"),
);

const routeTree = root.addChildren([
  open(
    "/",
    lazyRouteComponent(() => import("./features/site/HomePage.tsx"), "HomePage"),
  ),
  createRoute({
    getParentRoute: () => root,
    path: "/login",
    component: lazyRouteComponent(() => import("./features/account/login/LoginPage.tsx"), "LoginPage"),
    beforeLoad: skipSignIn,
  }),
  createRoute({
    getParentRoute: () => root,
    path: "/register",
    component: lazyRouteComponent(() => import("./features/account/register/RegisterPage.tsx"), "RegisterPage"),
    beforeLoad: skipSignIn,
  }),
  open(
    "/oauth/$provider",
    lazyRouteComponent(() => import("./features/account/login/OAuthCallbackPage.tsx"), "OAuthCallbackPage"),
  ),
  open(
    "/reset",
    lazyRouteComponent(() => import("./features/account/login/ResetPage.tsx"), "ResetPage"),
  ),
  open(
    "/user/reset",
    lazyRouteComponent(() => import("./features/account/login/ResetPage.tsx"), "UserResetPage"),
  ),
  open(
    "/setup",
    lazyRouteComponent(() => import("./features/account/register/SetupPage.tsx"), "SetupPage"),
  ),
  open(
    "/pricing",
    lazyRouteComponent(() => import("./features/models/pricing/PricingPage.tsx"), "PricingPage"),
  ),
  createRoute({
    getParentRoute: () => root,
    path: "/key",
    component: lazyRouteComponent(() => import("./features/tokens/KeyUsagePage.tsx"), "KeyUsagePage"),
    // It shows rows of the log as the log itself does.
    beforeLoad: loadSignedInTexts,
  }),
  open(
    "/status",
    lazyRouteComponent(() => import("./features/models/page/ModelStatusPage.tsx"), "ModelStatusPage"),
  ),
  open(
    "/model/$",
    lazyRouteComponent(() => import("./features/models/page/ModelPage.tsx"), "ModelPage"),
  ),
  open(
    "/reference",
    lazyRouteComponent(() => import("./features/site/ApiReferencePage.tsx"), "ApiReferencePage"),
  ),
  open(
    "/about",
    lazyRouteComponent(() => import("./features/site/AboutPage.tsx"), "AboutPage"),
  ),
  guarded(
    "/personal",
    inside((pages) => pages.personal(), "PersonalPage"),
  ),
  guarded(
    "/organization",
    inside((pages) => pages.organization(), "OrganizationPage"),
  ),
  guarded(
    "/organization/join",
    inside((pages) => pages.joinOrganization(), "JoinPage"),
  ),
  guarded(
    "/topup",
    inside((pages) => pages.topup(), "WalletPage"),
  ),
  guarded(
    "/topup/agent",
    inside((pages) => pages.agentInfo(), "AgentInfoPage"),
  ),
  guarded(
    "/order",
    inside((pages) => pages.orderList(), "OrderListPage"),
  ),
  guarded(
    "/plan",
    inside((pages) => pages.planList(), "PlanListPage"),
  ),
  guarded(
    "/statement",
    inside((pages) => pages.statementList(), "StatementListPage"),
  ),
  guarded(
    "/agent",
    inside((pages) => pages.agentList(), "AgentListPage"),
  ),
  guarded(
    "/alerts",
    inside((pages) => pages.alerts(), "AlertsPage"),
  ),
  guarded(
    "/notice",
    inside((pages) => pages.notice(), "NoticePage"),
  ),
  guarded(
    "/start",
    inside((pages) => pages.start(), "StartPage"),
  ),
  guarded(
    "/playground",
    inside((pages) => pages.playground(), "PlaygroundPage"),
  ),
  guarded(
    "/detail",
    inside((pages) => pages.detail(), "DetailPage"),
  ),
  guarded(
    "/token",
    inside((pages) => pages.tokenList(), "TokenListPage"),
  ),
  guarded(
    "/redemption",
    inside((pages) => pages.redemptionList(), "RedemptionListPage"),
  ),
  guarded(
    "/live",
    inside((pages) => pages.live(), "LivePage"),
  ),
  guarded(
    "/routes",
    inside((pages) => pages.routeList(), "RouteListPage"),
  ),
  guarded(
    "/channel-checks",
    inside((pages) => pages.channelChecks(), "ChannelChecksPage"),
  ),
  guarded(
    "/experiments",
    inside((pages) => pages.experiments(), "ExperimentPage"),
  ),
  guarded(
    "/router",
    inside((pages) => pages.routerExplain(), "RouterExplainPage"),
  ),
  guarded(
    "/audit",
    inside((pages) => pages.auditLog(), "AuditLogPage"),
  ),
  guarded(
    "/catalog",
    inside((pages) => pages.catalog(), "CatalogPage"),
  ),
  guarded(
    "/books",
    inside((pages) => pages.books(), "BooksPage"),
  ),
  guarded(
    "/doctor",
    inside((pages) => pages.doctor(), "DoctorPage"),
  ),
  guarded(
    "/sessions",
    inside((pages) => pages.sessionList(), "SessionListPage"),
  ),
  guarded(
    "/exports",
    inside((pages) => pages.sinkList(), "SinkListPage"),
  ),
  guarded(
    "/identity-providers",
    inside((pages) => pages.identityProviderList(), "IdentityProvidersPage"),
  ),
  guarded(
    "/service-accounts",
    inside((pages) => pages.serviceAccountList(), "ServiceAccountsPage"),
  ),
  guarded(
    "/jobs",
    inside((pages) => pages.jobs(), "JobsPage"),
  ),
  guarded(
    "/log",
    inside((pages) => pages.usageLog(), "UsageLogPage"),
  ),
  guarded(
    "/log/$requestId",
    inside((pages) => pages.request(), "RequestPage"),
  ),
  open(
    "/chat",
    lazyRouteComponent(() => import("./features/playground/links/ChatPage.tsx"), "ChatPage"),
  ),
  open(
    "/chat/$id",
    lazyRouteComponent(() => import("./features/playground/links/ChatPage.tsx"), "ChatPage"),
  ),
  guarded(
    "/chat2link",
    inside((pages) => pages.chatToLink(), "ChatToLinkPage"),
  ),
  guarded(
    "/midjourney",
    inside((pages) => pages.drawingLog(), "DrawingLogPage"),
  ),
  guarded(
    "/task",
    inside((pages) => pages.taskLog(), "TaskLogPage"),
  ),
  guarded(
    "/setting",
    inside((pages) => pages.setting(), "SettingPage"),
  ),
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
export const createConsoleRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
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
