import { Elysia, t } from "elysia";
import type { Changes } from "../../db/changes.ts";
import type { Db } from "../../db/types.ts";
import type { ChannelDirectory } from "../channels/directory.ts";
import { fetchModels } from "../channels/fetch-models.ts";
import { splitKeys } from "../channels/keys.ts";
import type { ChannelTester } from "../channels/test-all.ts";
import { updateAllBalances, updateBalance } from "../channels/update-balance.ts";
import { languageOf, say } from "../lib/messages.ts";
import { OperationError } from "../lib/operation-error.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";

type Services = Readonly<{
  db: Db;
  changes: Changes;
  channels: ChannelDirectory;
  tester: ChannelTester;
  fetch: SafeFetch;
}>;

const id = t.Object({ id: t.Integer({ minimum: 1, maximum: 2_147_483_647 }) });

/** Calls that ask an upstream something: tests, lists of models, balances. */
export function channelUpstreamRoutes(services: Services, guarded: ReturnType<typeof guard>) {
  const { channels, tester, fetch } = services;
  const find = (channelId: number) => {
    const channel = channels.get(channelId);
    if (!channel) throw new OperationError("channel_not_found");
    return channel;
  };
  return new Elysia({ prefix: "/api/channel", name: "console/channel-upstream" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/test", () => {
      tester.testAll();
      return ok(tester.progress());
    })
    .get("/test/progress", () => ok(tester.progress()))
    .post("/test/cancel", () => {
      tester.cancel();
      return ok(null);
    })
    .get(
      "/test/:id",
      async ({ params, query, request }) => {
        const { success, message, elapsedMs, model } = await tester.test(params.id, query.model);
        const time = elapsedMs / 1000;
        if (success) return { ...ok({ model }), time };
        return { success: false, message: say("channel_test_failed", languageOf(request), { reason: message }), time };
      },
      { params: id, query: t.Object({ model: t.Optional(t.String()) }) },
    )
    .get(
      "/fetch_models/:id",
      async ({ params }) => {
        const { keys, setting, ...channel } = find(params.id);
        const proxy = typeof setting.proxy === "string" ? setting.proxy : "";
        return ok(await fetchModels(fetch, { ...channel, key: keys[0] ?? "", proxy }));
      },
      { params: id },
    )
    .post(
      "/fetch_models",
      async ({ body }) => {
        const [key = ""] = splitKeys(body.type, body.key);
        return ok(await fetchModels(fetch, { type: body.type, baseUrl: body.base_url ?? "", key }));
      },
      { body: t.Object({ base_url: t.Optional(t.String()), type: t.Integer(), key: t.String() }) },
    )
    .get(
      "/update_balance/:id",
      async ({ params }) => {
        const balance = await updateBalance(services, find(params.id));
        return { ...ok(null), balance };
      },
      { params: id },
    )
    .get("/update_balance", async () => ok(await updateAllBalances(services, channels.all())));
}
