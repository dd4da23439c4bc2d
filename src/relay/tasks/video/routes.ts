import { Elysia } from "elysia";
import type { RelayContext } from "../../context.ts";
import { fetchVideo, orderVideo, showVideo } from "./video.ts";

const unread = { parse: "none" } as const;

/** Videos behind a version: OpenAI's way and the ecosystem's. */
export const videoRoutes = (context: RelayContext, prefix: string) =>
  new Elysia({ name: `relay${prefix}/videos`, prefix })
    .post("/videos", ({ request, server }) => orderVideo(context, request, server, "videos"), unread)
    .get("/videos/:id", ({ request, server, params }) => fetchVideo(context, request, server, "videos", params.id))
    .get("/videos/:id/content", ({ request, server, params }) => showVideo(context, request, server, params.id))
    .post("/video/generations", ({ request, server }) => orderVideo(context, request, server, "generations"), unread)
    .get("/video/generations/:id", ({ request, server, params }) =>
      fetchVideo(context, request, server, "generations", params.id),
    );
