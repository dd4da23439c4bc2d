import { type JsonObject, recordOf, recordsOf } from "../../../../src/formats/json.ts";
import { address, bytes, jsonText, oneOf } from "../clients/client.ts";
import { type Builder, foldList, type Special } from "../requests/build.ts";
import { readType } from "../schema/read-types.ts";
import type { Shape } from "../schema/shape.ts";

/** A provider's format, whose answers are made from the types of its official client. */
export type Source = Readonly<{
  format: "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "gemini-interactions";
  root: Shape;
  /** Members below the root that are followed. */
  depth: number;
  /** What the API never sends, and what repeats the request. */
  skipped: RegExp;
  special: Special;
  /** Makes the members an answer as the API sends it. */
  arrange(answer: JsonObject, builder: Builder): void;
}>;

const number = (from: number) => (marker: string) => ({
  value: from + Number(marker.replace(/\D/g, "")),
  marker: null,
});

/** What was cached is part of the prompt. */
function coverCached(usage: JsonObject | null, cached: string, prompt: string): void {
  if (usage?.[cached] !== undefined) usage[prompt] ??= 100_000;
}

/** Sets a sum that the members must agree with. */
function addUp(usage: JsonObject | null, total: string, ...parts: readonly string[]): void {
  if (usage) usage[total] = parts.reduce((sum, part) => sum + Number(usage[part] ?? 0), 0);
}

/** OpenAI's Chat Completions. */
const chat: Source = {
  format: "openai-chat",
  root: readType("openai/resources/chat/completions/completions.d.ts", "ChatCompletion"),
  depth: 5,
  skipped: /^metadata\b/,
  special: [
    [/^id$/, (marker) => ({ value: `chatcmpl-${marker}`, marker })],
    [/choices\.index$/, oneOf(0)],
    [/\.arguments$/, jsonText],
    [/audio\.data$/, bytes],
    [/\.url$/, address],
    [/start_index$/, oneOf(0, 1)],
    [/end_index$/, oneOf(2, 3)],
    [/^usage\.(prompt|completion)_tokens$/, number(100_000)],
  ],
  arrange(answer, builder) {
    foldList(answer.choices, builder.leaves);
    answer.choices ??= [{ index: 0, message: { role: "assistant", content: "Well." }, finish_reason: "stop" }];
    for (const choice of recordsOf(answer.choices)) {
      const message = recordOf(choice.message);
      if (!message) continue;
      if (message.audio) {
        message.content = null;
        delete choice.logprobs;
      }
      if (!recordOf(choice.logprobs)?.refusal && message.content !== null) message.refusal = null;
      if (message.tool_calls) delete message.function_call;
    }
    answer.usage ??= { prompt_tokens: 100_000, completion_tokens: 100_000 };
    addUp(recordOf(answer.usage), "total_tokens", "prompt_tokens", "completion_tokens");
  },
};

/** OpenAI's Responses. */
const responses: Source = {
  format: "openai-responses",
  root: readType("openai/resources/responses/responses.d.ts", "Response"),
  depth: 4,
  // The first are the request's own; items of tools' results and lists of tools belong to requests; a failed one is an error.
  skipped:
    /^(tools|tool_choice|instructions|prompt|text|reasoning|metadata|temperature|top_p|top_logprobs|truncation|user|max_\w+|parallel_tool_calls|previous_response_id|safety_identifier|prompt_cache_\w+|background|conversation|image|access_programs)\b|^output_text$|^error\b|^output\[(additional_tools|\w+_output|mcp_approval_response|computer_call_output)\]/,
  special: [
    [/^id$/, (marker) => ({ value: `resp_${marker}`, marker })],
    [/^status$/, oneOf("completed")],
    [/\[(function_call|mcp_call|mcp_approval_request)\]\.arguments$/, jsonText],
    [/image_generation_call\]\.result$/, bytes],
    [/\.url$/, address],
    [/output_format$/, oneOf("jpeg", "webp")],
    [/start_index$/, oneOf(0, 1)],
    [/end_index$/, oneOf(2, 3)],
    [/^usage\.(in|out)put_tokens$/, number(100_000)],
  ],
  arrange(answer) {
    if (answer.incomplete_details) answer.status = "incomplete";
    answer.usage ??= { input_tokens: 100_000, output_tokens: 100_000 };
    addUp(recordOf(answer.usage), "total_tokens", "input_tokens", "output_tokens");
    answer.output ??= [];
  },
};

