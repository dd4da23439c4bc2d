import { Elysia, t } from "elysia";
import type { Db } from "../../../db/types.ts";
import { type LogNote, type ManagementAction, writeManagementLog } from "../../domain/logs/write-log.ts";
import { createReplaySet, deleteReplaySet } from "../../domain/models/replays/create-set.ts";
import {
  createEvaluation,
  deleteEvaluation,
  resumeEvaluation,
  stopEvaluation,
} from "../../domain/models/replays/manage-evaluations.ts";
import { listReplaySets, readEvaluation } from "../../domain/models/replays/read-replays.ts";
import type { Replayer } from "../../domain/models/replays/replayer.ts";
import type { Settings } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId as id, integer } from "../http/integers.ts";

type Services = Readonly<{
  db: Db;
  settings: Pick<Settings, "get">;
  replayer: Replayer;
}>;

const name = t.String({ minLength: 1, maxLength: 100 });
const model = t.String({ minLength: 1, maxLength: 200 });
const time = integer({
  minimum: 0,
  maximum: 100_000_000_000,
  description: "Epoch seconds.",
});
const word = t.Optional(t.String({ minLength: 1, maxLength: 200 }));
const usd = integer({
  minimum: 1,
  maximum: 1_000_000,
  description: "The most that it may cost you, in dollars.",
});
const price = t.Number({ minimum: 0, maximum: 1_000_000 });

const newSet = t.Object({
  name,
  filter: t.Object({
    start: time,
    end: time,
    model: word,
    username: word,
    token_name: word,
    group: word,
    channel: t.Optional(id),
    failed: t.Optional(
      t.Boolean({
        description: "True: those that failed; otherwise those that succeeded.",
      }),
    ),
    session: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 200,
        description: "The id of an agent's run.",
      }),
    ),
    request_id: word,
  }),
  max_calls: t.Optional(integer({ minimum: 1, maximum: 2_000, description: "100 unless set." })),
});

const newEvaluation = t.Object({
  set_id: id,
  name,
  target: t.Object({
    model: t.Optional(
      t.String({
        minLength: 1,
        maxLength: 200,
        description: "A model or a route.",
      }),
    ),
    group: word,
    channel_tags: t.Optional(t.Array(model, { maxItems: 32 })),
    system_prompt: t.Optional(t.String({ maxLength: 100_000 })),
    prices: t.Optional(
      t.Object({ input: price, output: price, cached: t.Optional(price) }, { description: "Dollars for 1M tokens." }),
    ),
  }),
  judge: t.Optional(
    t.Object({
      model,
      group: t.Optional(t.String({ maxLength: 200 })),
      instructions: t.Optional(t.String({ maxLength: 4_000 })),
    }),
  ),
  max_usd: t.Optional(usd),
  max_concurrent: t.Optional(integer({ minimum: 1, maximum: 64, description: "4 unless set." })),
});

const DEFAULT_CALLS = 100;
const DEFAULT_CONCURRENT = 4;

/** Stored requests, sent again to other models, prompts and routes, for administrators. */
export function replayRoutes({ db, settings, replayer }: Services, guarded: ReturnType<typeof guard>) {
  const unit = () => settings.get("QuotaPerUnit");
  const log = (actor: Readonly<{ id: number }>, content: string, note: LogNote, action: ManagementAction) =>
    writeManagementLog(db, actor, content, { note, action });
  return new Elysia({ prefix: "/api/replays", name: "console/replays" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/sets", async () => ok(await listReplaySets(db)))
    .post(
      "/sets",
      async ({ actor, body: { name, filter, max_calls: maxCalls = DEFAULT_CALLS } }) => {
        const created = await createReplaySet({ db, replayer }, actor.id, {
          name,
          filter,
          maxCalls,
        });
        const note = { code: "replay_set_created", params: { name } } as const;
        await log(actor, `Created the replay set ${name}`, note, "create");
        return ok({ id: created });
      },
      { body: newSet },
    )
    .delete(
      "/sets",
      async ({ actor, query }) => {
        const name = await deleteReplaySet(db, query.id);
        const note = { code: "replay_set_deleted", params: { name } } as const;
        await log(actor, `Deleted the requests ${name}`, note, "delete");
        return ok(null);
      },
      { query: t.Object({ id }) },
    )
    .get("/evaluations/one", async ({ query: { id, p = 0 } }) => ok(await readEvaluation(db, id, p)), {
      query: t.Object({
        id,
        p: t.Optional(integer({ minimum: 0, maximum: 1_000, description: "From 0." })),
      }),
    })
    .post(
      "/evaluations",
      async ({ actor, body }) => {
        const { set_id: setId, name, target, judge, max_usd: maxUsd = 1 } = body;
        const { max_concurrent: maxConcurrent = DEFAULT_CONCURRENT } = body;
        const rule = judge ? { group: "default", instructions: "", ...judge } : null;
        const evaluation = {
          setId,
          name,
          target,
          judge: rule,
          maxUsd,
          maxConcurrent,
        };
        const created = await createEvaluation(db, actor.id, unit(), evaluation);
        await log(actor, `Started ${name}`, { code: "evaluation_started", params: { name } }, "create");
        return ok({ id: created });
      },
      { body: newEvaluation },
    )
    .post(
      "/evaluations/stop",
      async ({ actor, body }) => {
        const name = await stopEvaluation(db, body.id);
        await log(actor, `Stopped ${name}`, { code: "evaluation_stopped", params: { name } }, "update");
        return ok(null);
      },
      { body: t.Object({ id }) },
    )
    .post(
      "/evaluations/resume",
      async ({ actor, body }) => {
        const name = await resumeEvaluation(db, body.id, unit(), body.max_usd);
        await log(actor, `Started ${name}`, { code: "evaluation_started", params: { name } }, "update");
        return ok(null);
      },
      { body: t.Object({ id, max_usd: t.Optional(usd) }) },
    )
    .delete(
      "/evaluations",
      async ({ actor, query }) => {
        const name = await deleteEvaluation(db, query.id);
        await log(actor, `Deleted ${name}`, { code: "evaluation_deleted", params: { name } }, "delete");
        return ok(null);
      },
      { query: t.Object({ id }) },
    );
}
