import type { GatewayContext } from "../../call/context.ts";
import { type Route, route } from "../../http/routes/route.ts";
import { readSwap } from "./action.ts";
import { handleNotification, showImage } from "./public-endpoints.ts";
import { fetchDrawing, imageSeed, listDrawings } from "./read-drawings.ts";
import { submitDrawing, submitNamed } from "./submit-drawing.ts";

/** The Midjourney protocol, under /mj and with a mode as prefix. */
export const drawingRoutes = (context: GatewayContext): readonly Route[] => [
  route("POST", "/submit/:action", ({ request, server, param }) =>
    submitNamed(context, request, server, param("mode"), param("action")),
  ),
  route("POST", "/insight-face/swap", ({ request, server, param }) =>
    submitDrawing(context, request, server, param("mode"), readSwap),
  ),
  route("GET", "/task/:id/fetch", ({ request, server, param }) => fetchDrawing(context, request, server, param("id"))),
  route("GET", "/task/:id/image-seed", ({ request, server, param }) =>
    imageSeed(context, request, server, param("id")),
  ),
  route("POST", "/task/list-by-condition", ({ request, server }) => listDrawings(context, request, server)),
];

/** Signed URLs under /mj, which need no API key. */
export const openDrawingRoutes = (context: GatewayContext): readonly Route[] => [
  route("GET", "/image/:signed", ({ request, param }) => showImage(context, request, param("signed"))),
  route("POST", "/notify/:signed", ({ request, param }) => handleNotification(context, request, param("signed"))),
];
