import { Elysia } from "elysia";
import type { GatewayContext } from "../../call/context.ts";
import { PREFLIGHT_HEADERS } from "../../http/headers.ts";
import { fetchSong, listSongs, submitMusic } from "./music.ts";

const unread = { parse: "none" } as const;

/** The music protocol under /suno. */
export function musicRoutes(context: GatewayContext) {
  const app = new Elysia({ name: "relay/suno", prefix: "/suno" })
    .post(
      "/submit/:action",
      ({ request, server, params }) => submitMusic(context, request, server, params.action),
      unread,
    )
    .post("/fetch", ({ request, server }) => listSongs(context, request, server), unread)
    .get("/fetch/:id", ({ request, server, params }) => fetchSong(context, request, server, params.id));
  return app.options("/*", () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS }));
}
