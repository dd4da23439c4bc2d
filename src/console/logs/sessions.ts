import { Elysia, t } from "elysia";
import { logOf } from "../../../db/server/log-database.ts";
import type { Db } from "../../../db/types.ts";
import { listSessions, readSession } from "../../domain/logs/sessions/read-sessions.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";

const list = t.Object({ search: t.Optional(t.String({ maxLength: 200 })) });
const id = t.String({ minLength: 1, maxLength: 200 });

/** Runs of agents: all users' for administrators, the caller's own under /self. */
export const agentSessionRoutes = ({ db: main }: Readonly<{ db: Db }>, guarded: ReturnType<typeof guard>) => {
  const db = logOf(main);
  return new Elysia({ prefix: "/api/sessions", name: "console/agent-sessions" })
    .use(guarded)
    .get("/", async ({ query: { search = "" } }) => ok(await listSessions(db, { userId: null, search })), {
      role: "admin",
      query: list,
    })
    .get(
      "/self",
      async ({ actor, query: { search = "" } }) => ok(await listSessions(db, { userId: actor.id, search })),
      {
        account: "requests.read",
        query: list,
      },
    )
    .get("/one", async ({ query }) => ok(await readSession(db, query.user_id, query.id)), {
      role: "admin",
      query: t.Object({ id, user_id: rowId }),
    })
    .get("/self/one", async ({ actor, query }) => ok(await readSession(db, actor.id, query.id)), {
      account: "requests.read",
      query: t.Object({ id }),
    });
};
