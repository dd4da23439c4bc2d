import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation, MediaPart } from "../../../formats/conversation/conversation.ts";
import { recordDropped } from "../../../formats/conversation/dropped-fields.ts";
import { compact } from "../../../formats/helpers/compact.ts";
import { flattenTurns, lastUserText, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { urlOfSource } from "../../../formats/openai-chat/request/media.ts";

const SUPPORTED_FIELDS = ["user", "inputs", "conversation_id"];

/** The kind of app that a model name stands for: a key belongs to one app, and only the operator knows its kind. */
export const difyKind = (model: string): "chat" | "workflow" | "completion" =>
  /^workflow/i.test(model) ? "workflow" : /^completion/i.test(model) ? "completion" : "chat";

/**
 * Writes a request to a Dify app. The conversation is sent as one text, because Dify stores conversations itself: for a
 * client that sends `conversation_id`, only the last message is sent. Clients may set the app's variables as `inputs`.
 * Source: https://docs.dify.ai/api-reference
 */
export function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  recordDropped(encodeChat({ ...conversation, turns: [] }, target, dropped), SUPPORTED_FIELDS, dropped);
  const { extra, turns, user } = conversation;
  const own = extra.dialect === "openai-chat" ? extra.members : {};
  const lines = flattenTurns(conversation, dropped, true);
  const known = textOf(own.conversation_id);
  const system = systemText(conversation);
  const single = known !== null || (lines.length === 1 && system === null);
  const prompt = [
    ...(system === null ? [] : [`SYSTEM: ${system}`]),
    ...lines.map(({ role, text }) => `${role.toUpperCase()}: ${text}`),
  ];
  const query = single ? lastUserText(lines) : prompt.map((line) => `${line}\n`).join("");
  const files = turns.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "image" ? fileOf(part, dropped) : [])),
  );
  const common = {
    response_mode: conversation.stream ? "streaming" : "blocking",
    user: user ?? target.newId("user-"),
    ...(files.length > 0 && { files }),
  };
  const inputs = recordOf(own.inputs) ?? {};
  if (difyKind(target.model) !== "chat") return { inputs: { query, ...inputs }, ...common };
  return compact({ inputs, query, ...common, conversation_id: known ?? "", auto_generate_name: false });
}

/** An image inside the request stays a data URI until it is uploaded. */
function fileOf({ source }: MediaPart, dropped: Dropped): JsonObject[] {
  const url = urlOfSource(source);
  if (url === null) dropped.add("image_url");
  return url === null ? [] : [{ type: "image", transfer_method: "remote_url", url }];
}
