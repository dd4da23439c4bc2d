import { type JsonObject, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { ANSWER, dataEvents, eventStream, type FakeType, PIECES, REFUSED, type Seen, USAGE } from "./fake-type.ts";

const COMMON = { id: "cmpl-1", created: 1_760_000_000, model: "served" };
const usage = {
  prompt_tokens: USAGE.prompt,
  completion_tokens: USAGE.completion,
  total_tokens: USAGE.prompt + USAGE.completion,
};

const replyWith = (reportedUsage: typeof usage): Response =>
  Response.json({
    ...COMMON,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: ANSWER }, finish_reason: "stop" }],
    usage: reportedUsage,
  });

const streamWith = (reportedUsage: typeof usage): Response => {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...COMMON,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const chunks = [
    ...PIECES.map((content) => chunk({ content })),
    chunk({}, "stop"),
    { ...chunk({}), choices: [], usage: reportedUsage },
  ];
  return eventStream([...dataEvents(chunks), "data: [DONE]\n\n"]);
};

export const openaiReply = (): Response => replyWith(usage);
export const openaiStream = (): Response => streamWith(usage);

/** The user's words in messages of OpenAI's kind. */
const lastQuestion = ({ messages }: JsonObject): string => {
  const content = recordsOf(messages).findLast(({ role }) => role === "user")?.content;
  return (
    textOf(content) ??
    recordsOf(content)
      .flatMap(({ text }) => textOf(text) ?? [])
      .join("")
  );
};

type Table = Readonly<{
  type: number;
  /** Where chats are; the list of models is next to it unless named. */
  path: string;
  model?: string;
  key?: string;
  other?: string;
  base?: string;
  /** Header that carries the key. */
  carries?: readonly [name: string, value: string];
  /** Address of the list of models; null: none. */
  list?: string | null;
  listOf?: (ids: readonly string[]) => object;
  /** Reports the same tokens for every call. */
  placeholder?: typeof usage;
  balance?: Readonly<{ path: string; answer: object; amount: number; currency: string }>;
  /** Status of a refusal, its body, and the status that it means where that is another; absent: in OpenAI's words. */
  refuses?: readonly [status: number, body: object, means?: number];
}>;

const INVALID = { message: REFUSED, type: "invalid_request_error" };
/** As vLLM and Mistral have it. */
const BARE_ERROR = { object: "error", ...INVALID, param: null };

