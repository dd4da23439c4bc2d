import type { GatewayContext } from "../../call/context.ts";
import { type Route, route } from "../../http/routes/route.ts";
import { fetchSong, listSongs, submitMusic } from "./music.ts";

/** The Suno protocol, under /suno. */
export const musicRoutes = (context: GatewayContext): readonly Route[] => [
  route("POST", "/submit/:action", ({ request, server, param }) =>
    submitMusic(context, request, server, param("action")),
  ),
  route("POST", "/fetch", ({ request, server }) => listSongs(context, request, server)),
  route("GET", "/fetch/:id", ({ request, server, param }) => fetchSong(context, request, server, param("id"))),
];
