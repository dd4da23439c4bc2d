import { eq, inArray } from "drizzle-orm";
import { Elysia } from "elysia";
import { channels } from "../../../../db/schema/channels/channels.ts";
import type { Db } from "../../../../db/types.ts";
import { CHANNEL_STATUS } from "../../../domain/channels/entry.ts";
import { PRICE_OPTIONS } from "../../../domain/models/pricing.ts";
import { refuseManaged, type Target } from "../../../domain/system/configuration/managed.ts";
import { recordOf, recordsOf } from "../../../formats/json.ts";
import type { SettingsReader } from "../../../settings/settings.ts";

type Call = Readonly<{
  db: Db;
  body: Record<string, unknown>;
  params: Record<string, unknown>;
  query: Record<string, unknown>;
}>;
type FindTargets = (call: Call) => readonly Target[] | Promise<readonly Target[]>;

const idsIn = (...values: unknown[]): number[] =>
  values
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .map(Number)
    .filter((id) => Number.isInteger(id) && id > 0);
const namesIn = (...values: unknown[]): string[] => values.filter((value) => typeof value === "string");

const OPTION_SECTIONS: Readonly<Record<string, Target>> = {
  ...Object.fromEntries(PRICE_OPTIONS.map((key): [string, Target] => [key, { section: "prices", names: "any" }])),
  ModelRoutes: { section: "routes", names: "any" },
  Guardrails: { section: "guardrails", names: "any" },
  GroupRatio: { section: "groups", names: "any" },
  UserUsableGroups: { section: "groups", names: "any" },
  TopupGroupRatio: { section: "groups", names: "any" },
};
const option = (key: unknown): Target => OPTION_SECTIONS[String(key)] ?? { section: "options", names: namesIn(key) };
const channelsOf = (...ids: unknown[]): Target[] => [{ section: "channels", ids: idsIn(...ids) }];

const withTag: FindTargets = async ({ db, body }) => {
  const rows = await db
    .select({ id: channels.id })
    .from(channels)
    .where(eq(channels.tag, String(body.tag)));
  return channelsOf(rows.map(({ id }) => id));
};
const disabled: FindTargets = async ({ db }) => {
  const off = [CHANNEL_STATUS.disabled, CHANNEL_STATUS.autoDisabled];
  const rows = await db.select({ id: channels.id }).from(channels).where(inArray(channels.status, off));
  return channelsOf(rows.map(({ id }) => id));
};
const site =
  (section: "alert_destinations" | "alert_rules"): FindTargets =>
  ({ params, query }) =>
    query.scope === "site" ? [{ section, ids: idsIn(params.id) }] : [];
const organization: FindTargets = ({ params }) => [{ section: "organizations", ids: idsIn(params.id) }];
const budget: FindTargets = ({ params }) => [{ section: "budgets", ids: idsIn(params.budget) }];

