import { Elysia, t } from "elysia";
import type { Db, DbOrTx } from "../../../db/types.ts";
import { ROLE } from "../../domain/accounts/access/roles.ts";
import type { Acting } from "../../domain/accounts/organizations/members/acting.ts";
import { writeOrganizationLog } from "../../domain/accounts/organizations/operation.ts";
import type { Alerter } from "../../domain/alerts/alerter.ts";
import { getDelivery, listDeliveries } from "../../domain/alerts/deliveries.ts";
import {
  type AlertOwner,
  addDestination,
  changeDestination,
  deleteDestination,
  listDestinations,
} from "../../domain/alerts/destinations.ts";
import { type LogNote, type ManagementAction, writeManagementLog } from "../../domain/logs/write-log.ts";
import { createRateLimiter } from "../../lib/limits/rate-limiter.ts";
import { languageOf } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer, rowId } from "../http/integers.ts";
import { integerField, numberOrUndefined, paged, pagingQuery } from "../http/paging.ts";
import { refuseTooMany } from "../http/rate-limit.ts";

/** Whose alerts a request is about: those of the account it acts for, or for administrators the site's. */
export const alertScope = { scope: t.Union([t.Literal("own"), t.Literal("site")]) };

/** The owner that a scope means for this caller. Throws OperationError when they may not use it. */
export function ownerOf({ actor, role }: Pick<Acting, "actor" | "role">, scope: "own" | "site"): AlertOwner {
  if (scope === "own") return actor.id;
  if (role !== null || actor.role < ROLE.admin) throw new OperationError("permission_denied");
  return "site";
}

type AlertChange = Readonly<{
  /** What was changed, by the name that people know. */
  name: string;
  content: string;
  note: LogNote;
  action: ManagementAction;
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
}>;

/** Writes a change of the site's alerts to the audit log, and one of an organization's to its log; people change their own unlogged. */
export async function logAlertChange(
  db: DbOrTx,
  { actor, person, role }: Pick<Acting, "actor" | "person" | "role">,
  owner: AlertOwner,
  { name, content, ...change }: AlertChange,
): Promise<void> {
  if (owner === "site") return writeManagementLog(db, person, content, change);
  if (role === null) return;
  await writeOrganizationLog(db, actor.id, person, {
    ...change,
    content: `${person.username}: ${content}`,
    note: { code: "organization_alert_changed", params: { by: person.username, name } },
  });
}

/** Limit of messages sent manually: tests and redeliveries. */
const SENDS = { count: 30, windowMs: 3_600_000 };

const destinationId = t.Object({ id: rowId });
const deliveryId = t.Object({ id: t.String({ maxLength: 100 }) });
const scoped = t.Object(alertScope);
const fields = {
  name: t.String({ maxLength: 200 }),
  language: t.Union([t.Literal("en"), t.Literal("zh")]),
  enabled: t.Boolean(),
  quiet_from: t.String({ maxLength: 5, default: "" }),
  quiet_until: t.String({ maxLength: 5, default: "" }),
  time_zone: t.String({ maxLength: 60, default: "UTC" }),
  digest_minutes: integer({ default: 0 }),
  /** A secret that is missing or empty keeps its stored value. */
  config: t.Record(t.String({ maxLength: 40 }), t.String({ maxLength: 2000 })),
};

type Actor = Readonly<{ id: number }>;

/**
 * Alert destinations and their delivery log. `scope`: users have their own destinations, administrators also the site's.
 * Secrets are stored encrypted and never returned.
 */
export function alertRoutes(
  { db, vault, alerter }: Readonly<{ db: Db; vault: Vault; alerter: Alerter }>,
  guarded: ReturnType<typeof guard>,
) {
  const sends = createRateLimiter(SENDS);
  const takeSend = ({ id }: Actor) => refuseTooMany(sends.take(String(id)));
  return new Elysia({ prefix: "/api/alerts", name: "console/alerts" })
    .use(guarded)
    .guard({ account: "alerts.manage" })
    .get(
      "/destinations",
      async ({ actor, role, query }) =>
        ok(await listDestinations({ db, vault }, ownerOf({ actor, role }, query.scope))),
      { query: scoped },
    )
    .post(
      "/destinations",
      async ({ actor, person, role, query, body }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        const added = await addDestination({ db, vault }, owner, body);
        const { name } = added;
        await logAlertChange(db, { actor, person, role }, owner, {
          name,
          content: `Added the alert destination ${name}`,
          note: { code: "alert_destination_added", params: { name } },
          action: "create",
          after: added,
        });
        return ok(added);
      },
      { query: scoped, body: t.Object({ type: t.String({ maxLength: 20 }), ...fields }) },
    )
    .put(
      "/destinations/:id",
      async ({ actor, person, role, query, params, body }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        const { before, after } = await changeDestination({ db, vault }, owner, params.id, body);
        const { name } = after;
        await logAlertChange(db, { actor, person, role }, owner, {
          name,
          content: `Changed the alert destination ${name}`,
          note: { code: "alert_destination_changed", params: { name } },
          action: "update",
          before,
          after,
        });
        return ok(after);
      },
      { query: scoped, params: destinationId, body: t.Object(fields) },
    )
    .delete(
      "/destinations/:id",
      async ({ actor, person, role, query, params }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        const before = await deleteDestination({ db, vault }, owner, params.id);
        const { name } = before;
        await logAlertChange(db, { actor, person, role }, owner, {
          name,
          content: `Deleted the alert destination ${name}`,
          note: { code: "alert_destination_deleted", params: { name } },
          action: "delete",
          before,
        });
        return ok(null);
      },
      { query: scoped, params: destinationId },
    )
    .post(
      "/destinations/:id/test",
      async ({ actor, person, role, query, params, request }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        takeSend(person);
        return ok(await getDelivery(db, owner, await alerter.test(owner, params.id), languageOf(request)));
      },
      { query: scoped, params: destinationId },
    )
    .get(
      "/deliveries",
      ({ actor, role, query, request }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        const destination = numberOrUndefined(query.destination_id);
        return paged(query, (page) =>
          listDeliveries(db, owner, { ...page, destinationId: destination }, languageOf(request)),
        );
      },
      { query: t.Object({ ...alertScope, ...pagingQuery, destination_id: integerField() }) },
    )
    .post(
      "/deliveries/:id/resend",
      async ({ actor, person, role, query, params, request }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        takeSend(person);
        await alerter.resend(owner, params.id);
        return ok(await getDelivery(db, owner, params.id, languageOf(request)));
      },
      { query: scoped, params: deliveryId },
    );
}
