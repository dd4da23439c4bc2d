import { Elysia, t } from "elysia";
import { mayReadKeys } from "../../domain/channels/manage/key-destination.ts";
import { LARGEST_BATCH } from "../../domain/channels/manage/list-channels.ts";
import {
  exportChannels,
  importChannels,
  type PlannedChannel,
  planChannelImport,
} from "../../domain/channels/manage/transfer.ts";
import type { ChannelDeps } from "../../domain/channels/operation.ts";
import { languageOf, say } from "../../lib/messages.ts";
import { OperationError } from "../../lib/operation-error.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { integer } from "../http/integers.ts";
import { channelBody, channelIds } from "./channels.ts";

const entry = t.Object({
  ...channelBody,
  type: integer({ minimum: 1, maximum: 100_000 }),
  name: t.String({ minLength: 1, maxLength: 200 }),
});
const body = t.Object({ channels: t.Array(entry, { maxItems: LARGEST_BATCH }) });

/** Exports and imports channels as one document; keys are included only when a super admin requests them. */
export function channelTransferRoutes(
  services: ChannelDeps & Readonly<{ version: string }>,
  guarded: ReturnType<typeof guard>,
) {
  const reported = (request: Request, { error, ...plan }: PlannedChannel) => ({
    ...plan,
    message: error ? say(error.code, languageOf(request), error.params) : "",
  });
  return new Elysia({ prefix: "/api/channel", name: "console/channel-transfer" })
    .use(guarded)
    .guard({ role: "admin" })
    .post(
      "/export",
      async ({ actor, body: { ids = null, secrets = false } }) => {
        if (secrets && !mayReadKeys(actor)) throw new OperationError("permission_denied");
        const channels = await exportChannels(services, actor, ids, secrets);
        return ok({ format: "sluice-channels", version: services.version, has_secrets: secrets, channels });
      },
      { body: t.Object({ ids: t.Optional(channelIds), secrets: t.Optional(t.Boolean()) }) },
    )
    .post(
      "/import/preview",
      async ({ actor, body: { channels }, request }) =>
        ok((await planChannelImport(services, actor, channels)).map((plan) => reported(request, plan))),
      { body },
    )
    .post(
      "/import",
      async ({ actor, body: { channels }, request }) => {
        const { refused, ...done } = await importChannels(services, actor, channels);
        return ok({ ...done, refused: refused.map((plan) => reported(request, plan)) });
      },
      { body },
    );
}
