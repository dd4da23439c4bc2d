import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { deleteRule, listRules, saveRule } from "../../domain/alerts/rules.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { alertScope, ownerOf } from "./alert-scope.ts";

const MOST_DESTINATIONS = 20;

const id = t.Integer({ minimum: 1, maximum: 2_147_483_647 });
const scoped = t.Object(alertScope);
const rule = t.Object({
  event: t.String({ maxLength: 40 }),
  threshold: t.Number(),
  window_minutes: t.Integer(),
  destination_ids: t.Array(id, { maxItems: MOST_DESTINATIONS }),
  enabled: t.Boolean(),
});

/** Alert rules: users have their own, administrators also the site's. */
export function alertRuleRoutes({ db }: Readonly<{ db: Db }>, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api/alerts/rules", name: "console/alert-rules" })
    .use(guarded)
    .guard({ role: "user" })
    .get("/", async ({ actor, query }) => ok(await listRules(db, ownerOf(actor, query.scope))), { query: scoped })
    .post(
      "/",
      async ({ actor, query, body }) => {
        const owner = ownerOf(actor, query.scope);
        const added = await saveRule(db, owner, body);
        if (owner === "site") {
          await writeManagementLog(db, actor, `Added the alert rule ${added.event}`, {
            note: { code: "alert_rule_added", params: { event: added.event } },
            action: "create",
            after: added,
          });
        }
        return ok(added);
      },
      { query: scoped, body: rule },
    )
    .put(
      "/:id",
      async ({ actor, query, params, body }) => {
        const owner = ownerOf(actor, query.scope);
        const before = (await listRules(db, owner)).find((each) => each.id === params.id);
        const after = await saveRule(db, owner, body, params.id);
        if (owner === "site") {
          await writeManagementLog(db, actor, `Changed the alert rule ${after.event}`, {
            note: { code: "alert_rule_changed", params: { event: after.event } },
            action: "update",
            ...(before && { before }),
            after,
          });
        }
        return ok(after);
      },
      { query: scoped, params: t.Object({ id }), body: rule },
    )
    .delete(
      "/:id",
      async ({ actor, query, params }) => {
        const owner = ownerOf(actor, query.scope);
        const before = await deleteRule(db, owner, params.id);
        if (owner === "site") {
          await writeManagementLog(db, actor, `Deleted the alert rule ${before.event}`, {
            note: { code: "alert_rule_deleted", params: { event: before.event } },
            action: "delete",
            before,
          });
        }
        return ok(null);
      },
      { query: scoped, params: t.Object({ id }) },
    );
}
