import { shippedCatalog } from "../../catalog/catalog.ts";
import { recordDropped } from "../../formats/helpers/dropped-fields.ts";
import { compact, type JsonObject, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { mediaTypeOf } from "../../lib/http/media-type.ts";
import { hexDigest } from "../../lib/security/crypto.ts";
import type { NativeFormat } from "../contract/chat.ts";
import { withPlainImageUrls } from "../shared/fit-request.ts";
import { openAiCompatible } from "../shared/openai-compatible.ts";

/** Fields that Mistral accepts; it rejects all others with 422. */
const ACCEPTED: ReadonlySet<string> = new Set(
  `model messages temperature top_p max_tokens stream stop random_seed response_format tools tool_choice presence_penalty
  frequency_penalty n prediction parallel_tool_calls prompt_mode reasoning_effort safe_prompt prompt_cache_key metadata
  guardrails service_tier`.split(/\s+/),
);
const ID_LENGTH = 9;

/** Members of the API's own that clients may set. */
const SPEECH_OWN = ["voice", "voice_id", "ref_audio", "response_format"] as const;

/** Speech, https://docs.mistral.ai/capabilities/audio/text_to_speech: the audio comes inside JSON. */
const mistralSpeech: NativeFormat = {
  encode(call, model, dropped) {
    recordDropped(call, ["input", ...SPEECH_OWN], dropped);
    return compact({ model, input: call.input, ...Object.fromEntries(SPEECH_OWN.map((name) => [name, call[name]])) });
  },
  decode: () => null,
  content({ audio_data }, { response_format: format }) {
    const audio = textOf(audio_data);
    if (!audio) return null;
    const body = new Uint8Array(Buffer.from(audio, "base64"));
    return { body, contentType: mediaTypeOf(body) ?? `audio/${textOf(format) ?? "mpeg"}` };
  },
};

/** Mistral AI: OpenAI's format with strict bodies, and call ids of nine letters and digits. */
export const mistral = openAiCompatible({
  type: 42,
  name: "Mistral AI",
  owner: "mistral",
  baseUrl: "https://api.mistral.ai",
  capabilities: ["chat", "embeddings", "moderations", "transcriptions", "speech"],
  withoutStreamUsage: true,
  native: { speech: { format: mistralSpeech } },
  models: [
    "mistral-large-4",
    "mistral-large-latest",
    "mistral-medium-latest",
    "mistral-small-latest",
    "magistral-medium-latest",
    "magistral-small-latest",
    "ministral-8b-latest",
    "codestral-latest",
    "devstral-medium-latest",
    "pixtral-large-latest",
    "open-mistral-nemo",
    "mistral-embed",
  ],
  facts: {
    documented: { source: "https://docs.mistral.ai/api", version: "v1", day: "2026-11-29" },
    // https://github.com/mistralai/client-ts: "auto" uses priority capacity where the account has it.
    tiers: { default: "standard_only", priority: "auto", fast: "auto" },
    chat: {
      // Reasoning is part of the content.
      nonstandardResponses: true,
      // https://github.com/spring-projects/spring-ai/issues/2380
      systemTurns: "first",
      // https://docs.mistral.ai/capabilities/reasoning
      reasoning: [
        { models: /magistral/, on: { prompt_mode: "reasoning" }, off: "lowest", offCosts: "They always reason." },
        { off: "lowest", effort: { path: ["reasoning_effort"] } },
      ],
    },
    requests: {
      temperature: [0, 1.5],
      limitField: "max_tokens",
      accepted: ACCEPTED,
      renamed: { seed: "random_seed" },
      rewrite: (body, { model, catalog = shippedCatalog }) => {
        const reasons = catalog.find(model).reasoning?.style !== "none";
        const messages = withPlainImageUrls(body.messages).map(withOwnMedia);
        return { messages: withShortIds(messages).map((message) => withThinking(message, reasons)) };
      },
      embeddings: ({ dimensions, output_dimension }) => ({
        changes: dimensions == null ? {} : { dimensions: undefined, output_dimension: output_dimension ?? dimensions },
        dropped: ["user"],
      }),
    },
  },
});

/** Audio is plain base64; documents are URLs or data URIs. */
function withOwnMedia(message: JsonObject): JsonObject {
  if (!Array.isArray(message.content)) return message;
  const content = recordsOf(message.content).map((part): JsonObject => {
    const { file_data, filename } = recordOf(part.file) ?? {};
    if (part.type === "file" && file_data !== undefined) {
      return {
        type: "document_url",
        document_url: file_data,
        ...(filename !== undefined && { document_name: filename }),
      };
    }
    const data = recordOf(part.input_audio)?.data;
    return part.type === "input_audio" && data !== undefined ? { type: "input_audio", input_audio: data } : part;
  });
  return { ...message, content };
}

/** The same foreign id always becomes the same short one, so that calls and results still match. */
function withShortIds(messages: readonly JsonObject[]): JsonObject[] {
  return messages.map((message) => {
    const calls = recordsOf(message.tool_calls).map((call) => ({ ...call, id: shortId(textOf(call.id) ?? "") }));
    return {
      ...message,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(typeof message.tool_call_id === "string" && { tool_call_id: shortId(message.tool_call_id) }),
    };
  });
}

const shortId = (id: string): string => (/^[a-zA-Z0-9]{9}$/.test(id) ? id : hexDigest(id).slice(0, ID_LENGTH));

/**
 * Reasoning of earlier turns is a chunk of the content, before the text. Models that do not reason get none. Source:
 * https://docs.mistral.ai/capabilities/reasoning
 */
function withThinking(message: JsonObject, reasons: boolean): JsonObject {
  const { reasoning_content: text, reasoning_details: _, ...rest } = message;
  if (!reasons || !textOf(text)) return rest;
  const { content } = rest;
  const own = typeof content === "string" ? (content === "" ? [] : [{ type: "text", text: content }]) : content;
  return { ...rest, content: [{ type: "thinking", thinking: [{ type: "text", text }] }, ...recordsOf(own)] };
}
