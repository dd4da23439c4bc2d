import { recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { type FakeType, PIECES, REFUSED, type Seen } from "./fake-type.ts";
import { hmac, isRecent, same } from "./signing.ts";

/** The signature of Spark's address, recomputed from what was received. */
function sparkObjection({ path, query, headers }: Seen): string | null {
  const origin = Buffer.from(query.get("authorization") ?? "", "base64").toString();
  const {
    api_key,
    algorithm,
    headers: signed,
    signature = "",
  } = Object.fromEntries([...origin.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value])) as Record<
    string,
    string
  >;
  const date = query.get("date") ?? "";
  if (api_key !== "api-key" || algorithm !== "hmac-sha256" || signed !== "host date request-line")
    return "HMAC signature cannot be verified";
  if (!isRecent(Date.parse(date) / 1000) || query.get("host") !== headers.get("host"))
    return "HMAC signature cannot be verified";
  const text = `host: ${headers.get("host")}\ndate: ${date}\nGET ${path} HTTP/1.1`;
  return same(hmac("api-secret", text).toString("base64"), signature) ? null : "HMAC signature does not match";
}

export const spark: FakeType = {
  type: 18,
  model: "SparkDesk-v3.5",
  key: "app|api-secret|api-key",
  objection: (seen) => sparkObjection(seen) ?? (seen.path === "/v3.5/chat" ? null : `no such page: ${seen.path}`),
  question: ({ payload }) => textOf(recordsOf(recordOf(recordOf(payload)?.message)?.text).at(-1)?.content) ?? "",
  frames: ({ header, parameter }) => {
    const isKnown = recordOf(header)?.app_id === "app" && recordOf(recordOf(parameter)?.chat)?.domain === "generalv3.5";
    if (!isKnown) return [{ header: { code: 10015, message: "app or domain unknown", sid: "s", status: 2 } }];
    return PIECES.map((content, seq) => {
      const status = seq === 0 ? 0 : seq === PIECES.length - 1 ? 2 : 1;
      const text = [{ content, role: "assistant", index: 0 }];
      const usage = { text: { question_tokens: 4, prompt_tokens: 20, completion_tokens: 9, total_tokens: 29 } };
      return {
        header: { code: 0, message: "Success", sid: "s", status },
        payload: { choices: { status, seq, text }, ...(status === 2 && { usage }) },
      };
    });
  },
  refusal: { status: 400, answer: () => ({ header: { code: 10004, message: REFUSED, sid: "s", status: 2 } }) },
};
