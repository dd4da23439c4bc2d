import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import type { SinkDeps } from "../../domain/logs/sinks/sink-type.ts";
import { addSink, changeSink, deleteSink, listSinks, testSink } from "../../domain/logs/sinks/sinks.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { languageOf } from "../../lib/messages.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import { done, ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";

type Services = Readonly<{ db: Db; vault: Vault; sinkDeps: SinkDeps }>;

const sinkId = t.Object({ id: rowId });
const fields = {
  name: t.String({ maxLength: 200 }),
  enabled: t.Boolean(),
  config: t.Record(t.String({ maxLength: 40 }), t.String({ maxLength: 8000 }), {
    description: "The destination's fields. A secret that is missing or empty keeps its stored value.",
  }),
};

/** Destinations that usage records are exported to, for super admins. */
export const sinkRoutes = ({ db, vault, sinkDeps }: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/sinks", name: "console/sinks" })
    .use(guarded)
    .guard({ role: "root" })
    .get("/", async ({ request }) => ok(await listSinks({ db, vault }, languageOf(request))))
    .post(
      "/",
      async ({ actor, body, request }) => {
        const added = await addSink({ db, vault }, body, languageOf(request));
        await writeManagementLog(db, actor, `Added the export destination ${added.name}`, {
          note: { code: "sink_added", params: { name: added.name } },
          action: "create",
          after: added,
        });
        return ok(added);
      },
      {
        body: t.Object({
          type: t.String({ maxLength: 20 }),
          from_start: t.Boolean({ default: false, description: "Also send the calls that the log already has." }),
          ...fields,
        }),
      },
    )
    .put(
      "/:id",
      async ({ actor, body, params, request }) => {
        const { before, after } = await changeSink({ db, vault }, params.id, body, languageOf(request));
        await writeManagementLog(db, actor, `Changed the export destination ${after.name}`, {
          note: { code: "sink_changed", params: { name: after.name } },
          action: "update",
          before,
          after,
        });
        return ok(after);
      },
      { params: sinkId, body: t.Object(fields) },
    )
    .delete(
      "/:id",
      async ({ actor, params, request }) => {
        const before = await deleteSink({ db, vault }, params.id, languageOf(request));
        await writeManagementLog(db, actor, `Deleted the export destination ${before.name}`, {
          note: { code: "sink_deleted", params: { name: before.name } },
          action: "delete",
          before,
        });
        return ok(null);
      },
      { params: sinkId },
    )
    .post(
      "/:id/test",
      async ({ params, request }) => {
        await testSink({ db, vault, ...sinkDeps }, params.id, languageOf(request));
        return done(request, "sink_tested");
      },
      { params: sinkId },
    );
