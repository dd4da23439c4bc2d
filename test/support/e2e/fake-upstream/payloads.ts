/** Bodies in the shapes that OpenAI's API documents; the texts and ids are ours. */

export type Usage = Readonly<{ prompt: number; completion: number; cached?: number; reasoning?: number }>;

export type ToolCall = Readonly<{ id: string; name: string; arguments: string }>;

export const DEFAULT_USAGE: Usage = { prompt: 21, completion: 9 };
export const ANSWER = ["A", " sluice", " is", " a", " gate", " that", " measures", " water", "."] as const;
export const TOOL_CALLS: readonly ToolCall[] = [
  { id: "call_gate1", name: "open_gate", arguments: '{"gate":"north","percent":40}' },
  { id: "call_gate2", name: "read_level", arguments: '{"basin":"upper"}' },
];

const CREATED = 1_790_000_000;
const FINGERPRINT = "fp_5e1f0c2a71";

function usageObject({ prompt, completion, cached = 0, reasoning = 0 }: Usage) {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** A whole chat completion; with tool calls instead of a text where there are any. */
export function chatCompletion(model: string, usage: Usage | null, calls: readonly ToolCall[] = []) {
  const message = calls.length
    ? { role: "assistant", content: null, refusal: null, tool_calls: calls.map(toolCall) }
    : { role: "assistant", content: ANSWER.join(""), refusal: null, annotations: [] };
  return {
    id: "chatcmpl-Slc0000000000000000000001",
    object: "chat.completion",
    created: CREATED,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: calls.length ? "tool_calls" : "stop" }],
    ...(usage && { usage: usageObject(usage) }),
    service_tier: "default",
    system_fingerprint: FINGERPRINT,
  };
}

export type ChunkOptions = Readonly<{
  /** Whether the client asked for usage: every chunk then has the field, null but for the last. */
  includeUsage: boolean;
  usage: Usage | null;
  /** Some providers put the usage on the chunk that carries the finish reason. */
  usageWithChoices?: boolean;
  words?: readonly string[];
  calls?: readonly ToolCall[];
}>;

/** The chunks of a streamed chat completion, in order, without the closing [DONE]. */
export function chatChunks(model: string, options: ChunkOptions): object[] {
  const { includeUsage, usage, calls = [], words = calls.length ? [] : ANSWER } = options;
  const chunk = (choices: object[], reported: Usage | null = null) => ({
    id: "chatcmpl-Slc0000000000000000000002",
    object: "chat.completion.chunk",
    created: CREATED,
    model,
    service_tier: "default",
    system_fingerprint: FINGERPRINT,
    choices,
    ...((includeUsage || reported) && { usage: reported && usageObject(reported) }),
  });
  const choice = (delta: object, finish: string | null = null) => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason: finish,
  });
  const reportsUsage = usage !== null && (includeUsage || options.usageWithChoices === true);
  return [
    chunk([choice({ role: "assistant", content: calls.length ? null : "", refusal: null })]),
    ...words.map((content) => chunk([choice({ content })])),
    ...calls.flatMap((call, index) => toolCallDeltas(call, index).map((delta) => chunk([choice(delta)]))),
    chunk([choice({}, calls.length ? "tool_calls" : "stop")], options.usageWithChoices ? usage : null),
    ...(reportsUsage && !options.usageWithChoices ? [chunk([], usage)] : []),
  ];
}

export function textCompletion(model: string, usage: Usage) {
  return {
    id: "cmpl-Slc0000000000000000000003",
    object: "text_completion",
    created: CREATED,
    model,
    choices: [{ text: ANSWER.join(""), index: 0, logprobs: null, finish_reason: "stop" }],
    usage: {
      prompt_tokens: usage.prompt,
      completion_tokens: usage.completion,
      total_tokens: usage.prompt + usage.completion,
    },
  };
}

/** The chunks of a streamed text completion. */
export function textChunks(model: string, usage: Usage | null): object[] {
  const chunk = (choices: object[], rest: object = {}) => ({
    id: "cmpl-Slc0000000000000000000004",
    object: "text_completion",
    created: CREATED,
    model,
    choices,
    ...rest,
  });
  const last = { text: "", index: 0, logprobs: null, finish_reason: "stop" };
  return [
    ...ANSWER.map((text) => chunk([{ text, index: 0, logprobs: null, finish_reason: null }])),
    chunk([last]),
    ...(usage ? [chunk([], { usage: usageObject(usage) })] : []),
  ];
}

export function embeddings(model: string, inputs: number, base64: boolean) {
  const vector = Float32Array.from([0.25, -0.5, 0.125, 0.75]);
  const embedding = base64 ? Buffer.from(vector.buffer).toString("base64") : [...vector];
  return {
    object: "list",
    data: Array.from({ length: inputs }, (_, index) => ({ object: "embedding", index, embedding })),
    model,
    usage: { prompt_tokens: 5 * inputs, total_tokens: 5 * inputs },
  };
}

export function modelList(ids: readonly string[]) {
  return { object: "list", data: ids.map((id) => ({ id, object: "model", created: CREATED, owned_by: "upstream" })) };
}

const ERRORS: Readonly<Record<number, { message: string; type: string; code: string | null }>> = {
  400: {
    message: "Unsupported value: 'temperature' must be at most 2.",
    type: "invalid_request_error",
    code: "unsupported_value",
  },
  401: { message: "Incorrect API key provided: sk-up***ream.", type: "invalid_request_error", code: "invalid_api_key" },
  403: {
    message: "Project does not have access to this model.",
    type: "invalid_request_error",
    code: "model_not_found",
  },
  404: {
    message: "The model does not exist or you do not have access to it.",
    type: "invalid_request_error",
    code: "model_not_found",
  },
  429: { message: "Rate limit reached for requests per minute.", type: "requests", code: "rate_limit_exceeded" },
  500: { message: "The server had an error while processing your request.", type: "server_error", code: null },
  503: { message: "The engine is currently overloaded, please try again later.", type: "server_error", code: null },
};

/** The error object of OpenAI's API for an HTTP status. */
export function errorBody(status: number) {
  const known = ERRORS[status] ?? { message: `The request failed with ${status}.`, type: "server_error", code: null };
  return { error: { message: known.message, type: known.type, param: null, code: known.code } };
}

function toolCall({ id, name, arguments: args }: ToolCall) {
  return { id, type: "function", function: { name, arguments: args } };
}

/** A tool call as it streams: a start with its name, then its arguments in pieces. */
function toolCallDeltas({ id, name, arguments: args }: ToolCall, index: number): object[] {
  const middle = Math.ceil(args.length / 2);
  const piece = (text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
  return [
    { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] },
    piece(args.slice(0, middle)),
    piece(args.slice(middle)),
  ];
}

/** What is left, by path: 25.50 − 5.50 dollars as OpenAI returns it, 12.50 yuan as SiliconCloud does. */
export const BALANCES: Readonly<Record<string, object | undefined>> = {
  "/v1/dashboard/billing/subscription": { hard_limit_usd: 25.5, has_payment_method: true },
  "/v1/dashboard/billing/usage": { total_usage: 550 },
  "/v1/user/info": { data: { totalBalance: "12.50" } },
};
