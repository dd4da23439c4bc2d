/** Every described list: its texts are there, its rights exist, and what it refers to by name; no table is drawn otherwise. */
import { describe, expect, test } from "bun:test";
import { Glob } from "bun";
import { isRight } from "../../src/domain/accounts/access/access-rules.ts";
import { RIGHTS } from "../../src/domain/accounts/organizations/rights.ts";
import type { Figures } from "../components/page/list/FigureTable.tsx";
import type { ListAction, ResourceList } from "../components/page/list/resource-list.ts";
import { ADMIN_ROLES } from "../features/accounts/access/AdminRolesPage.tsx";
import { SERVICE_ACCOUNTS } from "../features/accounts/access/ServiceAccountsPage.tsx";
import { IDENTITY_PROVIDERS } from "../features/accounts/identity-providers/IdentityProvidersPage.tsx";
import { USERS } from "../features/accounts/users/user-list.tsx";
import { rulesOf } from "../features/alerts/AlertsPanel.tsx";
import { destinationsOf } from "../features/alerts/DestinationList.tsx";
import { deliveriesOf } from "../features/alerts/delivery-list.tsx";
import { API_KEYS } from "../features/api-keys/api-key-list.tsx";
import { CANDIDATES } from "../features/channels/explain/RouteChoice.tsx";
import { EXPLAINED_CHANNELS } from "../features/channels/explain/RouteExplainPage.tsx";
import { channelsOf } from "../features/channels/list/channel-list.tsx";
import { PROVIDER_KEYS } from "../features/channels/provider-keys/ProviderKeyListPage.tsx";
import { monthsOf } from "../features/logs/archive/ArchivePage.tsx";
import { auditOf } from "../features/logs/audit/audit-list.tsx";
import { failuresOf } from "../features/logs/failures/FailureListPage.tsx";
import { LIVE_CALLS } from "../features/logs/live/LivePage.tsx";
import { CALL_PAIRS } from "../features/logs/sessions/compare/pair-table.tsx";
import { sessionsOf } from "../features/logs/sessions/SessionListPage.tsx";
import { SESSION_PAIR } from "../features/logs/sessions/session-tables.tsx";
import { SINKS } from "../features/logs/sinks/SinkListPage.tsx";
import { CATALOG } from "../features/models/catalog/CatalogPage.tsx";
import { COMPARISON } from "../features/models/experiments/comparison.tsx";
import { GUARDRAILS } from "../features/models/guardrails/GuardrailListPage.tsx";
import { MCP_SERVERS } from "../features/models/mcp/McpServerListPage.tsx";
import { MCP_SIGN_INS } from "../features/models/mcp/sign-ins/McpSignInListPage.tsx";
import { toolsOf } from "../features/models/mcp/ToolsDrawer.tsx";
import { usageBy } from "../features/models/mcp/UsageDrawer.tsx";
import { MODEL_STATUS } from "../features/models/page/ModelStatusPage.tsx";
import { PRICES } from "../features/models/pricing/PricingPage.tsx";
import { EVALUATIONS } from "../features/models/replays/ReplaySetPanel.tsx";
import { ROUTES } from "../features/models/routes/RouteListPage.tsx";
import { BROADCASTS, receiversOf } from "../features/notifications/broadcasts/BroadcastHistory.tsx";
import { ANNOUNCEMENTS } from "../features/settings/panels/AnnouncementsPanel.tsx";
import { JOBS } from "../features/system/jobs/JobsPage.tsx";
import { DRAWING_TASKS } from "../features/tasks/DrawingLogPage.tsx";
import { MEDIA_TASKS } from "../features/tasks/TaskLogPage.tsx";
import { DIVIDENDS, OWN_WITHDRAWALS } from "../features/wallet/agents/AgentInfoPage.tsx";
import { AGENTS } from "../features/wallet/agents/AgentListPage.tsx";
import { WITHDRAWALS } from "../features/wallet/agents/withdrawal-list.tsx";
import { CODES } from "../features/wallet/codes/CodeListPage.tsx";
import { rebatesOf } from "../features/wallet/InvitationCard.tsx";
import { ORDERS } from "../features/wallet/orders/OrderListPage.tsx";
import { OWN_ORDERS } from "../features/wallet/orders/order-columns.tsx";
import { CASES } from "../features/wallet/plans/case-list.tsx";
import { COUPONS, PLANS } from "../features/wallet/plans/plan-lists.tsx";
import { SUBSCRIPTIONS } from "../features/wallet/plans/subscription-list.tsx";
import { STATEMENTS } from "../features/wallet/statements/StatementListPage.tsx";
import { OWN_STATEMENTS } from "../features/wallet/statements/StatementTable.tsx";
import * as en from "./en.ts";
import * as zh from "./zh.ts";

