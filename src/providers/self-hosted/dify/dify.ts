import { randomUUID } from "node:crypto";
import type { Dropped, Target } from "../../../formats/conversation/codec.ts";
import type { Conversation, MediaPart } from "../../../formats/conversation/conversation.ts";
import type { ReplyError } from "../../../formats/conversation/reply.ts";
import { serviceError } from "../../../formats/conversation/service-error.ts";
import { recordDropped } from "../../../formats/helpers/dropped-fields.ts";
import { flattenTurns, lastUserText, systemText } from "../../../formats/helpers/flatten-to-text.ts";
import { compact, type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { urlOfSource } from "../../../formats/media.ts";
import { chunkedCodec, type ParsedEvent } from "../../../formats/openai-chat/chunk-codec.ts";
import { errorOf } from "../../../formats/openai-chat/errors.ts";
import { encodeRequest as encodeChat } from "../../../formats/openai-chat/request/encode-request.ts";
import { type AddressForms, resolveBase } from "../../contract/base-address.ts";
import { chatApi } from "../../contract/chat.ts";
import type { Provider, SigningTools } from "../../contract/provider.ts";
import { bodyJson } from "../../shared/signed-body.ts";

const SUPPORTED_FIELDS = ["user", "inputs", "conversation_id"];

/** The kind of app that a model name stands for: a key belongs to one app, and only the operator knows its kind. */
const difyKind = (model: string): "chat" | "workflow" | "completion" =>
  /^workflow/i.test(model) ? "workflow" : /^completion/i.test(model) ? "completion" : "chat";

/**
 * Writes a request to a Dify app. The conversation is sent as one text, because Dify stores conversations itself: for a
 * client that sends `conversation_id`, only the last message is sent. Clients may set the app's variables as `inputs`.
 * Source: https://docs.dify.ai/api-reference
 */
function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
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

/** Dify apps: chats, agents, completions and workflows respond with the same family of events. */
export const difyCodec = chunkedCodec({
  dialect: "dify",
  encodeRequest,
  reader,
  isAnswer: (body) => textOf(body.answer) !== null || recordOf(recordOf(body.data)?.outputs) !== null,
  // A complete response equals the last event of a stream without earlier events.
  asEvent: (body) => ({ ...body, event: textOf(body.answer) === null ? "workflow_finished" : "whole_message" }),
  decodeError,
});

function reader(): (body: JsonObject) => ParsedEvent {
  let content = "";
  // Moderation took the text back: whoever has read it already learns that from the reason of the end.
  let reason = "stop";
  const say = (text: string, more: JsonObject = {}): JsonObject => {
    content += text;
    return { choices: [{ index: 0, delta: { content: text, ...more }, finish_reason: null }] };
  };
  const going = (chunk: JsonObject | null): ParsedEvent => ({ chunk, last: false });
  return (body) => {
    const data = recordOf(body.data) ?? {};
    const answer = withThinkTags(textOf(body.answer) ?? "");
    const id = textOf(body.message_id) ?? textOf(body.workflow_run_id) ?? textOf(body.task_id);
    switch (body.event) {
      case "message":
        // Newer agents repeat the complete answer at its end.
        return going(content !== "" && answer === content ? null : { id, ...say(answer) });
      case "agent_message":
        return going({ id, ...say(answer) });
      case "message_replace":
        content = "";
        reason = "content_filter";
        return { ...going({ id, ...say(answer) }), withdraws: true };
      case "text_chunk":
        return going({ id, ...say(withThinkTags(textOf(data.text) ?? "")) });
      case "reasoning_chunk":
        return going({ id, ...say("", { reasoning_content: textOf(data.reasoning) ?? "" }) });
      case "agent_thought":
        return going(
          textOf(body.tool) ? { id, ...say("", { reasoning_content: `${textOf(body.thought) ?? ""}\n` }) } : null,
        );
      case "message_file":
        return going({ id, ...say(`![image](${textOf(body.url) ?? ""})`) });
      case "whole_message":
      case "message_end":
        return { chunk: endOf(id, answer, recordOf(body.metadata), reason), last: true };
      case "workflow_finished":
        // Chatflows continue with the end of their message.
        if (content !== "" && id !== null && body.conversation_id != null) return going(null);
        return {
          chunk: endOf(id, content === "" ? outputsAsText(recordOf(data.outputs)) : "", null, reason),
          last: true,
        };
      default:
        return going(null);
    }
  };
}

function endOf(id: string | null, text: string, metadata: JsonObject | null, reason: string): JsonObject {
  const usage = recordOf(metadata?.usage);
  const sources = recordsOf(metadata?.retriever_resources).flatMap(({ document_name, content }) =>
    textOf(document_name) === null
      ? []
      : [{ type: "url_citation", url_citation: compact({ title: document_name, content }) }],
  );
  const delta = { ...(text !== "" && { content: text }), ...(sources.length > 0 && { annotations: sources }) };
  return { id, choices: [{ index: 0, delta, finish_reason: reason }], usage };
}

/** A workflow's outputs: its only text, or all outputs as JSON. */
function outputsAsText(outputs: JsonObject | null): string {
  const values = Object.values(outputs ?? {});
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? withThinkTags(only) : JSON.stringify(outputs ?? {});
}

/** Dify displays reasoning in a collapsible box. */
const withThinkTags = (text: string): string =>
  text.replace(/<details[^>]*>\s*<summary>[^<]*<\/summary>\s*/g, "<think>").replaceAll("</details>", "</think>");

function decodeError(status: number, body: unknown): ReplyError | null {
  const answer = recordOf(body);
  const data = recordOf(answer?.data);
  if (answer?.event === "workflow_finished" && data?.status === "failed") {
    return serviceError(502, "workflow_failed", textOf(data.error) ?? "");
  }
  const isError = answer?.event === "error" || (status >= 400 && textOf(answer?.code) !== null);
  if (!isError) return status >= 400 ? errorOf(status, body) : null;
  const own = status >= 400 ? status : numberOf(answer?.status);
  return serviceError(own !== null && own >= 400 ? own : 502, textOf(answer?.code), textOf(answer?.message) ?? "");
}

const DEFAULT_BASE_URL = "https://api.dify.ai";
const PATHS = { chat: "/chat-messages", workflow: "/workflows/run", completion: "/completion-messages" } as const;

const ADDRESSES: AddressForms = {
  fallback: DEFAULT_BASE_URL,
  root: "/v1",
  printed: [[/\/v1\/(chat-messages|workflows\/run|completion-messages)$/, "/v1"]],
};

const rootOf = (baseUrl: string): string => resolveBase(baseUrl, ADDRESSES).api;

/**
 * A Dify app. Models named `workflow…` and `completion…` are apps of these kinds; all others are chats, agents or
 * chatflows.
 */
export const dify: Provider = {
  type: 37,
  name: "Dify",
  owner: "dify",
  defaultBaseUrl: DEFAULT_BASE_URL,
  capabilities: ["chat"],
  keyHint: "app-…",
  facts: {
    documented: {
      source: "https://docs.dify.ai/en/api-reference/guides/get-started",
      version: "v1",
      day: "2026-11-29",
    },
  },
  models: ["dify", "workflow", "completion"],
  noListPrice: "own_app",
  url: ({ baseUrl }, { model }) => rootOf(baseUrl) + PATHS[difyKind(model)],
  authHeaders: (_channel, key) => ({ authorization: `Bearer ${key}` }),
  async sign(request, { baseUrl }, _key, tools) {
    const { headers, body, parts } = request;
    if (!parts && !body.includes("data:")) return {};
    const sent = bodyJson(request) ?? {};
    const user = textOf(sent.user) ?? "";
    const files = await Promise.all(
      recordsOf(sent.files).map(async (file) => {
        const url = textOf(file.url) ?? "";
        if (!url.startsWith("data:")) return file;
        const id = await uploadImage(`${rootOf(baseUrl)}/files/upload`, headers.authorization ?? "", url, user, tools);
        return { type: "image", transfer_method: "local_file", upload_file_id: id };
      }),
    );
    return files.length > 0 ? { body: JSON.stringify({ ...sent, files }) } : {};
  },
  chat: chatApi({
    formats: ["dify"],
    codec: difyCodec,
    // Agents reject requests without streaming.
    streaming: { mode: () => "always", includesUsage: false },
  }),
};

/** Uploads the image of a data URI for a Dify user. Resolves to its id; rejects with the reason of a failure. */
async function uploadImage(
  url: string,
  authorization: string,
  dataUri: string,
  user: string,
  { post }: SigningTools,
): Promise<string> {
  const [, mediaType = "image/png", data = ""] = /^data:([^;,]+)[^,]*,(.*)$/s.exec(dataUri) ?? [];
  const boundary = `sluice-${randomUUID()}`;
  const part = (head: string) => `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`;
  const name = `image.${mediaType.split("/")[1]?.replace(/[^a-z0-9]/gi, "") ?? "png"}`;
  const body = Buffer.concat([
    Buffer.from(`${part('name="user"')}\r\n${user.replace(/[\r\n]/g, " ")}\r\n`),
    Buffer.from(`${part(`name="file"; filename="${name}"`)}content-type: ${mediaType}\r\n\r\n`),
    Buffer.from(data, "base64"),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const headers = { authorization, "content-type": `multipart/form-data; boundary=${boundary}` };
  const { status, text } = await post(url, headers, body);
  const answer = recordOf(parseJson(text));
  const id = textOf(answer?.id);
  if (id === null)
    throw new Error(`the image could not be uploaded (HTTP ${status}): ${textOf(answer?.message) ?? ""}`);
  return id;
}
