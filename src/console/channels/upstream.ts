import { Elysia, t } from "elysia";
import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";
import { resolveKey } from "../../domain/channels/keys/key-references.ts";
import { firstKey, isMasked, splitKeys } from "../../domain/channels/keys/keys.ts";
import { checkReferences } from "../../domain/channels/manage/channel-input.ts";
import { readForecast } from "../../domain/channels/manage/forecast.ts";
import { takeOverModels } from "../../domain/channels/manage/take-over-models.ts";
import type { OnDisabled } from "../../domain/channels/status/set-status.ts";
import { callUrlOf } from "../../domain/channels/upstream/call-url.ts";
import { fetchModels, refreshModelList, viewModelList } from "../../domain/channels/upstream/model-list.ts";
import { proxyOf } from "../../domain/channels/upstream/request-options.ts";
import type { ChannelTester } from "../../domain/channels/upstream/test-all.ts";
import {
  type BalanceReading,
  updateAllBalances,
  updateBalance,
} from "../../domain/channels/upstream/update-balance.ts";
import { parseJson, recordOf } from "../../formats/json.ts";
import { languageOf, say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Vault } from "../../lib/security/crypto.ts";
import type { SecretReader } from "../../lib/security/secret-references/secret-reader.ts";
import type { SettingsReader } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer, rowId } from "../http/integers.ts";

type Services = Readonly<{
  db: Db;
  changes: Changes;
  channels: ChannelDirectory;
  tester: ChannelTester;
  fetch: SafeFetch;
  vault: Vault;
  settings: SettingsReader;
  onLowBalance: (channel: ChannelEntry, reading: BalanceReading, limit: number) => void;
  onDisabled: OnDisabled;
  secretReader?: SecretReader;
}>;

const id = t.Object({ id: rowId });

const names = t.Optional(t.Array(t.String({ minLength: 1, maxLength: 255 }), { maxItems: 10_000 }));

/** The fields of an unsaved channel that its model list depends on. */
const modelListForm = t.Object({
  type: integer(),
  key: t.String(),
  base_url: t.Optional(t.String()),
  other: t.Optional(t.String()),
  openai_organization: t.Optional(t.String()),
  /** JSON text, as channels store it. */
  setting: t.Optional(t.String()),
});

/** The fields of a form that the URL of its calls depends on. */
const callUrlForm = t.Object({
  type: integer(),
  base_url: t.String({ maxLength: 2000 }),
  other: t.Optional(t.String()),
  model: t.Optional(t.String({ maxLength: 255 })),
  /** Absent: the key of the stored channel `id`, if there is one. Only a region or a project in it is used. */
  key: t.Optional(t.String()),
  id: t.Optional(rowId),
});

/** Routes that query an upstream: tests, model lists, balances. */
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
        const { success, message, elapsedMs, model, isAssumed } = await tester.test(params.id, query.model);
        const time = elapsedMs / 1000;
        const assumed = isAssumed ? { assumed: true } : {};
        if (success) return { ...ok({ model }), time, ...assumed };
        return {
          success: false,
          message: say("channel_test_failed", languageOf(request), { reason: message }),
          time,
          ...assumed,
        };
      },
      { params: id, query: t.Object({ model: t.Optional(t.String()) }) },
    )
    .get(
      "/fetch_models/:id",
      async ({ params }) => {
        const channel = find(params.id);
        return ok(await fetchModels(fetch, { ...channel, key: firstKey(channel), proxy: proxyOf(channel) }));
      },
      { params: id },
    )
    .post(
      "/fetch_models",
      async ({ body, actor }) => {
        checkReferences(actor, body.key, body.type);
        // A form that was shown a masked key has none: the stored one goes to its own address only.
        if (isMasked(body.key)) throw new OperationError("channel_key_masked");
        const [storedKey = ""] = splitKeys(body.type, body.key);
        const key = await resolveKey(services.secretReader, storedKey);
        const setting = body.setting?.trim() ? recordOf(parseJson(body.setting)) : {};
        if (!setting) throw new OperationError("channel_setting_invalid");
        const { type, base_url: baseUrl = "", other, openai_organization: openaiOrganization } = body;
        const channel = { type, baseUrl, key, other: other?.trim(), openaiOrganization: openaiOrganization?.trim() };
        return ok(await fetchModels(fetch, { ...channel, proxy: proxyOf({ setting }) }));
      },
      { body: modelListForm },
    )
    .post(
      "/call_url",
      ({ body: { type, base_url: baseUrl, other = "", model = "", key = "", id } }) => {
        const stored = id === undefined ? undefined : channels.get(id);
        const [typed = ""] = isMasked(key) ? [] : splitKeys(type, key);
        return ok(callUrlOf({ type, baseUrl, other, model, key: typed || (stored ? firstKey(stored) : "") }));
      },
      { body: callUrlForm },
    )
    .get(
      "/update_balance/:id",
      async ({ params }) => {
        const { amount: balance, currency } = await updateBalance(services, find(params.id));
        return { ...ok(null), balance, currency };
      },
      { params: id },
    )
    .get("/forecast", async ({ query }) => ok(await readForecast(services, query.ids.split(",").map(Number))), {
      query: t.Object({ ids: t.String({ pattern: "^\\d{1,9}(,\\d{1,9}){0,199}$" }) }),
    })
    .get(
      "/:id/model_list",
      async ({ params, request }) => ok(await viewModelList(services.db, find(params.id), languageOf(request))),
      { params: id },
    )
    .post(
      "/:id/model_list/refresh",
      async ({ params, request }) => {
        const channel = find(params.id);
        await refreshModelList(services, channel);
        return ok(await viewModelList(services.db, channel, languageOf(request)));
      },
      { params: id },
    )
    .post(
      "/:id/model_list/take",
      async ({ actor, params, body }) => {
        await takeOverModels(services, actor, find(params.id), { add: [], remove: [], ignore: [], ...body });
        return ok(null);
      },
      { params: id, body: t.Object({ add: names, remove: names, ignore: names }) },
    )
    .get("/update_balance", async () => ok(await updateAllBalances(services, channels.all())));
}