/** What a list names of a description, whatever its rows are. */
type Description = Readonly<{
  keys: readonly string[];
  choices: readonly string[];
  needs: readonly unknown[];
  columns: readonly string[];
  missingActions: readonly string[];
}>;

function describeList<Row, Query, Data>(list: ResourceList<Row, Query, Data>): Description {
  const { text, columns, filters = [], actions = [], bulk = [], tools = [], more = [], add, onRow, empty } = list;
  const named = empty ?? { title: text("empty.title"), body: text("empty.body") };
  const all = [...actions, ...bulk, ...tools, ...more, ...(add ? [add] : [])];
  const options = filters.flatMap(({ options: of = [] }) => (typeof of === "function" ? [] : of.map(([, key]) => key)));
  const keys = [
    ...headsOf(list),
    ...(more.length > 0 ? [text("moreActions")] : []),
    ...filters.map(({ key, head }) => head ?? text(`filters.${key}`)),
    ...all.flatMap((action) => keysOf(action, text)),
    ...[list.search, list.unit, add?.short, list.emptyFiltered?.title, list.emptyFiltered?.body, ...options],
    ...[named.title, named.body],
  ].filter((key) => key !== undefined && key !== "");
  const names = actions.map(({ name }) => name);
  return {
    keys: keys.map(String),
    choices: choicesOf(list),
    needs: [...all.map(({ needs }) => needs), list.download?.needs].filter((needs) => needs !== undefined),
    columns: columns.map(({ key }) => key),
    missingActions: onRow && "length" in onRow ? onRow.filter((name) => !names.includes(name)) : [],
  };
}

/** The keys of the headings; a heading that depends on its data is checked where that is. */
const headsOf = <Row, Data>({ columns, text }: Pick<Figures<Row, Data>, "columns" | "text">) =>
  columns.map(({ key, head }) => (typeof head === "function" ? "" : (head ?? text(`columns.${key}`))));

const choicesOf = <Row, Data>({ columns }: Pick<Figures<Row, Data>, "columns">) =>
  columns.flatMap((column) => (column.kind === "choice" ? [column.texts] : []));

const describeFigures = <Row, Data>(table: Figures<Row, Data>): Description => ({
  ...{ keys: headsOf(table).filter((key) => key !== ""), choices: choicesOf(table) },
  ...{ needs: [], columns: table.columns.map(({ key }) => key), missingActions: [] },
});

function keysOf<Data>(action: ListAction<never, Data>, text: (name: string) => string) {
  const { name } = action;
  if ("several" in action) return [];
  const label = typeof action.label === "function" ? "" : action.label;
  if (!("work" in action)) return [label ?? text(name)];
  const { ask, done } = action;
  const question = ask === true ? { title: text(`${name}Title`), body: text(`${name}Body`), action: undefined } : ask;
  const body = typeof question?.body === "string" ? question.body : undefined;
  return [label ?? text(name), question?.title, question?.action, body, done];
}

const LISTS = {
  ...{ admins: describeList(ADMIN_ROLES), accounts: describeList(SERVICE_ACCOUNTS), users: describeList(USERS) },
  identityProviders: describeList(IDENTITY_PROVIDERS),
  ...{ rules: describeList(rulesOf("site")), destinations: describeList(destinationsOf("own")) },
  ...{ deliveries: describeList(deliveriesOf("organization")), sinks: describeList(SINKS) },
  ...{
    guardrails: describeList(GUARDRAILS),
    mcpServers: describeList(MCP_SERVERS),
    providerKeys: describeList(PROVIDER_KEYS),
    mcpSignIns: describeList(MCP_SIGN_INS),
    mcpTools: describeList(toolsOf(1)),
    ...{ mcpToolUsage: describeFigures(usageBy("tools")), mcpUserUsage: describeFigures(usageBy("users")) },
    routes: describeList(ROUTES),
    broadcasts: describeList(BROADCASTS),
    announcements: describeList(ANNOUNCEMENTS),
  },
  ...{ drawings: describeList(DRAWING_TASKS), media: describeList(MEDIA_TASKS), dividends: describeList(DIVIDENDS) },
  ...{ ownWithdrawals: describeList(OWN_WITHDRAWALS), withdrawals: describeList(WITHDRAWALS) },
  ...{ agents: describeList(AGENTS), codes: describeList(CODES), orders: describeList(ORDERS) },
  ...{ ownOrders: describeList(OWN_ORDERS), cases: describeList(CASES), plans: describeList(PLANS) },
  ...{ coupons: describeList(COUPONS), subscriptions: describeList(SUBSCRIPTIONS) },
  ...{ statements: describeList(STATEMENTS), ownStatements: describeList(OWN_STATEMENTS) },
  ...{ receivers: describeList(receiversOf({ id: 1, title: "" }, () => {})) },
  ...{ rebates: describeList(rebatesOf("rebates", async () => ({ items: [], total: 0 }))) },
  ...{ apiKeys: describeList(API_KEYS), jobs: describeList(JOBS), catalog: describeList(CATALOG) },
  ...{ channels: describeList(channelsOf({ byTag: false, idSort: true })) },
  ...{ channelTags: describeList(channelsOf({ byTag: true, idSort: false })) },
  ...{ audit: describeList(auditOf(null)), organizationAudit: describeList(auditOf(1)) },
  ...{ archive: describeList(monthsOf(true)), ownArchive: describeList(monthsOf(false)) },
  ...{
    sessions: describeList(sessionsOf("all")),
    failures: describeList(failuresOf("all", "24h")),
    status: describeList(MODEL_STATUS),
    prices: describeList(PRICES),
  },
};

