import { Elysia, t } from "elysia";
import type { Changes } from "../../db/changes.ts";
import type { Db } from "../../db/types.ts";
import { listUsers, type UserFilter } from "../accounts/list-users.ts";
import { checkReach, manageUser, USER_ACTIONS } from "../accounts/manage-user.ts";
import { viewUser } from "../accounts/user-view.ts";
import { OperationError } from "../lib/operation-error.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";
import { pagingQuery, readPaging } from "./paging.ts";

const listQuery = t.Object({ ...pagingQuery, keyword: t.Optional(t.String()), group: t.Optional(t.String()) });

/** User administration. */
export function userRoutes(services: Readonly<{ db: Db; changes: Changes }>, guarded: ReturnType<typeof guard>) {
  const list = async ({ query }: { query: typeof listQuery.static }) => {
    const { page, pageSize } = readPaging(query, 1);
    const { items, total } = await listUsers(services.db, filterOf(query), { page, pageSize });
    return ok({ items, total, page: page + 1, page_size: pageSize });
  };
  return new Elysia({ prefix: "/api/user", name: "console/users" })
    .use(guarded)
    .get("/", list, { role: "admin", query: listQuery })
    .get("/search", list, { role: "admin", query: listQuery })
    .get(
      "/:id",
      async ({ actor, params }) => {
        const user = await viewUser(services.db, params.id);
        if (user.id !== actor.id) checkReach(actor, user);
        return ok(user);
      },
      { role: "admin", params: t.Object({ id: t.Integer({ minimum: 1, maximum: 2_147_483_647 }) }) },
    )
    .post(
      "/manage",
      async ({ actor, body }) => {
        const action = USER_ACTIONS.find((known) => known === body.action);
        if (!action) throw new OperationError("unknown_user_action", { action: body.action.slice(0, 40) });
        return ok(await manageUser(services, actor, { id: body.id, action }));
      },
      {
        role: "admin",
        body: t.Object({ id: t.Integer({ minimum: 1, maximum: 2_147_483_647 }), action: t.String() }),
      },
    );
}

const filterOf = ({ keyword, group }: typeof listQuery.static): UserFilter => ({
  ...(keyword && { keyword }),
  ...(group && { group }),
});
