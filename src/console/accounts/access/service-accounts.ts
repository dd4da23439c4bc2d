import { Elysia, t } from "elysia";
import type { Changes } from "../../../../db/changes.ts";
import type { Db } from "../../../../db/types.ts";
import { requireSession } from "../../../domain/accounts/sign-in/confirm-owner.ts";
import {
  createServiceAccount,
  deleteServiceAccount,
  listServiceAccounts,
  rotateServiceToken,
  updateServiceAccount,
} from "../../../domain/accounts/users/service-accounts.ts";
import type { Vault } from "../../../lib/security/crypto.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";
import { integer, rowId } from "../../http/integers.ts";

type Services = Readonly<{ db: Db; changes: Changes; vault: Vault }>;

const LAST_SECOND = 253_402_300_799;
const MOST_RIGHTS = 100;

const params = t.Object({ id: rowId });
const fields = {
  rights: t.Array(t.String({ maxLength: 40 }), {
    maxItems: MOST_RIGHTS,
    description: "Cells of the matrix, such as `channels:read`.",
  }),
  expires_time: integer({ minimum: 0, maximum: LAST_SECOND, description: "Epoch seconds; 0: never." }),
};

/**
 * Service accounts, for super administrators. Whoever has found an access token can't make tokens that outlive it: what
 * shows a token needs a session.
 */
export const serviceAccountRoutes = (services: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/service_account", name: "console/service-accounts" })
    .use(guarded)
    .guard({ role: "root" })
    .get("/", async () => ok(await listServiceAccounts(services.db)))
    .post(
      "/",
      async ({ actor, session, body }) => {
        requireSession(session);
        return ok(await createServiceAccount(services, actor, body));
      },
      { body: t.Object({ name: t.String({ maxLength: 200 }), ...fields }) },
    )
    .put("/:id", async ({ actor, params, body }) => ok(await updateServiceAccount(services, actor, params.id, body)), {
      params,
      body: t.Object(fields),
    })
    .post(
      "/:id/rotate",
      async ({ actor, session, params }) => {
        requireSession(session);
        return ok(await rotateServiceToken(services, actor, params.id));
      },
      { params },
    )
    .delete(
      "/:id",
      async ({ actor, params }) => {
        await deleteServiceAccount(services, actor, params.id);
        return ok(null);
      },
      { params },
    );
