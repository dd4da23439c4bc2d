import { Elysia, t } from "elysia";
import type { ReadLive } from "../../domain/channels/current-state.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { findKey, listKeys, switchKey } from "../../domain/channels/keys/manage-keys.ts";
import { viewLive } from "../../domain/channels/manage/channel-view.ts";
import type { ChannelDeps } from "../../domain/channels/operation.ts";
import { testChannel } from "../../domain/channels/upstream/test-channel.ts";
import { languageOf, say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";

type Services = ChannelDeps & Readonly<{ channels: ChannelDirectory; readLive: ReadLive; fetch: SafeFetch }>;

const params = t.Object({ id: rowId });
const keyId = t.String({ minLength: 1, maxLength: 128 });

/** Health of a channel and each of its keys; enables, disables and tests single keys. */
export function channelKeyRoutes(services: Services, guarded: ReturnType<typeof guard>) {
  const find = (id: number) => {
    const channel = services.channels.get(id);
    if (!channel) throw new OperationError("channel_not_found");
    return channel;
  };
  return new Elysia({ prefix: "/api/channel/:id", name: "console/channel-keys" })
    .use(guarded)
    .guard({ role: "admin" })
    .get(
      "/health",
      async ({ params: { id }, request }) => {
        const channel = find(id);
        const keys = await listKeys(services, channel, languageOf(request));
        return ok({ ...viewLive(channel, services.readLive(channel)), keys });
      },
      { params },
    )
    .post(
      "/keys/status",
      async ({ actor, params: { id }, body }) => ok(await switchKey(services, actor, find(id), body.key, body.enabled)),
      { params, body: t.Object({ key: keyId, enabled: t.Boolean() }) },
    )
    .post(
      "/keys/test",
      async ({ params: { id }, body, request }) => {
        const channel = find(id);
        const result = await testChannel(services, channel, body.model, findKey(services.vault, channel, body.key));
        const time = result.elapsedMs / 1000;
        if (result.success) return { ...ok({ model: result.model }), time };
        const message = say("channel_test_failed", languageOf(request), { reason: result.message });
        return { success: false, message, time };
      },
      { params, body: t.Object({ key: keyId, model: t.Optional(t.String({ maxLength: 255 })) }) },
    );
}
