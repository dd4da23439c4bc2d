import type { Conversation, MediaPart, Part } from "../../../formats/conversation/conversation.ts";
import { mediaTypeOf } from "../../../lib/http/media-type.ts";
import { OutboundError } from "../../../lib/outbound/outbound-error.ts";
import { invalidRequest } from "../../request/client-body.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";

const MAX_MEDIA_BYTES = 20 * 1024 * 1024;
const MAX_MEDIA_PARTS = 32;
type MediaUrl = Extract<MediaPart["source"], { kind: "url" }>;
const TIMEOUT_MS = 20_000;

/**
 * Fetches media URLs and puts their contents into the request, for upstreams that accept nothing else. The safe fetch
 * rejects private networks, even after redirects. `types`: media types that the upstream accepts only inline; `takes`:
 * those that it can fetch itself. Rejects GatewayError with the reason.
 */
export async function inlineMedia(
  context: Pick<UpstreamTools, "clientMediaFetch">,
  conversation: Conversation,
  types: readonly MediaPart["type"][] = ["image", "audio", "video", "document"],
  takes: (source: MediaUrl) => boolean = () => false,
): Promise<void> {
  const parts = conversation.turns
    .flatMap((turn) => mediaIn(turn.parts))
    .filter(({ type, source }) => types.includes(type) && isFetchable(source, takes));
  if (parts.length > MAX_MEDIA_PARTS)
    throw invalidRequest({ code: "gateway_media_most", params: { count: MAX_MEDIA_PARTS } });
  await Promise.all(parts.map((part) => inline(context, part)));
}

async function inline(context: Pick<UpstreamTools, "clientMediaFetch">, part: MediaPart): Promise<void> {
  if (part.source.kind !== "url") return;
  part.source = { kind: "base64", ...(await fetchMedia(context, part.source.url, part.type)) };
}

/**
 * Fetches media of a client's URL, at most 20 MiB; private networks are rejected, even after redirects. Rejects GatewayError with
 * the reason, also for an image that is none.
 */
export async function fetchMedia(
  { clientMediaFetch }: Pick<UpstreamTools, "clientMediaFetch">,
  url: string,
  type: MediaPart["type"],
): Promise<Readonly<{ mediaType: string; data: string }>> {
  try {
    const { status, body, headers } = await clientMediaFetch(url, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_MEDIA_BYTES });
    if (status !== 200) throw invalidRequest({ code: "gateway_media_status", params: { part: type, status } });
    const mediaType =
      mediaTypeOf(body) ?? headers.get("content-type")?.split(";")[0]?.trim() ?? "application/octet-stream";
    if (type === "image" && !mediaType.startsWith("image/")) {
      throw invalidRequest({ code: "gateway_media_type", params: { mediaType } });
    }
    return { mediaType, data: Buffer.from(body).toString("base64") };
  } catch (error) {
    if (error instanceof OutboundError)
      throw invalidRequest({ code: "gateway_media", params: { part: type, reason: error.message } });
    throw error;
  }
}

const isFetchable = (source: MediaPart["source"], takes: (source: MediaUrl) => boolean): boolean =>
  source.kind === "url" && /^https?:/i.test(source.url) && !takes(source);

function mediaIn(parts: readonly Part[]): MediaPart[] {
  return parts.flatMap((part) => {
    if (part.type === "tool-result") return mediaIn(part.parts);
    return part.type === "image" || part.type === "audio" || part.type === "video" || part.type === "document"
      ? [part]
      : [];
  });
}