/** Anthropic's Messages. */
const messages: Source = {
  format: "anthropic",
  root: readType("@anthropic-ai/sdk/resources/messages/messages.d.ts", "Message"),
  depth: 4,
  skipped: /(?!)/,
  special: [
    [/^id$/, (marker) => ({ value: `msg_${marker}`, marker })],
    [/server_tool_use\]\.name$/, oneOf("web_search")],
    [/server_tool_use\]\.input$/, (marker) => ({ value: { query: marker }, marker })],
    [/\.input$/, (marker) => ({ value: { [marker]: "yes" }, marker })],
    [/\.url$/, address],
    [/^usage\.(in|out)put_tokens$/, number(100_000)],
  ],
  arrange(answer) {
    const usage = recordOf(answer.usage);
    const written = recordOf(usage?.cache_creation);
    if (usage && written) {
      written.ephemeral_5m_input_tokens ??= 0;
      written.ephemeral_1h_input_tokens ??= 0;
      addUp(written, "sum", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens");
      usage.cache_creation_input_tokens = written.sum;
      delete written.sum;
    }
    if (answer.stop_sequence !== undefined) answer.stop_reason = "stop_sequence";
    if (answer.stop_details) answer.stop_reason = "refusal";
    answer.content ??= [];
  },
};

/** Gives a page of Google's the address without which nobody can cite it. */
function addPage(kind: string, page: JsonObject | null, url: string): void {
  if (page) page[kind === "image" ? "sourceUri" : "uri"] ??= url;
}

/** Gemini's generateContent. */
const gemini: Source = {
  format: "gemini",
  root: readType("@google/genai/dist/genai.d.ts", "GenerateContentResponse"),
  depth: 5,
  // The first two are made by the client itself; a part's others belong to requests.
  skipped:
    /^(sdkHttpResponse|automaticFunctionCallingHistory)\b|sdkBlob|UNSPECIFIED|parts\.(functionResponse|fileData|videoMetadata|mediaResolution|mediaProcessing)\b|content\.role$|willContinue$|partialArgs\b/,
  special: [
    [/\.args$/, (marker) => ({ value: { [marker]: "yes" }, marker })],
    [/inlineData\.data$/, bytes],
    [/[uU]ri$/, address],
    [/mimeType$/, oneOf("image/webp", "audio/wav")],
    [/candidates\.index$/, oneOf(0)],
    [/finishReason$/, oneOf("MAX_TOKENS", "SAFETY")],
    [/groundingChunkIndices$/, oneOf(0)],
    [/startIndex$/, oneOf(0, 1)],
    [/endIndex$/, oneOf(2, 3)],
    [/modality$/, oneOf("AUDIO", "IMAGE")],
    [/^usageMetadata\.(prompt|candidates)TokenCount$/, number(100_000)],
  ],
  arrange(answer, builder) {
    foldList(answer.candidates, builder.leaves);
    for (const candidate of recordsOf(answer.candidates)) {
      candidate.finishReason ??= "STOP";
      candidate.content ??= {};
      const content = recordOf(candidate.content) ?? {};
      const first: JsonObject = {};
      first.text = builder.note("candidates.content.parts.text", first, "text");
      content.parts = [first, ...recordsOf(content.parts)];
      for (const part of recordsOf(content.parts)) {
        const isBare = Object.keys(part).every((name) => /^(thought|thoughtSignature|partMetadata)$/.test(name));
        if (isBare) part.text = builder.note("candidates.content.parts.text", part, "text");
        const call = recordOf(part.functionCall);
        if (call) call.name ??= "look";
        const inline = recordOf(part.inlineData);
        if (inline) inline.data ??= "AAAA";
        if (inline) inline.mimeType ??= "image/webp";
      }
      const tokens = recordOf(candidate.logprobsResult);
      if (tokens?.topCandidates)
        tokens.chosenCandidates = recordsOf(tokens.topCandidates).map(
          (_, at) => recordsOf(tokens.chosenCandidates)[at] ?? { token: "t", logProbability: -1 },
        );
      const grounding = recordOf(candidate.groundingMetadata);
      for (const cited of recordsOf(recordOf(candidate.citationMetadata)?.citations)) {
        cited.uri ??= `https://example.org/${builder.note("", {}, "")}`;
        cited.endIndex ??= 3;
      }
      if (grounding?.groundingSupports) {
        grounding.groundingChunks ??= [{ web: {} }];
        for (const [at, support] of recordsOf(grounding.groundingSupports).entries()) {
          support.groundingChunkIndices ??= [0];
          support.segment ??= {};
          const segment = recordOf(support.segment);
          if (segment) segment.endIndex ??= 2 + at;
        }
      }
      for (const [at, chunk] of recordsOf(grounding?.groundingChunks).entries())
        for (const [kind, page] of Object.entries(chunk)) addPage(kind, recordOf(page), `https://example.org/${at}`);
    }
    if (answer.candidates) delete answer.promptFeedback;
    const feedback = recordOf(answer.promptFeedback);
    if (feedback) feedback.blockReason ??= "SAFETY";
    coverCached(recordOf(answer.usageMetadata), "cachedContentTokenCount", "promptTokenCount");
    addUp(
      recordOf(answer.usageMetadata),
      "totalTokenCount",
      ...["promptTokenCount", "candidatesTokenCount", "toolUsePromptTokenCount", "thoughtsTokenCount"],
    );
    for (const tokens of Object.values(recordOf(answer.usageMetadata) ?? {})) {
      for (const entry of recordsOf(tokens)) {
        entry.modality ??= "AUDIO";
        entry.tokenCount ??= 2;
      }
    }
    answer.usageMetadata ??= {};
  },
};

