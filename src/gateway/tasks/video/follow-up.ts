import { numberOf, recordOf, textOf } from "../../../formats/json.ts";
import type { FollowUpKind } from "../../../providers/contract/tasks.ts";
import { providerOf } from "../../../providers/registry.ts";
import type { Caller } from "../../auth/authenticate.ts";
import type { GatewayContext } from "../../call/context.ts";
import type { GatewayServer } from "../../http/arrival.ts";
import { type ClientBody, invalidRequest } from "../../http/client-body.ts";
import { refuse } from "../../http/refuse.ts";
import { notOffered } from "../../state/files/request-upstream.ts";
import { admitTask } from "../admit-task.ts";
import { video } from "../endpoints.ts";
import { answer } from "../responses.ts";
import { memberOf, secondsOf, variantFields } from "./order.ts";
import { findVideo } from "./own-video.ts";
import { submitVideo, videosOf } from "./submit-video.ts";
import { viewVideo } from "./view.ts";

/**
 * POST /v1/videos/{id}/remix, /v1/videos/edits and /extensions: a video based on one of the caller's finished videos,
 * made by the same channel and key. It costs as much as any video of its model, size and length.
 */
export async function orderFollowUp(
  context: GatewayContext,
  request: Request,
  server: GatewayServer | null,
  kind: FollowUpKind,
  id?: string,
): Promise<Response> {
  try {
    const arrival = { request, server, endpoint: video };
    const { call, planned, body } = await admitTask(context, arrival, (caller, request) =>
      plan(context, caller, request, kind, id),
    );
    const { parent, prompt, size, seconds, upstreamId } = planned;
    try {
      const row = await submitVideo(context, call, {
        model: planned.model,
        properties: { input: prompt, seconds, size, remixedFrom: parent.taskId },
        async request(channel, provider) {
          const order = videosOf(provider).followUp?.(channel, { kind, upstreamId, prompt, seconds });
          if (!order) throw notOffered();
          return { url: order.url, body: JSON.stringify(order.body), action: kind };
        },
      });
      return answer(request, viewVideo(row));
    } finally {
      await body.form?.discard();
    }
  } catch (error) {
    return refuse(context, request, error);
  }
}

async function plan(context: GatewayContext, caller: Caller, { json }: ClientBody, kind: FollowUpKind, id?: string) {
  const parentId = id ?? memberOf(json, "video", "id");
  if (!parentId) throw invalidRequest({ code: "gateway_video_not_own" }, "video");
  const prompt = textOf(json.prompt)?.trim() ?? "";
  if (prompt === "") throw invalidRequest({ code: "gateway_field_missing", params: { field: "prompt" } }, "prompt");
  const parent = await findVideo(context, caller, parentId);
  if (parent.status !== "SUCCESS") throw invalidRequest({ code: "gateway_video_running" }, "video");
  const channel = context.services.channels.get(parent.channelId);
  if (channel && !providerOf(channel.type)?.videos?.followUp) throw notOffered();
  const properties = recordOf(parent.properties);
  const size = textOf(properties?.size) ?? "";
  const seconds =
    kind === "extension" && json.seconds !== undefined ? secondsOf(json.seconds) : (numberOf(properties?.seconds) ?? 1);
  const variant = variantFields({ own: {}, size, seconds });
  return { model: parent.modelName, prompt, seconds, size, variant, parent, upstreamId: parent.upstreamId };
}
