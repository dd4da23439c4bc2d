import { proxyOf, userAgentOf } from "../../../../domain/channels/upstream/request-options.ts";
import type { MediaRow } from "../../../../domain/tasks/task-view.ts";
import { requestIdOf } from "../../../../lib/http/request.ts";
import type { VideoSource } from "../../../../providers/contract/tasks.ts";
import { providerOf } from "../../../../providers/registry.ts";
import { GatewayError } from "../../../call/errors.ts";
import type { Uses } from "../../../call/services.ts";
import type { GatewayServer } from "../../../request/arrival.ts";
import { invalidRequest } from "../../../request/client-body.ts";
import { corsHeaders } from "../../../request/headers.ts";
import { refuse } from "../../../request/refuse.ts";
import { clientErrorFor } from "../../../routing/router.ts";
import { readObject, requestUpstream, sendToOwner } from "../../../state/objects/request-upstream.ts";
import { noResponse } from "../../../upstream/attempt-failure.ts";
import { passBody } from "../../../upstream/exchange.ts";
import { signRequest } from "../../../upstream/route.ts";
import type { UpstreamTools } from "../../../upstream/upstream.ts";
import {
  isStoredUpstream,
  ownerChannelOf,
  ownVideo,
  pathOf,
  type StoredVideosContext,
  videoUrlOf,
} from "./stored-videos.ts";

/** What these functions work with. */
export type ShowContentContext = StoredVideosContext & Pick<UpstreamTools, "signing">;

const VARIANTS: ReadonlySet<string> = new Set(["video", "thumbnail", "spritesheet"]);
const FORWARDED_HEADERS = ["content-type", "content-length", "content-disposition"] as const;

/** GET /v1/videos/{id}/content: the bytes if only the key can read them, else a redirect to the provider's storage. */
export async function showContent(
  context: ShowContentContext,
  request: Request,
  server: GatewayServer | null,
  id: string,
) {
  try {
    const { row } = await ownVideo(context, request, server, id);
    if (row.status === "SUCCESS") {
      if (isStoredUpstream(context, row)) return await storedContent(context, request, row);
      const source = sourceOf(context, row);
      if (source) return await readSource(context, request, row, source);
    }
    const url = videoUrlOf(context, row);
    if (url !== null && /^https?:\/\//.test(url)) return redirect(url);
    throw new GatewayError(
      404,
      "video_not_ready",
      { code: "gateway_video_running" },
      { type: "invalid_request_error" },
    );
  } catch (error) {
    return refuse(context, request, error);
  }
}

const redirect = (location: string): Response => new Response(null, { status: 302, headers: { location } });

async function storedContent(context: ShowContentContext, request: Request, row: MediaRow): Promise<Response> {
  const variant = new URL(request.url).searchParams.get("variant");
  if (variant !== null && !VARIANTS.has(variant)) throw invalidRequest({ code: "gateway_video_variant" }, "variant");
  const path = `${pathOf(row)}/content${variant === null ? "" : `?variant=${variant}`}`;
  return passContent(request, await requestUpstream(context, ownerChannelOf(context, row), { method: "GET", path }));
}

function passContent(request: Request, { body, headers }: Response): Response {
  const responseHeaders = new Headers({ ...corsHeaders(request), "x-request-id": requestIdOf(request) });
  for (const name of FORWARDED_HEADERS) {
    const value = headers.get(name);
    if (value !== null && !(name === "content-length" && headers.has("content-encoding")))
      responseHeaders.set(name, value);
  }
  return new Response(body, { headers: responseHeaders });
}

function sourceOf({ services }: Uses<"channels">, row: MediaRow): VideoSource | null {
  const channel = services.channels.get(row.channelId);
  return (channel && providerOf(channel.type)?.videos?.source?.(channel, row)) ?? null;
}

/** Reads a video with the key that ordered it. Rejects GatewayError. */
async function readSource(
  context: ShowContentContext,
  request: Request,
  row: MediaRow,
  { request: ask, read }: VideoSource,
): Promise<Response> {
  const choice = ownerChannelOf(context, row);
  const { channel, key } = choice;
  const provider = providerOf(channel.type);
  const outgoing = {
    method: ask.method,
    url: ask.url,
    headers: {
      "user-agent": userAgentOf(channel),
      ...provider?.authHeaders(channel, key),
      ...(ask.body !== "" && { "content-type": "application/json" }),
    },
    body: ask.body,
    proxy: proxyOf(channel),
  };
  const signed = provider ? await signRequest(context, outgoing, { channel, key, provider }) : outgoing;
  const answered = await sendToOwner(context, choice, signed);
  if (!read) {
    const { response, exchange } = answered;
    const body = passBody(response, exchange, context.services.config.streamingTimeoutMs);
    return passContent(request, new Response(body, { headers: response.headers }));
  }
  const file = read(await readObject(context, choice, answered));
  if (!file) throw clientErrorFor(context, noResponse(channel, key, "broken"));
  if ("url" in file) return redirect(file.url);
  return passContent(request, new Response(file.bytes, { headers: { "content-type": file.contentType } }));
}
