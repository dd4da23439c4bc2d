import { Elysia, t } from "elysia";
import type { Db } from "../../../../db/types.ts";
import {
  deleteChat,
  listChats,
  readChat,
  saveChat,
  switchHistory,
} from "../../../domain/accounts/profile/stored-chats.ts";
import type { SettingsReader } from "../../../settings/settings.ts";
import { ok } from "../../http/envelope.ts";
import type { guard } from "../../http/guard.ts";

type Services = Readonly<{ db: Db; settings: SettingsReader }>;

const MOST_BODY_CHARACTERS = 50_000_000;
const MOST_WORDS = 100_000;

const id = t.String({ format: "uuid" });
const chat = t.Object({
  title: t.String({ maxLength: 200 }),
  words: t.String({ maxLength: MOST_WORDS, description: "Questions and answers, for searching." }),
  body: t.String({ maxLength: MOST_BODY_CHARACTERS, description: "The chat as JSON text." }),
});

/** Chats of the playground that users store on the server. */
export function storedChatRoutes({ db, settings }: Services, guarded: ReturnType<typeof guard>) {
  const limitMegabytes = () => settings.get("PlaygroundStorageMegabytes");
  return new Elysia({ prefix: "/api/playground", name: "console/stored-chats" })
    .use(guarded)
    .get(
      "/chats",
      async ({ actor, query: { search = "" } }) => ok(await listChats(db, actor.id, search, limitMegabytes())),
      { role: "user", query: t.Object({ search: t.Optional(t.String({ maxLength: 200 })) }) },
    )
    .put("/history", async ({ actor, body }) => ok(await switchHistory(db, actor.id, body.enabled)), {
      role: "user",
      body: t.Object({ enabled: t.Boolean({ description: "Off deletes the stored chats." }) }),
    })
    .get("/chats/:id", async ({ actor, params }) => ok(await readChat(db, actor.id, params.id)), {
      role: "user",
      params: t.Object({ id }),
    })
    .put(
      "/chats/:id",
      async ({ actor, params, body }) => {
        const options = { limitMegabytes: limitMegabytes(), nowMs: Date.now() };
        await saveChat(db, actor.id, { ...body, id: params.id }, options);
        return ok(null);
      },
      { role: "user", params: t.Object({ id }), body: chat },
    )
    .delete(
      "/chats/:id",
      async ({ actor, params }) => {
        await deleteChat(db, actor.id, params.id);
        return ok(null);
      },
      { role: "user", params: t.Object({ id }) },
    );
}