/** Gemini's interactions. */
const interactions: Source = {
  format: "gemini-interactions",
  root: readType("@google/genai/dist/genai.d.ts", "Interaction"),
  depth: 4,
  skipped:
    /^(?!$|(id|model|created|updated|status|steps|usage|service_tier)\b)|^steps\[(user_input|function_result|mcp_server_tool_result)\]|\.error\b|_call\]\.arguments\./,
  special: [
    [
      /^(created|updated)$/,
      (marker) => ({
        value: `2026-01-01T00:00:${marker.replace(/\D/g, "").padStart(2, "0").slice(-2)}Z`,
        marker: null,
      }),
    ],
    [/google_search_call\]\.arguments$/, (marker) => ({ value: { queries: [marker] }, marker })],
    [/\.arguments$/, (marker) => ({ value: { [marker]: "yes" }, marker })],
    [/\.data$/, bytes],
    [/\.ur[il]$/, address],
    [/^status$/, oneOf("completed", "incomplete")],
    [/\.modality$/, oneOf("audio", "image")],
    [/^service_tier$/, oneOf("flex", "priority")],
    [/start_index$/, oneOf(0, 1)],
    [/end_index$/, oneOf(2, 3)],
  ],
  arrange(answer, builder) {
    answer.id ??= "v1_interaction";
    answer.status ??= "completed";
    for (const step of recordsOf(answer.steps)) {
      for (const content of recordsOf(step.content)) {
        if (content.type === "text") content.text ??= "Well, this is it.";
        else if (content.uri === undefined) content.data ??= "AAAA";
        for (const annotation of recordsOf(content.annotations))
          if (/url|place/.test(String(annotation.type))) {
            annotation.url ??= `https://example.org/${builder.note("", {}, "")}`;
            annotation.end_index ??= 3;
          }
      }
    }
    answer.usage ??= { total_input_tokens: 5, total_output_tokens: 5 };
    for (const list of Object.values(recordOf(answer.usage) ?? {})) {
      for (const entry of recordsOf(list)) {
        entry.modality ??= "audio";
        entry.tokens ??= 2;
      }
    }
    coverCached(recordOf(answer.usage), "total_cached_tokens", "total_input_tokens");
    addUp(
      recordOf(answer.usage),
      "total_tokens",
      ...["total_input_tokens", "total_output_tokens", "total_tool_use_tokens", "total_thought_tokens"],
    );
  },
};

export const sources: readonly Source[] = [chat, responses, messages, gemini, interactions];
