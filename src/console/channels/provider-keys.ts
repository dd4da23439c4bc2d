import { Elysia, t } from "elysia";
import {
  countProviderKeys,
  createProviderKey,
  deleteProviderKey,
  listProviderKeys,
  offerOf,
  type ProviderKeyDeps,
  updateProviderKey,
} from "../../domain/channels/provider-keys/save-key.ts";
import { testProviderKey } from "../../domain/channels/provider-keys/test-key.ts";
import { readProviderKeyDays } from "../../domain/logs/usage/totals/read-day-sums.ts";
import { dayQuery, daysOf } from "../http/day-query.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";

type Services = ProviderKeyDeps & Omit<Parameters<typeof testProviderKey>[0], keyof ProviderKeyDeps>;

const body = t.Object({
  name: t.String({ maxLength: 200 }),
  provider: t.String({ maxLength: 60, description: "Its name, such as openai." }),
  key: t.Optional(
    t.String({ maxLength: 1_000, description: "The secret; never sent back. Absent: it stays as it is." }),
  ),
  models: t.Array(t.String({ maxLength: 500 }), {
    maxItems: 1_000,
    description: "Names and patterns of the models that it is for; * stands for all.",
  }),
  mode: t.Union([t.Literal("first"), t.Literal("only")], {
    description: "first: channels of the site take over when it fails; only: they never do.",
  }),
  enabled: t.Boolean(),
});
const params = t.Object({ id: rowId });

/** Keys at providers of the account that the request acts for; keys of other accounts are never reachable. */
export const providerKeyRoutes = (services: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/provider_keys", name: "console/provider-keys" })
    .use(guarded)
    .get("/", async ({ actor }) => ok(await listProviderKeys(services, actor.id)), { account: "keys.read" })
    .get("/offer", ({ actor }) => ok(offerOf(services.settings, actor.group)), { account: "keys.read" })
    .get("/count", async () => ok(await countProviderKeys(services)), { role: "admin" })
    .get("/usage", async ({ query }) => ok(await readProviderKeyDays(services.db, daysOf(query))), {
      role: "admin",
      query: dayQuery,
    })
    .post("/", async ({ body, ...acting }) => ok({ id: await createProviderKey(services, acting, body) }), {
      account: "keys.all",
      body,
    })
    .put(
      "/:id",
      async ({ body, params: { id }, ...acting }) => {
        await updateProviderKey(services, acting, id, body);
        return ok(null);
      },
      { account: "keys.all", body, params },
    )
    .post("/:id/test", async ({ params: { id }, ...acting }) => ok(await testProviderKey(services, acting, id)), {
      account: "keys.all",
      params,
    })
    .delete(
      "/:id",
      async ({ params: { id }, ...acting }) => {
        await deleteProviderKey(services, acting, id);
        return ok(null);
      },
      { account: "keys.all", params },
    );
