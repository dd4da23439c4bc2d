import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf } from "../../../src/formats/json.ts";
import { CALL_ID, GHENT, PARAMETERS, RESULT, SCHEMA, SYSTEM, type Wish } from "./conversation.ts";

export const CLIENT_FORMATS = ["chat", "responses", "messages", "gemini", "interactions"] as const;
export type ClientFormat = (typeof CLIENT_FORMATS)[number];

type ClientRequest = Readonly<{ path: string; body: JsonObject }>;

/** How a client of each format asks for a wish. */
export const ask: Readonly<Record<ClientFormat, (wish: Wish, model: string, stream: boolean) => ClientRequest>> = {
  chat: (wish, model, stream) => {
    const image = wish.image && { type: "image_url", image_url: { url: wish.image } };
    const call = {
      id: CALL_ID,
      type: "function",
      function: { name: GHENT.name, arguments: JSON.stringify(GHENT.input) },
    };
    const toolTurns = [
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: CALL_ID, content: RESULT },
    ];
    return {
      path: "/v1/chat/completions",
      body: {
        model,
        ...(stream && { stream, stream_options: { include_usage: true } }),
        messages: [
          { role: "system", content: SYSTEM },
          { role: "user", content: image ? [{ type: "text", text: wish.text }, image] : wish.text },
          ...(wish.withToolResult ? toolTurns : []),
        ],
        ...(wish.tools && {
          tools: [
            { type: "function", function: { name: GHENT.name, description: "Tells it.", parameters: PARAMETERS } },
          ],
        }),
        ...(wish.stop && { stop: wish.stop }),
        ...(wish.schema && {
          response_format: { type: "json_schema", json_schema: { name: "report", strict: true, schema: SCHEMA } },
        }),
        ...(wish.reasoning && { reasoning_effort: "medium" }),
        ...(wish.limit && { max_tokens: wish.limit }),
        ...(wish.mustCall && { tool_choice: "required" }),
      },
    };
  },
  responses: (wish, model, stream) => {
    const image = wish.image && { type: "input_image", image_url: wish.image, detail: "auto" };
    const toolTurns = [
      { type: "function_call", call_id: CALL_ID, name: GHENT.name, arguments: JSON.stringify(GHENT.input) },
      { type: "function_call_output", call_id: CALL_ID, output: RESULT },
    ];
    return {
      path: "/v1/responses",
      body: {
        model,
        ...(stream && { stream }),
        instructions: SYSTEM,
        input: [
          { role: "user", content: [{ type: "input_text", text: wish.text }, ...(image ? [image] : [])] },
          ...(wish.withToolResult ? toolTurns : []),
        ],
        ...(wish.tools && {
          tools: [
            { type: "function", name: GHENT.name, description: "Tells it.", parameters: PARAMETERS, strict: false },
          ],
        }),
        ...(wish.schema && {
          text: { format: { type: "json_schema", name: "report", strict: true, schema: SCHEMA } },
        }),
        ...(wish.reasoning && { reasoning: { effort: "medium", summary: "auto" } }),
        ...(wish.limit && { max_output_tokens: wish.limit }),
        ...(wish.mustCall && { tool_choice: "required" }),
      },
    };
  },
  messages: (wish, model, stream) => {
    const [, type, data] = /^data:([^;]+);base64,(.*)$/.exec(wish.image ?? "") ?? [];
    const source = data ? { type: "base64", media_type: type, data } : { type: "url", url: wish.image };
    const toolTurns = [
      { role: "assistant", content: [{ type: "tool_use", id: CALL_ID, name: GHENT.name, input: GHENT.input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: CALL_ID, content: RESULT }] },
    ];
    return {
      path: "/v1/messages",
      body: {
        model,
        ...(stream && { stream }),
        max_tokens: wish.limit ?? 4096,
        ...(wish.mustCall && { tool_choice: { type: "any" } }),
        system: SYSTEM,
        messages: [
          {
            role: "user",
            content: wish.image
              ? [
                  { type: "text", text: wish.text },
                  { type: "image", source },
                ]
              : wish.text,
          },
          ...(wish.withToolResult ? toolTurns : []),
        ],
        ...(wish.tools && { tools: [{ name: GHENT.name, description: "Tells it.", input_schema: PARAMETERS }] }),
        ...(wish.stop && { stop_sequences: wish.stop }),
        ...(wish.schema && { output_config: { format: { type: "json_schema", schema: SCHEMA } } }),
        ...(wish.reasoning && { thinking: { type: "enabled", budget_tokens: 2048 } }),
      },
    };
  },
  gemini: (wish, model, stream) => {
    const [, mimeType, data] = /^data:([^;]+);base64,(.*)$/.exec(wish.image ?? "") ?? [];
    const image = data
      ? { inlineData: { mimeType, data } }
      : { fileData: { mimeType: "image/png", fileUri: wish.image } };
    const toolTurns = [
      { role: "model", parts: [{ functionCall: { name: GHENT.name, args: GHENT.input } }] },
      { role: "user", parts: [{ functionResponse: { name: GHENT.name, response: { result: RESULT } } }] },
    ];
    const { additionalProperties: _, ...schema } = SCHEMA;
    return {
      path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      body: {
        systemInstruction: { parts: [{ text: SYSTEM }] },
        contents: [
          { role: "user", parts: [{ text: wish.text }, ...(wish.image ? [image] : [])] },
          ...(wish.withToolResult ? toolTurns : []),
        ],
        ...(wish.tools && {
          tools: [{ functionDeclarations: [{ name: GHENT.name, description: "Tells it.", parameters: PARAMETERS }] }],
        }),
        ...(wish.mustCall && { toolConfig: { functionCallingConfig: { mode: "ANY" } } }),
        generationConfig: {
          ...(wish.limit && { maxOutputTokens: wish.limit }),
          ...(wish.stop && { stopSequences: wish.stop }),
          ...(wish.schema && { responseMimeType: "application/json", responseSchema: schema }),
          ...(wish.reasoning && { thinkingConfig: { thinkingBudget: 2048, includeThoughts: true } }),
        },
      },
    };
  },
  interactions: (wish, model, stream) => {
    const [, mime_type, data] = /^data:([^;]+);base64,(.*)$/.exec(wish.image ?? "") ?? [];
    const image = data ? { type: "image", mime_type, data } : { type: "image", uri: wish.image };
    const toolSteps = [
      { type: "function_call", id: CALL_ID, name: GHENT.name, arguments: GHENT.input },
      { type: "function_result", call_id: CALL_ID, name: GHENT.name, result: RESULT },
    ];
    const { additionalProperties: _, ...schema } = SCHEMA;
    return {
      path: "/v1beta/interactions",
      body: {
        model,
        ...(stream && { stream }),
        system_instruction: SYSTEM,
        input: [
          { type: "user_input", content: [{ type: "text", text: wish.text }, ...(wish.image ? [image] : [])] },
          ...(wish.withToolResult ? toolSteps : []),
        ],
        ...(wish.tools && {
          tools: [{ type: "function", name: GHENT.name, description: "Tells it.", parameters: PARAMETERS }],
        }),
        ...(wish.schema && { response_format: { type: "text", mime_type: "application/json", schema } }),
        generation_config: {
          ...(wish.limit && { max_output_tokens: wish.limit }),
          ...(wish.stop && { stop_sequences: wish.stop }),
          ...(wish.reasoning && { thinking_level: "medium", thinking_summaries: "auto" }),
          ...(wish.mustCall && { tool_choice: "any" }),
        },
      },
    };
  },
};

/** The message of an error in its client format; null when it is not in it. */
export const errorMessage: Readonly<Record<ClientFormat, (body: JsonObject) => string | null>> = {
  chat: openaiError,
  responses: openaiError,
  messages: ({ type, error }) => {
    const { type: kind, message } = recordOf(error) ?? {};
    return type === "error" && textOf(kind) !== null ? textOf(message) : null;
  },
  gemini: ({ error }) => {
    const { code, status, message } = recordOf(error) ?? {};
    return numberOf(code) !== null && textOf(status) !== null ? textOf(message) : null;
  },
  interactions: ({ error }) => {
    const { code, message } = recordOf(error) ?? {};
    return textOf(code) === null ? null : textOf(message);
  },
};

function openaiError({ error }: JsonObject): string | null {
  const { type, message } = recordOf(error) ?? {};
  return textOf(type) === null ? null : textOf(message);
}

/** The parsed data of a stream's events; `[DONE]` and comments left out. */
export const dataOf = (text: string): JsonObject[] =>
  recordsOf([...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = ""]) => parseJson(data)));
