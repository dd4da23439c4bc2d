import { Elysia } from "elysia";
import type { GatewayContext } from "../../call/context.ts";
import { orderFollowUp } from "./follow-up.ts";
import { removeVideo, showContent, showVideos } from "./kept-videos.ts";
import { fetchVideo, orderVideo } from "./video.ts";

const unread = { parse: "none" } as const;

/** Videos behind a version: OpenAI's way and the ecosystem's. */
export const videoRoutes = (context: GatewayContext, prefix: string) =>
  new Elysia({ name: `relay${prefix}/videos`, prefix })
    .post("/videos", ({ request, server }) => orderVideo(context, request, server, "videos"), unread)
    .get("/videos", ({ request, server }) => showVideos(context, request, server))
    .post("/videos/edits", ({ request, server }) => orderFollowUp(context, request, server, "edit"), unread)
    .post("/videos/extensions", ({ request, server }) => orderFollowUp(context, request, server, "extension"), unread)
    .get("/videos/:id", ({ request, server, params }) => fetchVideo(context, request, server, "videos", params.id))
    .delete("/videos/:id", ({ request, server, params }) => removeVideo(context, request, server, params.id), unread)
    .get("/videos/:id/content", ({ request, server, params }) => showContent(context, request, server, params.id))
    .post(
      "/videos/:id/remix",
      ({ request, server, params }) => orderFollowUp(context, request, server, "remix", params.id),
      unread,
    )
    .post("/video/generations", ({ request, server }) => orderVideo(context, request, server, "generations"), unread)
    .get("/video/generations/:id", ({ request, server, params }) =>
      fetchVideo(context, request, server, "generations", params.id),
    );
