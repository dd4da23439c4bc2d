/** Every recorded answer, replayed through the gateway: each client reads what the service said, and is charged what it reported. */
import { describe, expect, test } from "bun:test";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../src/formats/json.ts";
import { providerOf } from "../../../src/providers/registry.ts";
import { ask } from "../matrix/client-formats.ts";
import { type AnswerFormat, type ReadAnswer, readAnswer } from "./read-answer.ts";
import { type Recording, recordings, startRecorded } from "./recording.ts";

/** What has no answer to compare, and why. */
const SKIPPED: readonly (readonly [RegExp, string])[] = [
  [/batch|^qwen\/(embed|error\.2)|^qwen\/json\./, "a job or a file, which is no call of a client"],
  [/^bedrock-invoke\/error\.1|^vertex\/gemini-json\.\d/, "a count of tokens"],
  [/^bedrock-invoke\/(json|stream)\.1/, "Claude's text completions, which ended before Messages"],
  [/^qwen\/stream\.2/, "one event of a stream that goes on"],
];
/** Answers with status 200 that are failures. */
const FAILED = /^qwen\/(error-sse|stream\.1)|^openrouter\/stream-reasoning\.1/;

const isSkipped = ({ path }: Recording) => SKIPPED.some(([pattern]) => pattern.test(path));
const CHATS: ReadonlySet<unknown> = new Set(["chat", "responses", "messages", "gemini", "converse", "dashscope"]);
const isChat = (recording: Recording): recording is Recording & { kind: AnswerFormat } => CHATS.has(recording.kind);
const rows = <One extends Recording>(list: readonly One[]) => list.map((one) => [one.path, one] as const);

const played = recordings.filter((one) => !isSkipped(one));
const chats = played.filter(isChat);
const answers = chats.filter(({ status, path }) => status === 200 && !FAILED.test(path));
const errors = chats.filter(({ status, path }) => status >= 400 || FAILED.test(path));
const others = played.filter((one) => !isChat(one));

const CLIENTS = ["chat", "responses", "messages", "gemini"] as const;

/** xAI leaves reasoning out of the tokens of a completion; OpenAI's count contains it. */
function expectedOf({ kind, text, type }: Recording & { kind: AnswerFormat }): ReadAnswer {
  const answer = readAnswer(kind, text);
  if (type !== 48 || !answer.usage) return answer;
  const reasoning = Math.max(
    0,
    ...[...text.matchAll(/"reasoning_tokens":\s*(\d+)/g)].map(([, count]) => Number(count)),
  );
  return { ...answer, usage: { ...answer.usage, completion: answer.usage.completion + reasoning } };
}

/** Sends what each client sends for a chat; of calls that go to another API of the service there is no recording. */
async function forClients(
  recording: Recording,
  check: (
    client: (typeof CLIENTS)[number],
    response: Response,
    relay: ReturnType<typeof startRecorded>["relay"],
  ) => unknown,
): Promise<number> {
  let checked = 0;
  for (const client of CLIENTS) {
    const started = startRecorded(recording);
    const { path, body } = ask[client](
      { text: "Hi", tools: true, reasoning: true },
      recording.model,
      recording.streams,
    );
    const response = await started.relay.post(path, body);
    if (started.isAnswered()) {
      checked += 1;
      await check(client, response, started.relay);
    }
    started.stop();
  }
  return checked;
}

describe.skipIf(recordings.length === 0)("recorded", () => {
  test("each recording is replayed, or it is known why not", () => {
    expect(answers.length + errors.length + others.length).toBeGreaterThan(230);
    for (const [pattern] of SKIPPED) expect(recordings.some(({ path }) => pattern.test(path))).toBe(true);
  });

  test.each(rows(answers))("answer %s", async (_path, recording) => {
    const expected = expectedOf(recording);
    const checked = await forClients(recording, async (client, response, relay) => {
      expect([client, response.status]).toEqual([client, 200]);
      const { text, calls, usage } = readAnswer(client, await response.text());
      expect({ client, text, calls }).toEqual({ client, text: expected.text, calls: expected.calls });
      const { promptTokens, completionTokens, other } = await relay.billing.nextRecord();
      if (!expected.usage) return;
      const { prompt, cached, completion } = expected.usage;
      expect([promptTokens, completionTokens, Number(other.cache_tokens ?? 0)]).toEqual([prompt, completion, cached]);
      // Some count cached tokens beyond the prompt, for which Anthropic's members have no form.
      if (cached <= prompt) expect({ client, usage }).toEqual({ client, usage: expected.usage });
    });
    expect(checked).toBeGreaterThan(0);
  });

  test.each(rows(errors))("error %s", async (_path, recording) => {
    const checked = await forClients(recording, async (client, response, relay) => {
      const text = await response.text();
      const record = await relay.billing.nextRecord();
      if (response.status === 200) {
        // The error came at the end of a stream, whose tokens are paid.
        expect([client, text]).toEqual([client, expect.stringContaining("Token limit reached")]);
        return;
      }
      expect([response.status >= 400 && response.status < 500, record.quota]).toEqual([true, 0]);
      const { type, error } = recordOf(parseJson(text)) ?? {};
      const { code, status, message } = recordOf(error) ?? {};
      if (client === "messages") expect(type).toBe("error");
      if (client === "gemini") expect([code, typeof status]).toEqual([response.status, "string"]);
      expect(message).toBeTruthy();
    });
    expect(checked).toBeGreaterThan(0);
  });

  test.each(rows(others))("%s", async (_path, recording) => {
    const { kind, type, model, request, text, bytes, status } = recording;
    const answer = recordOf(parseJson(text)) ?? {};
    if (kind === "models") {
      const models = providerOf(type)?.modelList?.read(answer) ?? [];
      expect(models.length).toBeGreaterThan(0);
      return;
    }
    const { relay, stop } = startRecorded(recording);
    const path = kind === "speech" ? "audio/speech" : kind;
    const response = await relay.post(`/v1/${path}`, { ...OWN_MEMBERS[kind ?? ""], ...request, model });
    const received = new Uint8Array(await response.arrayBuffer());
    expect(response.status).toBe(status);
    const record = await relay.billing.nextRecord();
    stop();
    if (status !== 200) return expect(record.quota).toBe(0);
    if (kind === "speech") return expect([received.length < bytes.length, received.length > 0]).toEqual([true, true]);
    const body = recordOf(parseJson(new TextDecoder().decode(received))) ?? {};
    const recorded = recordsOf(answer.data ?? answer.results);
    expect(recordsOf(body.data ?? body.results)).toHaveLength(recorded.length);
    if (kind === "rerank") return;
    const reported = recordOf(answer.usage) ?? {};
    const tokens = Number(reported.prompt_tokens ?? reported.total_tokens);
    expect([body.model, recordOf(body.usage)?.prompt_tokens, record.promptTokens]).toEqual([
      expect.any(String),
      ...[tokens, tokens],
    ]);
  });
});

/** What OpenAI's form of a request has, and the service's own may lack. */
const OWN_MEMBERS: Readonly<Record<string, JsonObject>> = { speech: { input: "Hi", voice: "a" } };
