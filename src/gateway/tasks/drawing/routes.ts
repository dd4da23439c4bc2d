import { Elysia } from "elysia";
import type { GatewayContext } from "../../call/context.ts";
import { PREFLIGHT_HEADERS } from "../../http/headers.ts";
import { readSwap } from "./action.ts";
import { hearUpstream, showPicture } from "./open-addresses.ts";
import { fetchDrawing, imageSeed, listDrawings } from "./read-drawings.ts";
import { submitDrawing, submitNamed } from "./submit-drawing.ts";

const unread = { parse: "none" } as const;

/** The drawing protocol, also behind a mode: /mj/…, /mj-fast/mj/…, /fast/mj/… */
export function drawingRoutes(context: GatewayContext) {
  const app = new Elysia({ name: "relay/mj" }).use(protocol(context, "/mj")).use(protocol(context, "/:mode/mj"));
  return app
    .get("/mj/image/:signed", ({ request, params }) => showPicture(context, request, params.signed))
    .post("/mj/notify/:signed", ({ request, params }) => hearUpstream(context, request, params.signed), unread);
}

function protocol(context: GatewayContext, prefix: "/mj" | "/:mode/mj") {
  // Routes without a variable part have no `params` at all.
  const modeOf = (params: Readonly<Record<string, string>> | undefined): string => params?.mode ?? "";
  const app = new Elysia({ name: `relay${prefix}`, prefix })
    .post(
      "/submit/:action",
      ({ request, server, params }) => submitNamed(context, request, server, modeOf(params), params.action),
      unread,
    )
    .post(
      "/insight-face/swap",
      ({ request, server, params }) => submitDrawing(context, request, server, modeOf(params), readSwap),
      unread,
    )
    .get("/task/:id/fetch", ({ request, server, params }) => fetchDrawing(context, request, server, params.id))
    .get("/task/:id/image-seed", ({ request, server, params }) => imageSeed(context, request, server, params.id))
    .post("/task/list-by-condition", ({ request, server }) => listDrawings(context, request, server), unread);
  return app.options("/*", () => new Response(null, { status: 204, headers: PREFLIGHT_HEADERS }));
}