/** Routes that change what files can name, and how to find out which resources those are. */
const ROUTES: Readonly<Record<string, FindTargets>> = {
  "PUT /api/channel": ({ body }) => channelsOf(body.id),
  "DELETE /api/channel/:id": ({ params }) => channelsOf(params.id),
  "POST /api/channel/batch": ({ body }) => channelsOf(body.ids),
  "POST /api/channel/batch/status": ({ body }) => channelsOf(body.ids),
  "POST /api/channel/batch/tag": ({ body }) => channelsOf(body.ids),
  "POST /api/channel/batch/overrides": ({ body }) => channelsOf(body.ids),
  "POST /api/channel/:id/model_list/take": ({ params }) => channelsOf(params.id),
  "POST /api/channel/import": ({ body }) => [
    { section: "channels", names: namesIn(...recordsOf(body.channels).map(({ name }) => name)) },
  ],
  "PUT /api/channel/tag": withTag,
  "POST /api/channel/tag/enabled": withTag,
  "POST /api/channel/tag/disabled": withTag,
  "DELETE /api/channel/disabled": disabled,
  // A super administrator can always unlock the site.
  "PUT /api/option": ({ body }) => (body.key === "LockManagedByFiles" ? [] : [option(body.key)]),
  "POST /api/option/import": ({ body }) => Object.keys(recordOf(body.options) ?? {}).map(option),
  "POST /api/option/rest_model_ratio": () => [option("ModelRatio")],
  "PUT /api/catalog": ({ body }) => [
    { section: "prices", names: namesIn(body.model) },
    { section: "options", names: ["ModelCatalog"] },
  ],
  "DELETE /api/catalog": () => [{ section: "options", names: ["ModelCatalog"] }],
  "POST /api/catalog/update": () => [option("ModelRatio")],
  "DELETE /api/catalog/update": () => [option("ModelRatio")],
  "PUT /api/guardrail": ({ body }) => [{ section: "guardrails", names: namesIn(body.name, body.new_name) }],
  "DELETE /api/guardrail": ({ query }) => [{ section: "guardrails", names: namesIn(query.name) }],
  "PUT /api/route": ({ body }) => [{ section: "routes", names: namesIn(body.name, body.new_name) }],
  "DELETE /api/route": ({ query }) => [{ section: "routes", names: namesIn(query.name) }],
  "PUT /api/token": ({ body }) => [{ section: "keys", ids: idsIn(body.id) }],
  "DELETE /api/token/:id": ({ params }) => [{ section: "keys", ids: idsIn(params.id) }],
  "POST /api/plan": ({ body }) => [{ section: "plans", ids: idsIn(body.id) }],
  "DELETE /api/plan": ({ query }) => [{ section: "plans", ids: idsIn(query.id) }],
  "PUT /api/sinks/:id": ({ params }) => [{ section: "sinks", ids: idsIn(params.id) }],
  "DELETE /api/sinks/:id": ({ params }) => [{ section: "sinks", ids: idsIn(params.id) }],
  "PUT /api/alerts/destinations/:id": site("alert_destinations"),
  "DELETE /api/alerts/destinations/:id": site("alert_destinations"),
  "PUT /api/alerts/rules/:id": site("alert_rules"),
  "DELETE /api/alerts/rules/:id": site("alert_rules"),
  "PUT /api/user": ({ body }) =>
    body.display_name === undefined && body.group === undefined ? [] : [{ section: "users", ids: idsIn(body.id) }],
  "DELETE /api/user/:id": ({ params }) => [{ section: "users", ids: idsIn(params.id) }],
  "POST /api/user/manage": ({ body }) => (body.action === "delete" ? [{ section: "users", ids: idsIn(body.id) }] : []),
  "POST /api/user/manage/batch": ({ body }) =>
    body.action === "delete" || body.action === "group" ? [{ section: "users", ids: idsIn(body.ids) }] : [],
  "PUT /api/organization/:id": organization,
  "DELETE /api/organization/:id": organization,
  "PUT /api/organization/:id/members/:user": organization,
  "DELETE /api/organization/:id/members/:user": organization,
  "POST /api/organization/:id/projects": organization,
  "PUT /api/organization/:id/projects/:project": organization,
  "DELETE /api/organization/:id/projects/:project": organization,
  "PUT /api/organization/:id/budgets/:budget": budget,
  "DELETE /api/organization/:id/budgets/:budget": budget,
};

/** Refuses changes of what files manage, where the site is locked. */
export function managedLock({ db, settings }: Readonly<{ db: Db; settings: SettingsReader }>) {
  return new Elysia({ name: "console/managed-lock" }).onBeforeHandle(
    { as: "global" },
    async ({ request, route, body, params, query }) => {
      if (request.method === "GET" || !settings.get("LockManagedByFiles")) return;
      const findTargets = ROUTES[`${request.method} ${route.replace(/\/$/, "")}`];
      if (!findTargets) return;
      const call = { db, body: recordOf(body) ?? {}, params: recordOf(params) ?? {}, query: recordOf(query) ?? {} };
      await refuseManaged(db, await findTargets(call));
    },
  );
}
