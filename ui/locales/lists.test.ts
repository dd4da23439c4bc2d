/** Every described list: its texts are there, its rights exist, and what it refers to by name. */
import { describe, expect, test } from "bun:test";
import { isRight } from "../../src/domain/accounts/access/access-rules.ts";
import { RIGHTS } from "../../src/domain/accounts/organizations/rights.ts";
import type { ListAction, ResourceList } from "../components/page/list/resource-list.ts";
import { ADMIN_ROLES } from "../features/accounts/access/AdminRolesPage.tsx";
import { SERVICE_ACCOUNTS } from "../features/accounts/access/ServiceAccountsPage.tsx";
import { IDENTITY_PROVIDERS } from "../features/accounts/identity-providers/IdentityProvidersPage.tsx";
import { USERS } from "../features/accounts/users/user-list.tsx";
import { rulesOf } from "../features/alerts/AlertsPanel.tsx";
import { destinationsOf } from "../features/alerts/DestinationList.tsx";
import { deliveriesOf } from "../features/alerts/delivery-list.tsx";
import { SINKS } from "../features/logs/sinks/SinkListPage.tsx";
import { ROUTES } from "../features/models/routes/RouteListPage.tsx";
import { BROADCASTS } from "../features/notifications/broadcasts/BroadcastHistory.tsx";
import { ANNOUNCEMENTS } from "../features/settings/panels/AnnouncementsPanel.tsx";
import { DRAWING_TASKS } from "../features/tasks/DrawingLogPage.tsx";
import { MEDIA_TASKS } from "../features/tasks/TaskLogPage.tsx";
import { DIVIDENDS, OWN_WITHDRAWALS } from "../features/wallet/agents/AgentInfoPage.tsx";
import { AGENTS } from "../features/wallet/agents/AgentListPage.tsx";
import { WITHDRAWALS } from "../features/wallet/agents/withdrawal-list.tsx";
import { CODES } from "../features/wallet/codes/CodeListPage.tsx";
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
  const { text, columns, filters = [], actions = [], bulk = [], tools = [], add, onRow, empty } = list;
  const named = empty ?? { title: text("empty.title"), body: text("empty.body") };
  const all = [...actions, ...bulk, ...tools, ...(add ? [add] : [])];
  const options = filters.flatMap(({ options: of = [] }) => (typeof of === "function" ? [] : of.map(([, key]) => key)));
  const keys = [
    ...columns.map(({ key, head }) => head ?? text(`columns.${key}`)),
    ...filters.map(({ key, head }) => head ?? text(`filters.${key}`)),
    ...all.flatMap((action) => keysOf(action, text)),
    ...[list.search, list.unit, add?.short, list.emptyFiltered?.title, list.emptyFiltered?.body, ...options],
    ...[named.title, named.body],
  ].filter((key) => key !== undefined && key !== "");
  const names = actions.map(({ name }) => name);
  return {
    keys: keys.map(String),
    choices: columns.flatMap((column) => (column.kind === "choice" ? [column.texts] : [])),
    needs: [...all.map(({ needs }) => needs), list.download?.needs].filter((needs) => needs !== undefined),
    columns: columns.map(({ key }) => key),
    missingActions: onRow && "length" in onRow ? onRow.filter((name) => !names.includes(name)) : [],
  };
}

function keysOf<Data>(action: ListAction<never, Data>, text: (name: string) => string) {
  const { name, label } = action;
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
  ...{ routes: describeList(ROUTES), broadcasts: describeList(BROADCASTS), announcements: describeList(ANNOUNCEMENTS) },
  ...{ drawings: describeList(DRAWING_TASKS), media: describeList(MEDIA_TASKS), dividends: describeList(DIVIDENDS) },
  ...{ ownWithdrawals: describeList(OWN_WITHDRAWALS), withdrawals: describeList(WITHDRAWALS) },
  ...{ agents: describeList(AGENTS), codes: describeList(CODES), orders: describeList(ORDERS) },
  ...{ ownOrders: describeList(OWN_ORDERS), cases: describeList(CASES), plans: describeList(PLANS) },
  ...{ coupons: describeList(COUPONS), subscriptions: describeList(SUBSCRIPTIONS) },
  ...{ statements: describeList(STATEMENTS), ownStatements: describeList(OWN_STATEMENTS) },
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

describe.each(Object.entries(LISTS))("the list of %s", (_, list) => {
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
