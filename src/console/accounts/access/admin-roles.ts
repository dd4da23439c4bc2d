import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import {
  assignAdminRole,
  createAdminRole,
  deleteAdminRole,
  listAdminRoles,
  updateAdminRole,
} from "../../../domain/accounts/access/admin-roles.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { rowId as id, integer } from "../../http/integers.ts";

const MOST_RIGHTS = 100;
const params = t.Object({ id });
const body = t.Object({
  name: t.String({ maxLength: 200 }),
  rights: t.Array(t.String({ maxLength: 40 }), {
    maxItems: MOST_RIGHTS,
    description: "Cells of the matrix, such as `channels:read`.",
  }),
});

/** Custom roles, and who has which. For super administrators: nobody can give rights that they lack themselves. */
export const adminRoleRoutes = (services: Readonly<{ db: Db; changes: Changes }>, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/admin_role", name: "console/admin-roles" })
    .use(guarded)
    .guard({ role: "root" })
    .get("/", async () => ok(await listAdminRoles(services.db)))
    .post("/", async ({ actor, body }) => ok(await createAdminRole(services, actor, body)), { body })
    .put("/:id", async ({ actor, params, body }) => ok(await updateAdminRole(services, actor, params.id, body)), {
      params,
      body,
    })
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await deleteAdminRole(services, actor, params.id);
        return ok(null);
      },
      { params },
    )
    .put(
      "/users/:id",
      async ({ actor, params, body }) => {
        const roleId = body.role_id === 0 ? null : body.role_id;
        await assignAdminRole(services, actor, { userId: params.id, roleId });
        return ok(null);
      },
      {
        params,
        body: t.Object({ role_id: integer({ minimum: 0, maximum: 2_147_483_647, description: "0: none." }) }),
      },
    );
