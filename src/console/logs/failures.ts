import { Elysia, t } from "elysia";
import type { Reads } from "../../../db/server/replica.ts";
import type { Db } from "../../../db/types.ts";
import { decideFailure, readFailures } from "../../domain/logs/failures/read-failures.ts";
import { nowSeconds } from "../../lib/clock.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { timestamp } from "../http/paging.ts";

const DAY_S = 86_400;

const query = t.Object({ start_timestamp: timestamp(), end_timestamp: timestamp() });
const body = t.Object({
  cause: t.String({ minLength: 1, maxLength: 400, description: "The group's `cause`." }),
  state: t.Union([t.Literal("open"), t.Literal("muted"), t.Literal("resolved")]),
});

const periodOf = ({ start_timestamp: start, end_timestamp: end }: typeof query.static) => ({
  start: Math.ceil(start || nowSeconds() - DAY_S),
  end: Math.trunc(end || nowSeconds()),
});

/** Failed calls by their cause, and what was decided about them: all users' for administrators, the caller's own under /self. */
export const failureRoutes = ({ db, reads }: Readonly<{ db: Db; reads: Reads }>, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/failures", name: "console/failures" })
    .use(guarded)
    .get("/", async ({ query: input }) => ok(await reads.read((log) => readFailures(log, periodOf(input)))), {
      role: "admin",
      query,
    })
    .post(
      "/",
      async ({ actor, body: { cause, state } }) => {
        await decideFailure(db, 0, cause, { state, by: actor.id, now: nowSeconds() });
        return ok(null);
      },
      { role: "admin", body },
    )
    .get(
      "/self",
      async ({ actor, query: input }) =>
        ok(await reads.read((log) => readFailures(log, { ...periodOf(input), userId: actor.id }))),
      { account: "requests.read", query },
    )
    .post(
      "/self",
      async ({ actor, body: { cause, state } }) => {
        await decideFailure(db, actor.id, cause, { state, by: actor.id, now: nowSeconds() });
        return ok(null);
      },
      { account: "alerts.manage", body },
    );
