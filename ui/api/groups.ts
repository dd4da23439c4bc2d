import { treaty } from "@elysiajs/eden/treaty2";
import type { AnyElysia } from "elysia";
import type { channelExplainRoutes } from "../../src/console/channel-explain.ts";
import type { channelKeyRoutes } from "../../src/console/channel-keys.ts";
import type { channelTransferRoutes } from "../../src/console/channel-transfer.ts";
import type { channelUpstreamRoutes } from "../../src/console/channel-upstream.ts";
import type { channelRoutes } from "../../src/console/channels.ts";
import type { groupRoutes } from "../../src/console/groups.ts";
import type { logRoutes } from "../../src/console/logs.ts";
import type { modelRoutes } from "../../src/console/models.ts";
import type { Explanation } from "../../src/gateway/routing/explain.ts";
import { requestHeaders } from "./request-headers.ts";

/**
 * The calls of one group of the server's routes, with the types of its inputs and responses. A client for all routes at
 * once would make every type check instantiate all of them.
 */
const group = <Routes extends (...services: never[]) => AnyElysia>() =>
  treaty<ReturnType<Routes>>("", {
    // Paths of the page's own origin, as they are.
    keepDomain: true,
    // Text that looks like a date, such as a model's name, stays text.
    parseDate: false,
    fetch: { credentials: "same-origin" },
    headers: () => requestHeaders(),
  });

export const channelApi = group<typeof channelRoutes>().api.channel;
export const channelExplainApi = group<typeof channelExplainRoutes<Explanation>>().api.channel;
export const channelKeyApi = group<typeof channelKeyRoutes>().api.channel;
export const channelTransferApi = group<typeof channelTransferRoutes>().api.channel;
export const channelUpstreamApi = group<typeof channelUpstreamRoutes>().api.channel;
export const groupApi = group<typeof groupRoutes>().api.group;
export const logApi = group<typeof logRoutes>().api.log;
export const modelApi = group<typeof modelRoutes>().api;
