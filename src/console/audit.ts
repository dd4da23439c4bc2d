import { Elysia, t } from "elysia";
import type { Db } from "../../db/types.ts";
import { listAudit } from "../logs/list-audit.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";
import { pagingQuery, readPaging } from "./paging.ts";
import { timestamp } from "./query-fields.ts";

const text = t.Optional(t.String({ maxLength: 200 }));

/** What administrators did. */
export const auditRoutes = ({ db }: Readonly<{ db: Db }>, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/audit", name: "console/audit" }).use(guarded).get(
    "/",
    async ({ query }) => {
      const { page, pageSize } = readPaging(query, 1);
      const { actor, target, action, start_timestamp: start, end_timestamp: end } = query;
      const filter = {
        ...(actor && { actor }),
        ...(target && { target }),
        ...(action && { action }),
        ...(start && { start: Math.ceil(start) }),
        ...(end && { end: Math.trunc(end) }),
      };
      const { items, total } = await listAudit(db, filter, { page, pageSize });
      return ok({ items, total, page: page + 1, page_size: pageSize });
    },
    {
      role: "admin",
      query: t.Object({
        ...pagingQuery,
        actor: text,
        target: text,
        action: text,
        start_timestamp: timestamp(),
        end_timestamp: timestamp(),
      }),
    },
  );
