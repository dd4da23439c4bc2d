import { Elysia } from "elysia";
import type { ChannelDirectory } from "../channels/directory.ts";
import { CHANNEL_STATUS } from "../channels/entry.ts";
import { channelTypes } from "../providers/registry.ts";
import { ok } from "./envelope.ts";
import type { guard } from "./guard.ts";

/** What models there are: built into the channel types, and enabled by channels. */
export function modelRoutes({ channels }: Readonly<{ channels: ChannelDirectory }>, guarded: ReturnType<typeof guard>) {
  return new Elysia({ prefix: "/api", name: "console/models" })
    .use(guarded)
    .get("/models", () => ok(Object.fromEntries(channelTypes.map(({ id, models }) => [id, models]))), { role: "user" })
    .get("/channel_types", () => ok(channelTypes), { role: "admin" })
    .get(
      "/channel/models",
      () => {
        const names = new Set(channelTypes.flatMap(({ models }) => models));
        return ok([...names].sort().map((id) => ({ id, object: "model" as const })));
      },
      { role: "admin" },
    )
    .get(
      "/channel/models_enabled",
      () => {
        const enabled = [...channels.all()].filter(({ status }) => status === CHANNEL_STATUS.enabled);
        return ok(
          [...new Set(enabled.flatMap(({ models, modelPrefix }) => models.map((name) => modelPrefix + name)))].sort(),
        );
      },
      { role: "admin" },
    );
}
