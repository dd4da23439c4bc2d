import { parseJson, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { openaiReply, openaiStream } from "./compatible.ts";
import { ANSWER, eventStream, type FakeType, PIECES, REFUSED } from "./fake-type.ts";
import { hmac, isRecent, same } from "./signing.ts";

/** A JWT by HS256 whose secret is the key's, with times in milliseconds. */
function zhipuToken(token: string): string | null {
  const [head = "", payload = "", signature = ""] = token.split(".");
  const expected = hmac("secret", `${head}.${payload}`).toString("base64url");
  if (!same(signature, expected)) return "Authentication failed";
  const claims = recordOf(parseJson(Buffer.from(payload, "base64url").toString())) ?? {};
  const header = recordOf(parseJson(Buffer.from(head, "base64url").toString())) ?? {};
  if (header.alg !== "HS256" || header.sign_type !== "SIGN" || claims.api_key !== "id") return "Authentication failed";
  return Number(claims.exp) > Date.now() && isRecent(Number(claims.timestamp) / 1000) ? null : "token expired";
}

export const chatglm: FakeType = {
  type: 16,
  model: "chatglm_turbo",
  key: "id.secret",
  objection: ({ path, headers }) =>
    zhipuToken(headers.get("authorization") ?? "") ??
    (/^\/api\/paas\/v3\/model-api\/chatglm_turbo\/(sse-)?invoke$/.test(path) ? null : `no such page: ${path}`),
  question: ({ prompt }) => textOf(recordsOf(prompt).at(-1)?.content) ?? "",
  reply: () => {
    const usage = { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 };
    const choices = [{ role: "assistant", content: JSON.stringify(ANSWER) }];
    return Response.json({ code: 200, msg: "ok", success: true, data: { request_id: "1", choices, usage } });
  },
  stream: () => {
    const meta = { task_status: "SUCCESS", usage: { prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } };
    return eventStream([
      ...PIECES.map((piece) => `event:add\nid:7\ndata:${piece}\n\n`),
      `event:finish\nid:7\ndata:\nmeta:${JSON.stringify(meta)}\n\n`,
    ]);
  },
  refusal: { status: 400, answer: () => ({ code: 1210, msg: REFUSED, success: false }) },
  // The fourth API takes whole keys too.
  otherPaths: ({ path, headers }) =>
    path === "/api/paas/v4/models" && headers.get("authorization") === "Bearer id.secret"
      ? Response.json({ object: "list", data: [{ id: "model-b" }, { id: "model-a" }] })
      : null,
  models: ["model-b", "model-a"],
};

/** The same type's fourth API, which takes the token as OpenAI takes keys. */
export const zhipuFourth: FakeType = {
  ...chatglm,
  model: "glm-4.6",
  objection: ({ path, headers }) =>
    zhipuToken((headers.get("authorization") ?? "").replace(/^Bearer /, "")) ??
    (path === "/api/paas/v4/chat/completions" ? null : `no such page: ${path}`),
  question: ({ messages }) => textOf(recordsOf(messages).at(-1)?.content) ?? "",
  reply: openaiReply,
  stream: openaiStream,
  refusal: {
    status: 400,
    answer: () => Response.json({ error: { code: "1210", message: REFUSED } }, { status: 400 }),
  },
};
