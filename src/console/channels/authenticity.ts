import { Elysia, t } from "elysia";
import type { Changes } from "../../../db/changes.ts";
import type { Db } from "../../../db/types.ts";
import { checkChannel, listChannelChecks } from "../../domain/channels/authenticity/check-channel.ts";
import type { CountTokens } from "../../domain/channels/authenticity/collect-evidence.ts";
import type { ChannelDirectory } from "../../domain/channels/directory.ts";
import { writeManagementLog } from "../../domain/logs/write-log.ts";
import { OperationError } from "../../lib/operation-error.ts";
import type { SafeFetch } from "../../lib/outbound/safe-fetch.ts";
import type { Settings } from "../../settings/settings.ts";
import { ok } from "../http/envelope.ts";
import type { guard } from "../http/guard.ts";
import { rowId } from "../http/integers.ts";

type Services = Readonly<{
  db: Db;
  changes: Changes;
  channels: ChannelDirectory;
  fetch: SafeFetch;
  settings: Settings;
  countTokens: CountTokens;
}>;

/** Checks whether channels serve the models that they claim to, for administrators. */
export const channelCheckRoutes = (services: Services, guarded: ReturnType<typeof guard>) =>
  new Elysia({ prefix: "/api/channel-checks", name: "console/channel-checks" })
    .use(guarded)
    .guard({ role: "admin" })
    .get("/", async () => ok(await listChannelChecks(services.db, services.settings, services.channels)))
    .post(
      "/",
      async ({ actor, body: { channel_id: id, model } }) => {
        const channel = services.channels.get(id);
        if (!channel) throw new OperationError("channel_not_found");
        const result = await checkChannel(services, channel, model);
        await writeManagementLog(services.db, actor, `Checked the model ${model} of the channel ${channel.name}`, {
          note: { code: "channel_checked", params: { name: channel.name, model } },
          action: "update",
        });
        return ok(result);
      },
      {
        body: t.Object({
          channel_id: rowId,
          model: t.String({ minLength: 1, maxLength: 255 }),
        }),
      },
    );
