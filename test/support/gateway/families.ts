import { startUpstream } from "./start-upstream.ts";

/** Upstreams of three families that hold the same conversation: asked for the weather they reason and call a tool, given its result they answer. */
export const FAMILIES = ["openai", "anthropic", "gemini"] as const;
export type Family = (typeof FAMILIES)[number];

/** Channel-type numbers. */
export const FAMILY_TYPES: Readonly<Record<Family, number>> = { openai: 1, anthropic: 14, gemini: 24 };

export const THOUGHT = "Hm.";
export const LOOKING = "Let me look.";
export const ANSWER = "It rains in Ghent.";
const SIGNATURES: Readonly<Record<Family, string>> = { openai: "", anthropic: "YW50aHJvcGlj", gemini: "Z2VtaW5p" };

/** What the second turn must bring back of the first, in the family's own words. */
export const signatureOf = (family: Family): string => SIGNATURES[family];

const sse = (list: readonly object[], named: boolean, ending = ""): Response => {
  const events = list.map((data) => {
    const name = named ? `event: ${(data as { type: string }).type}\n` : "";
    return `${name}data: ${JSON.stringify(data)}\n\n`;
  });
  return new Response(events.join("") + ending, { headers: { "content-type": "text/event-stream" } });
};

/** Starts an upstream of the family. */
export function startFamily(family: Family) {
  return startUpstream(({ path, text }) => {
    if (path.includes("/responses")) return new Response("404 page not found", { status: 404 });
    const body = JSON.parse(text) as { stream?: boolean };
    const streamed = family === "gemini" ? path.includes(":stream") : body.stream === true;
    return SPEAK[family](streamed, text.includes("rainy"));
  });
}

type Speak = (streamed: boolean, hasToolResult: boolean) => Response;

const SPEAK: Readonly<Record<Family, Speak>> = { openai: speakOpenAi, anthropic: speakAnthropic, gemini: speakGemini };

function speakOpenAi(streamed: boolean, hasToolResult: boolean): Response {
  const common = { id: "chatcmpl-1", created: 1_700_000_000, model: "m" };
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 9,
    total_tokens: 29,
    prompt_tokens_details: { cached_tokens: 5 },
  };
  const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Ghent"}' } };
  const finish = hasToolResult ? "stop" : "tool_calls";
  if (!streamed) {
    const message = hasToolResult
      ? { role: "assistant", content: ANSWER }
      : { role: "assistant", content: LOOKING, reasoning_content: THOUGHT, tool_calls: [call] };
    const choices = [{ index: 0, message, finish_reason: finish }];
    return Response.json({ ...common, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: object, reason: string | null = null) => ({
    ...common,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  const deltas = hasToolResult
    ? [chunk({ content: ANSWER })]
    : [
        chunk({ reasoning_content: THOUGHT }),
        chunk({ content: LOOKING }),
        chunk({ tool_calls: [{ index: 0, ...call, function: { name: "weather", arguments: "" } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '"Ghent"}' } }] }),
      ];
  const all = [
    chunk({ role: "assistant", content: "" }),
    ...deltas,
    chunk({}, finish),
    { ...common, object: "chat.completion.chunk", choices: [], usage },
  ];
  return sse(all, false, "data: [DONE]\n\n");
}

function speakAnthropic(streamed: boolean, hasToolResult: boolean): Response {
  const usage = { input_tokens: 15, cache_read_input_tokens: 5, cache_creation_input_tokens: 0, output_tokens: 9 };
  const content = hasToolResult
    ? [{ type: "text", text: ANSWER }]
    : [
        { type: "thinking", thinking: THOUGHT, signature: SIGNATURES.anthropic },
        { type: "text", text: LOOKING },
        { type: "tool_use", id: "toolu_1", name: "weather", input: { city: "Ghent" } },
      ];
  const message = { id: "msg_1", type: "message", role: "assistant", model: "m" };
  const end = { stop_reason: hasToolResult ? "end_turn" : "tool_use", stop_sequence: null };
  if (!streamed) return Response.json({ ...message, content, ...end, usage });
  const blocks = content.flatMap((block, index) => {
    const { start, deltas } = inPieces(block);
    return [
      { type: "content_block_start", index, content_block: start },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  const all = [
    {
      type: "message_start",
      message: { ...message, content: [], ...end, stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...blocks,
    { type: "message_delta", delta: end, usage: { output_tokens: 9 } },
    { type: "message_stop" },
  ];
  return sse(all, true);
}

type Block = { type: string; text?: string; thinking?: string; signature?: string; input?: object };

function inPieces(block: Block): { start: object; deltas: object[] } {
  if (block.type === "text") {
    return { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: block.text }] };
  }
  if (block.type === "tool_use") {
    const json = JSON.stringify(block.input);
    const pieces = [json.slice(0, 5), json.slice(5)];
    return {
      start: { ...block, input: {} },
      deltas: pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    };
  }
  return {
    start: { type: "thinking", thinking: "", signature: "" },
    deltas: [
      { type: "thinking_delta", thinking: block.thinking },
      { type: "signature_delta", signature: block.signature },
    ],
  };
}

function speakGemini(streamed: boolean, hasToolResult: boolean): Response {
  const parts = hasToolResult
    ? [{ text: ANSWER }]
    : [
        { text: THOUGHT, thought: true },
        { text: LOOKING },
        { functionCall: { name: "weather", args: { city: "Ghent" } }, thoughtSignature: SIGNATURES.gemini },
      ];
  const usageMetadata = {
    promptTokenCount: 20,
    cachedContentTokenCount: 5,
    candidatesTokenCount: 7,
    thoughtsTokenCount: 2,
    totalTokenCount: 29,
  };
  const answer = (some: readonly object[], finishReason?: string) => ({
    candidates: [{ content: { role: "model", parts: some }, index: 0, ...(finishReason && { finishReason }) }],
    usageMetadata,
    modelVersion: "m",
    responseId: "r1",
  });
  if (!streamed) return Response.json(answer(parts, "STOP"));
  return sse(
    parts.map((part, at) => answer([part], at === parts.length - 1 ? "STOP" : undefined)),
    false,
  );
}
