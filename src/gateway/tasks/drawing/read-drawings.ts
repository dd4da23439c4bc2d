import { findDrawings } from "../../../domain/tasks/find-tasks.ts";
import { viewDrawing } from "../../../domain/tasks/task-view.ts";
import { parseJson, textsOf } from "../../../formats/json.ts";
import { trimBaseUrl } from "../../../providers/contract/tasks.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { Caller } from "../../auth/authenticate.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { GatewayServer } from "../../http/arrival.ts";
import { readBody } from "../../http/client-body.ts";
import { callerOf } from "../caller.ts";
import { drawing } from "../endpoints.ts";
import { answer } from "../responses.ts";
import { channelOfTask } from "../task-channel.ts";
import { reason } from "./action.ts";
import { refusal } from "./responses.ts";

const MAX_IDS = 500;
const SEED_TIMEOUT_MS = 30_000;

/** GET /mj/task/{id}/fetch: one of the caller's own tasks. */
export const fetchDrawing = (context: GatewayContext, request: Request, server: GatewayServer | null, id: string) =>
  answerCaller(context, request, server, async (caller) => {
    const { tasks } = context.services;
    const [row] = await findDrawings(tasks.db, caller.user.id, [id]);
    if (!row) throw reason("task_no_found");
    return viewDrawing(tasks, row);
  });

/** POST /mj/task/list-by-condition: the caller's own tasks with the given ids, in their order. */
export const listDrawings = (context: GatewayContext, request: Request, server: GatewayServer | null) =>
  answerCaller(context, request, server, async (caller) => {
    const { tasks, config } = context.services;
    const { json } = await readBody(request, config, drawing.rules);
    const ids = textsOf(json.ids).slice(0, MAX_IDS);
    const rows = await findDrawings(tasks.db, caller.user.id, ids);
    return ids.flatMap((id) => {
      const row = rows.find(({ mjId }) => mjId === id);
      return row ? [viewDrawing(tasks, row)] : [];
    });
  });

/** GET /mj/task/{id}/image-seed: requested from the channel that made the image. */
export const imageSeed = (context: GatewayContext, request: Request, server: GatewayServer | null, id: string) =>
  answerCaller(context, request, server, async (caller) => {
    const [row] = await findDrawings(context.services.tasks.db, caller.user.id, [id]);
    if (!row) throw reason("task_no_found");
    const channel = channelOfTask(context, row);
    const [key = ""] = channel.keys;
    const headers = providerOf(channel.type)?.authHeaders(channel, key) ?? {};
    const url = `${trimBaseUrl(channel.baseUrl)}/mj/task/${encodeURIComponent(id)}/image-seed`;
    const response = await context.mediaFetch(url, { headers, timeoutMs: SEED_TIMEOUT_MS });
    const seed = response.status === 200 ? parseJson(response.text()) : undefined;
    if (seed === undefined) throw reason("get_image_seed_failed");
    return seed;
  });

async function answerCaller(
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  make: (caller: Caller) => Promise<unknown>,
): Promise<Response> {
  try {
    return answer(request, await make(await callerOf(context, request, server, "DrawingEnabled")));
  } catch (error) {
    return refusal(context, request, error);
  }
}
