import { Elysia, t } from "elysia";
import type { Changes } from "../../../db/changes.ts";
import type { Database } from "../../../db/types.ts";
import type { NumberedEntry } from "../../billing/journal/rejected/replay-rejected.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { acknowledge, listRejectedIn, replay } from "../../domain/system/diagnostics/journal-actions.ts";
import type { Config } from "../../server/config.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";

type Services = Readonly<{
  database: Pick<Database, "db" | "sql">;
  changes: Pick<Changes, "publish">;
  config: Pick<Config, "dataDir">;
}>;

/** A page of a browser shows no more. */
const MOST_SHOWN = 200;

const number = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** A charge that was set aside, as the console shows it. What a damaged line says may be wrong. */
function toRow({ number: place, entry, problem }: NumberedEntry) {
  const record = entry?.record ?? entry?.readable;
  return {
    number: place,
    /** ISO 8601; empty: unknown. */
    at: entry?.at ?? "",
    reason: entry?.reason || (problem ?? ""),
    is_charged: entry?.charged === true,
    /** Null: it can be charged as it stands. */
    problem,
    request_id: record?.requestId ?? "",
    created_at: number(record?.createdAt),
    user_id: number(record?.userId),
    username: record?.username ?? "",
    model_name: record?.modelName ?? "",
    quota: number(record?.quota),
  };
}

/** The charges that the database refused, in the journal of this machine. */
export const journalRoutes = (
  { database, changes, config: { dataDir } }: Services,
  guarded: ReturnType<typeof guard>,
) =>
  new Elysia({ prefix: "/api/journal", name: "console/journal" })
    .use(guarded)
    .guard({ role: "root" })
    .get("/", async () => {
      const entries = await listRejectedIn(dataDir);
      return ok({ total: entries.length, rejected: entries.slice(0, MOST_SHOWN).map(toRow) });
    })
    .post(
      "/replay",
      async ({ actor, body }) => {
        const { charged, known, left } = await replay(
          { database, changes, dataDir },
          { force: false, which: body.request_id ?? null },
        );
        await writeManagementLog(database.db, actor, `Replayed rejected charges: ${charged.length} charged`, {
          note: { code: "journal_replayed", params: { charged: charged.length, left: left.length } },
          action: "update",
        });
        return ok({ charged: charged.length, known, left: left.length });
      },
      { body: t.Object({ request_id: t.Optional(t.String({ minLength: 1, maxLength: 200 })) }) },
    )
    .post("/acknowledge", async ({ actor }) => {
      const { acknowledged } = await acknowledge({ database, dataDir }, "rejected");
      await writeManagementLog(database.db, actor, `Acknowledged ${acknowledged} rejected charges`, {
        note: { code: "journal_acknowledged", params: { count: acknowledged } },
        action: "delete",
      });
      return ok({ acknowledged });
    });
