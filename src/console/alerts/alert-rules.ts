import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { deleteRule, listRules, saveRule } from "../../domain/alerts/rules.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id, integer } from "../http/integers.ts";
import { alertScope, logAlertChange, ownerOf } from "./alerts.ts";

const MOST_DESTINATIONS = 20;

const scoped = t.Object(alertScope);
const rule = t.Object({
  event: t.String({ maxLength: 40 }),
  threshold: t.Number(),
  window_minutes: integer(),
  period: t.Optional(t.String({ maxLength: 10 })),
  per: t.Optional(t.String({ maxLength: 20 })),
  subject: t.Optional(t.String({ maxLength: 400 })),
  destination_ids: t.Array(id, { maxItems: MOST_DESTINATIONS }),
  enabled: t.Boolean(),
});

/** Alert rules of users and organizations, and for administrators the site's. */
export function alertRuleRoutes({ db }: Readonly<{ db: Db }>, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/alerts/rules", name: "console/alert-rules" })
    .use(guarded)
    .guard({ account: "alerts.manage" })
    .get("/", async ({ actor, role, query }) => ok(await listRules(db, ownerOf({ actor, role }, query.scope))), {
      query: scoped,
    })
    .post(
      "/",
      async ({ actor, person, role, query, body }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        const added = await saveRule(db, owner, body);
        await logAlertChange(db, { actor, person, role }, owner, {
          name: added.event,
          content: `Added the alert rule ${added.event}`,
          note: { code: "alert_rule_added", params: { event: added.event } },
          action: "create",
          after: added,
        });
        return ok(added);
      },
      { query: scoped, body: rule },
    )
    .put(
      "/:id",
      async ({ actor, person, role, query, params, body }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        const before = (await listRules(db, owner)).find((each) => each.id === params.id);
        const after = await saveRule(db, owner, body, params.id);
        await logAlertChange(db, { actor, person, role }, owner, {
          name: after.event,
          content: `Changed the alert rule ${after.event}`,
          note: { code: "alert_rule_changed", params: { event: after.event } },
          action: "update",
          ...(before && { before }),
          after,
        });
        return ok(after);
      },
      { query: scoped, params: t.Object({ id }), body: rule },
    )
    .delete(
      "/:id",
      async ({ actor, person, role, query, params }) => {
        const owner = ownerOf({ actor, role }, query.scope);
        const before = await deleteRule(db, owner, params.id);
        await logAlertChange(db, { actor, person, role }, owner, {
          name: before.event,
          content: `Deleted the alert rule ${before.event}`,
          note: { code: "alert_rule_deleted", params: { event: before.event } },
          action: "delete",
          before,
        });
        return ok(null);
      },
      { query: scoped, params: t.Object({ id }) },
    );
}