const FIGURE_TABLES = {
  ...{ candidates: describeFigures(CANDIDATES), explained: describeFigures(EXPLAINED_CHANNELS) },
  ...{ callPairs: describeFigures(CALL_PAIRS) },
  ...{ sessionPair: describeFigures(SESSION_PAIR), comparison: describeFigures(COMPARISON) },
  ...{ evaluations: describeFigures(EVALUATIONS), liveCalls: describeFigures(LIVE_CALLS) },
};

const textAt = (texts: object, key: string): unknown =>
  key.split(".").reduce<unknown>((part, name) => Reflect.get(Object(part), name), texts);

/** A text, also one with a form for several. */
const hasText = (texts: object, key: string): boolean =>
  [key, `${key}_other`].some((name) => typeof textAt(texts, name) === "string");

const mayNeed = (needs: unknown): boolean => {
  const right = typeof needs === "object" ? Reflect.get(Object(needs), "root") : needs;
  return typeof right === "string" && (isRight(right) || right in RIGHTS);
};

describe.each(Object.entries({ ...LISTS, ...FIGURE_TABLES }))("the list of %s", (_, list) => {
  test.each([
    ["English", en],
    ["Chinese", zh],
  ])("has all its texts in %s", (_language, texts) => {
    expect(list.keys.filter((key) => !hasText(texts, key))).toEqual([]);
    expect(list.choices.filter((key) => typeof textAt(texts, key) !== "object")).toEqual([]);
  });

  test("needs only rights that there are", () => {
    expect(list.needs.filter((needs) => !mayNeed(needs))).toEqual([]);
  });

  test("names each column once, and actions that it has", () => {
    expect(list.columns).toEqual([...new Set(list.columns)]);
    expect(list.missingActions).toEqual([]);
  });
});

/** Files of the console's pages, with their text. */
const FILES = await Promise.all(
  [...new Glob("features/**/*.{ts,tsx}").scanSync(`${import.meta.dir}/..`)]
    .filter((path) => !path.includes(".test."))
    .map(async (path) => ({ path, text: await Bun.file(`${import.meta.dir}/../${path}`).text() })),
);

/** What draws a table or asks in a dialog by itself, and the part of the decision that says why. */
const DRAWN = {
  tables: /data-table\/DataTable\.tsx|material\/Table"|<table\b|component="table"/,
  forms: /<(?:FormDialog|FormDrawer|SideDrawer)\b/,
};

describe("the decision on descriptions", async () => {
  const decision = await Bun.file(`${import.meta.dir}/../../docs/decisions/console.md`).text();
  test.each(Object.entries(DRAWN))("names the %s that no description draws", (_, drawn) => {
    const unnamed = FILES.filter(({ path, text }) => drawn.test(text) && !decision.includes(nameOf(path)));
    expect(unnamed.map(({ path }) => path)).toEqual([]);
  });

  test("is checked for every description", async () => {
    const test = await Bun.file(import.meta.path).text();
    const names = FILES.flatMap(({ text }) =>
      [...text.matchAll(/: (?:ResourceList|Figures)</g)].map(
        ({ index }) => [...text.slice(0, index).matchAll(/^(?:export )?const (\w+)/gm)].at(-1)?.[1] ?? "",
      ),
    );
    expect(names.length).toBeGreaterThan(40);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(test))).toEqual([]);
  });
});

/** The name of a file's component. */
const nameOf = (path: string): string => path.replace(/^.*\/|\.tsx?$/g, "");
