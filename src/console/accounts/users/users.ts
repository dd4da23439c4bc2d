import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { checkReach } from "../../../domain/accounts/access/check-reach.ts";
import { addUser } from "../../../domain/accounts/users/add-user.ts";
import { exportUsers, listUsers, USER_SORTS, type UserFilter } from "../../../domain/accounts/users/list-users.ts";
import { manageUser, USER_ACTIONS } from "../../../domain/accounts/users/manage-user.ts";
import { MOST_USERS_AT_ONCE, manageUsers } from "../../../domain/accounts/users/manage-users.ts";
import { updateUser } from "../../../domain/accounts/users/update-user.ts";
import { viewUserForAdmins } from "../../../domain/accounts/users/user-view.ts";
import { languageOf, say } from "../../../lib/messages.ts";
import { OperationError } from "../../../lib/operation-error.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { csvFile } from "../../http/csv-file.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId as id, integer } from "../../http/integers.ts";
import { integerField, pagedSorted, pagingQuery, sortingQuery } from "../../http/paging.ts";

const text = (maxLength: number) => t.Optional(t.String({ maxLength }));
const filterQuery = {
  keyword: text(200),
  group: text(200),
  role: integerField(),
  status: integerField(),
  kind: t.Optional(t.Union([t.Literal("person"), t.Literal("organization"), t.Literal("")])),
};
const listQuery = t.Object({ ...pagingQuery, ...sortingQuery(USER_SORTS), ...filterQuery });

/** User administration. */
export function userRoutes(
  services: Readonly<{ db: Db; changes: Changes; vault: Vault; settings: SettingsReader }>,
  guarded: ReturnType<typeof guard>,
) {
  const { db } = services;
  const list = ({ query }: { query: typeof listQuery.static }) =>
    pagedSorted(USER_SORTS, query, (page) => listUsers(db, filterOf(query), page));
  return new Elysia({ prefix: "/api/user", name: "console/users" })
    .use(guarded)
    .get("/", list, { role: "admin", query: listQuery })
    .get("/search", list, { role: "admin", query: listQuery })
    .get(
      "/export",
      ({ query }) => csvFile("users", exportUsers(db, filterOf(query), services.settings.get("QuotaPerUnit"))),
      {
        role: "admin",
        query: t.Object(filterQuery),
      },
    )
    .get(
      "/:id",
      async ({ actor, params }) => {
        const user = await viewUserForAdmins(db, params.id);
        if (user.id !== actor.id) checkReach(actor, { role: user.role, adminRoleId: user.admin_role_id || null });
        return ok(user);
      },
      { role: "admin", params: t.Object({ id }) },
    )
    .post("/", async ({ actor, body }) => ok({ id: await addUser(services, actor, body) }), {
      role: "admin",
      body: t.Object({
        username: t.String({ maxLength: 200 }),
        password: t.String({ maxLength: 200 }),
        display_name: text(200),
        role: t.Optional(integer()),
      }),
    })
    .put(
      "/",
      async ({ actor, body }) => {
        await updateUser(services, actor, body);
        return ok(await viewUserForAdmins(db, body.id));
      },
      {
        role: "admin",
        body: t.Object({
          id,
          username: text(200),
          display_name: text(200),
          group: text(200),
          password: text(200),
          quota: t.Optional(t.Number()),
          quota_delta: t.Optional(t.Number()),
          role: t.Optional(integer()),
          note: text(10_000),
          max_concurrency: t.Optional(t.Number()),
          requests_per_minute: t.Optional(t.Number()),
        }),
      },
    )
    .post(
      "/manage",
      async ({ actor, body }) => {
        const action = USER_ACTIONS.find((known) => known === body.action);
        if (!action) throw new OperationError("unknown_user_action", { action: body.action.slice(0, 40) });
        return ok(await manageUser(services, actor, { id: body.id, action }));
      },
      { role: "admin", body: t.Object({ id, action: t.String() }) },
    )
    .post(
      "/manage/batch",
      async ({ actor, body, request }) => {
        const outcomes = await manageUsers(services, actor, body);
        return ok(
          outcomes.map(({ id: user, error }) => ({
            id: user,
            success: error === null,
            message: error ? say(error.code, languageOf(request), error.params) : "",
          })),
        );
      },
      {
        role: "admin",
        body: t.Object({
          ids: t.Array(id, { maxItems: MOST_USERS_AT_ONCE }),
          action: t.Union([t.Literal("enable"), t.Literal("disable"), t.Literal("delete"), t.Literal("group")]),
          group: text(200),
        }),
      },
    )
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await manageUser(services, actor, { id: params.id, action: "delete" });
        return ok(null);
      },
      { role: "admin", params: t.Object({ id }) },
    );
}

const filterOf = ({ keyword, group, role, status, kind }: Omit<typeof listQuery.static, "p">): UserFilter => ({
  ...(keyword && { keyword }),
  ...(group && { group }),
  ...(role && { role }),
  ...(status && { status }),
  ...(kind && { kind }),
});
