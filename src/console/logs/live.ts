import { Elysia } from "elysia";
import type { Database } from "../../../db/types.ts";
import type { CallFeed } from "../../domain/logs/live/call-feed.ts";
import { type LiveCalls, streamCalls } from "../../domain/logs/live/stream-calls.ts";
import type { Streamed } from "../../lib/http/sse.ts";
import type { Logger } from "../../lib/runtime/log.ts";
import type { guard } from "../http/guard.ts";

/** Requests as they happen, as server-sent events. */
export const liveRoutes = (
  services: Readonly<{ database: Database; feed: CallFeed; log: Logger }>,
  guarded: ReturnType<typeof guard>,
) =>
  new Elysia({ prefix: "/api/live", name: "console/live" }).use(guarded).get(
    "/calls",
    (): Streamed<LiveCalls> =>
      new Response(streamCalls(services), {
        headers: {
          "content-type": "text/event-stream; charset=utf-8",
          "cache-control": "no-store",
          "x-accel-buffering": "no",
        },
      }),
    { role: "admin" },
  );
