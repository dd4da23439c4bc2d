import type { JsonObject } from "../../../formats/json.ts";
import type { Call } from "../../call/call.ts";
import type { Route } from "../../call/route.ts";
import { conversationKey } from "../../routing/conversation-key.ts";
import { MARK_MODES, type MarkedSession, type MarkMode } from "./automatic-marks.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import type { ConversationSettings } from "./prepare-conversation.ts";

/** When the route's requests without marks get one. */
export const markMode = ({ channel }: Route, settings: Pick<ConversationSettings, "automaticCacheMarks">): MarkMode =>
  MARK_MODES.find((mode) => mode === channel.setting.automatic_cache_marks) ?? settings.automaticCacheMarks();

/** Whose prefix a call's is: its conversation at the route's account. */
export function markedSession(
  { caller, summary, body, prompt, promptBound, requestId }: Call,
  { channel, keyIndex }: Route,
): MarkedSession {
  const tokenId = caller.token?.id ?? 0;
  const source = { userId: caller.user.id, tokenId, model: summary.model, body: body.json, prompt, promptBound };
  const recognized = conversationKey(source);
  return {
    key: recognized && `${recognized.key}/${channel.id}/${keyIndex}`,
    isNamed: recognized?.by === "prompt_cache_key",
    requestId,
  };
}

const MARK = { cache_control: { type: "ephemeral" } };

/**
 * What a body that is forwarded gets for Claude where the client sets no mark and all of the conversation is a stable prefix:
 * the mark at the top of the body, which the provider puts on the last block; null: nothing. Addresses other than the provider's own may not
 * know it, and get it by option only. Sources: https://platform.claude.com/docs/en/build-with-claude/prompt-caching and
 * https://openrouter.ai/docs/features/prompt-caching
 */
export function forwardedMark(
  call: Call,
  route: Route,
  { automaticMarks, settings }: Pick<ConversationOptions, "automaticMarks" | "settings">,
): JsonObject | null {
  const { channel, provider, service, upstreamModel } = route;
  const { codec } = call.endpoint;
  if (!service.topMark || !/claude/i.test(upstreamModel)) return null;
  if (call.body.text.includes('"cache_control"')) return null;
  const mode = markMode(route, settings);
  const isOwnAddress = channel.baseUrl === "" || channel.baseUrl.startsWith(provider.defaultBaseUrl || "-");
  if (mode === "never" || (mode === "auto" && !isOwnAddress)) return null;
  try {
    const conversation = call.fullConversation?.() ?? codec.decodeRequest(call.body.json);
    const info = settings.modelInfo(upstreamModel);
    return automaticMarks.marksEnd(conversation, markedSession(call, route), info, mode) ? MARK : null;
  } catch {
    // What cannot be read here is the provider's to judge.
    return null;
  }
}