const TABLES: readonly Table[] = [
  { type: 1, path: "/v1/chat/completions", list: "/v1/models" },
  {
    type: 3,
    path: "/openai/deployments/gpt-4o/chat/completions",
    model: "gpt-4o",
    other: "2025-04-01-preview",
    carries: ["api-key", "upstream"],
    list: "/openai/models",
  },
  { type: 8, path: "/own/address", base: "/own/address", list: null },
  {
    type: 19,
    path: "/v1/chat/completions",
    list: "/v1/models",
    refuses: [400, { error: { ...INVALID, code: "1001" } }],
  },
  {
    type: 20,
    path: "/v1/chat/completions",
    list: "/v1/models",
    balance: {
      path: "/v1/key",
      answer: { data: { limit: 10.5, limit_remaining: 6.25, usage: 4.25 } },
      amount: 6.25,
      currency: "USD",
    },
    refuses: [
      400,
      {
        error: {
          code: 400,
          message: "Provider returned error",
          metadata: { provider_name: "Somebody", raw: REFUSED },
        },
        user_id: "user_1",
      },
    ],
  },
  {
    type: 22,
    base: "/api",
    path: "/api/v1/chat/completions",
    list: "/v1/models",
    placeholder: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 1 },
    refuses: [500, { code: 500, statusText: "", message: REFUSED, data: null }],
  },
  {
    type: 25,
    path: "/v1/chat/completions",
    list: "/v1/models",
    balance: {
      path: "/v1/users/me/balance",
      answer: { code: 0, data: { available_balance: 49.5, voucher_balance: 46.5, cash_balance: 3 }, status: true },
      amount: 49.5,
      currency: "CNY",
    },
    refuses: [400, { error: INVALID }],
  },
  {
    type: 26,
    path: "/api/paas/v4/chat/completions",
    list: "/api/paas/v4/models",
    refuses: [400, { error: { code: "1210", message: REFUSED } }],
  },
  { type: 31, path: "/v1/chat/completions", list: "/v1/models" },
  {
    type: 35,
    path: "/v1/chat/completions",
    list: "/v1/models",
    refuses: [200, { base_resp: { status_code: 2013, status_msg: REFUSED } }, 400],
  },
  {
    type: 39,
    path: "/client/v4/accounts/acc/ai/v1/chat/completions",
    other: "acc",
    list: "/client/v4/accounts/acc/ai/models/search",
    listOf: (ids) => ({ result: ids.map((name) => ({ name })), success: true, errors: [] }),
    refuses: [400, { result: null, success: false, errors: [{ code: 5006, message: REFUSED }], messages: [] }],
  },
  {
    type: 40,
    path: "/v1/chat/completions",
    list: "/v1/models",
    balance: {
      path: "/v1/user/info",
      answer: { code: 20000, status: true, data: { balance: "0.88", chargeBalance: "88.00", totalBalance: "88.88" } },
      amount: 88.88,
      currency: "CNY",
    },
    refuses: [400, { code: 20015, message: REFUSED, data: null }],
  },
  {
    type: 42,
    path: "/v1/chat/completions",
    list: "/v1/models",
    refuses: [422, { detail: [{ type: "missing", loc: ["body", "messages"], msg: REFUSED, input: null }] }],
  },
  {
    type: 43,
    path: "/v1/chat/completions",
    list: "/v1/models",
    balance: {
      path: "/user/balance",
      answer: {
        is_available: true,
        balance_infos: [
          { currency: "USD", total_balance: "3.00" },
          { currency: "CNY", total_balance: "110.00", granted_balance: "10.00", topped_up_balance: "100.00" },
        ],
      },
      amount: 110,
      currency: "CNY",
    },
  },
  {
    type: 45,
    path: "/api/v3/chat/completions",
    list: "/api/v3/models",
    refuses: [400, { error: { code: "InvalidParameter", message: REFUSED, param: "messages", type: "BadRequest" } }],
  },
  {
    type: 46,
    path: "/v2/chat/completions",
    list: "/v2/models",
    refuses: [400, { error: { ...INVALID, code: "invalid_argument" }, id: "as-1" }],
  },
  { type: 47, path: "/v1/chat/completions", list: "/v1/models", refuses: [400, { detail: REFUSED }] },
  {
    type: 48,
    path: "/v1/chat/completions",
    list: "/v1/models",
    refuses: [400, { code: "Client specified an invalid argument", error: REFUSED }],
  },
  { type: 1000, path: "/v1/chat/completions", list: "/v1/models" },
  {
    type: 1001,
    path: "/v1/chat/completions",
    list: "/v1/models",
    listOf: (ids) => ids.map((id) => ({ id, object: "model", type: "chat" })),
    refuses: [400, { id: "call-1", error: { ...INVALID, param: null, code: null } }],
  },
  {
    type: 1002,
    path: "/v1/chat/completions",
    list: "/v1/models",
    refuses: [400, { error: { object: "error", ...INVALID, code: "invalid_request_error" } }],
  },
  {
    type: 1003,
    path: "/chat/completions",
    list: "/v1/models",
    refuses: [400, { error: { message: REFUSED, type: "bad_request", code: 400 } }],
  },
  {
    type: 1004,
    path: "/v1/chat/completions",
    list: "/v1/models",
    refuses: [422, { type: "about:blank", title: "Unprocessable Entity", status: 422, detail: REFUSED }],
  },
  { type: 1005, path: "/v1/chat/completions", list: "/v1/models", refuses: [400, { error: REFUSED }] },
  { type: 1006, path: "/v1/chat/completions", list: "/v1/models", refuses: [400, { ...BARE_ERROR, code: 400 }] },
];

const openaiList = (ids: readonly string[]) => ({ object: "list", data: ids.map((id) => ({ id, object: "model" })) });

function fakeOf(table: Table): FakeType {
  const { placeholder } = table;
  const { list = null, listOf = openaiList, balance, carries = ["authorization", "Bearer upstream"] } = table;
  const [status, refusal, means = status] = table.refuses ?? [400, { error: INVALID }];
  const models = ["model-b", "model-a"];
  const isAdmitted = ({ headers }: Seen) => headers.get(carries[0]) === carries[1];
  return {
    type: table.type,
    model: table.model ?? "some-model",
    key: table.key ?? "upstream",
    ...(table.other && { other: table.other }),
    ...(table.base && { base: table.base }),
    objection(seen) {
      if (!isAdmitted(seen)) return "no such key";
      if (table.type === 3 && seen.query.get("api-version") !== table.other) return "no such version";
      return seen.path === table.path ? null : `no such page: ${seen.path}`;
    },
    question: lastQuestion,
    reply: () => replyWith(placeholder ?? usage),
    stream: () => streamWith(placeholder ?? usage),
    ...(placeholder && { silentOnUsage: true }),
    refusal: { status: means, answer: () => Response.json(refusal, { status }) },
    otherPaths(seen) {
      if (!isAdmitted(seen)) return null;
      if (balance && seen.path === balance.path) return Response.json(balance.answer);
      return list !== null && seen.path === list ? Response.json(listOf(models)) : null;
    },
    ...(list !== null && { models }),
    ...(balance && { balance: { amount: balance.amount, currency: balance.currency } }),
  };
}

/** Services that speak OpenAI's chat format, each under its own address. */
export const compatibleTypes: readonly FakeType[] = TABLES.map(fakeOf);
