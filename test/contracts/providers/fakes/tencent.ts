import { recordsOf, textOf } from "../../../../src/formats/json.ts";
import { ANSWER, dataEvents, eventStream, type FakeType, PIECES, REFUSED, type Seen, USAGE } from "./fake-type.ts";
import { hmac, isRecent, same, sha256 } from "./signing.ts";

/** TC3-HMAC-SHA256, recomputed from what was received. */
export function tencentObjection({ headers, text, path }: Omit<Seen, "query" | "body">, action: string): string | null {
  const authorization = headers.get("authorization") ?? "";
  const [, id, scope = "", signed = "", signature = ""] =
    /^TC3-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      authorization,
    ) ?? [];
  const timestamp = headers.get("x-tc-timestamp") ?? "";
  if (id !== "secret-id") return "AuthFailure.SecretIdNotFound";
  if (headers.get("x-tc-action") !== action || headers.get("x-tc-version") !== "2023-09-01") return "InvalidAction";
  const day = new Date(Number(timestamp) * 1000).toISOString().slice(0, 10);
  if (scope !== `${day}/hunyuan/tc3_request` || !isRecent(Number(timestamp))) return "AuthFailure.SignatureExpire";
  const lines = signed.split(";").map((name) => `${name}:${headers.get(name)?.trim().toLowerCase()}\n`);
  const canonical = ["POST", path, "", lines.join(""), signed, sha256(text)].join("\n");
  const key = [day, "hunyuan", "tc3_request"].reduce<string | Buffer>(
    (made, part) => hmac(made, part),
    "TC3secret-key",
  );
  const expected = hmac(key, ["TC3-HMAC-SHA256", timestamp, scope, sha256(canonical)].join("\n")).toString("hex");
  return same(expected, signature) ? null : "AuthFailure.SignatureFailure";
}

const tencentUsage = { PromptTokens: USAGE.prompt, CompletionTokens: USAGE.completion, TotalTokens: 29 };

export const hunyuan: FakeType = {
  type: 23,
  model: "hunyuan-turbos-latest",
  key: "1250000000|secret-id|secret-key",
  objection: (seen) => tencentObjection(seen, "ChatCompletions"),
  question: ({ Messages }) => textOf(recordsOf(Messages).at(-1)?.Content) ?? "",
  reply: () => {
    const Message = { Role: "assistant", Content: ANSWER };
    const Choices = [{ Index: 0, Message, FinishReason: "stop" }];
    return Response.json({ Response: { RequestId: "r", Id: "h1", Created: 1, Choices, Usage: tencentUsage } });
  },
  stream: () => {
    const event = (Content: string, FinishReason: string) => ({
      Id: "h1",
      Choices: [{ Index: 0, Delta: { Role: "assistant", Content }, FinishReason }],
      Usage: tencentUsage,
    });
    return eventStream(dataEvents([...PIECES.map((piece) => event(piece, "")), event("", "stop")]));
  },
  // With status 200, also where a stream was asked for.
  refusal: {
    status: 400,
    answer: () =>
      Response.json({ Response: { RequestId: "r", Error: { Code: "InvalidParameter", Message: REFUSED } } }),
  },
};
