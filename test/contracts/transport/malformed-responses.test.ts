/**
 * What an upstream may answer, on connections that stay open and on ones that close: each call ends, each request is
 * delivered once, and the next exchange with the same origin gets its own response. Knows nothing of the transport.
 */
import { expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";
import { until } from "../../support/lib/until.ts";
import { RESPONSE_CASES } from "./malformed-responses.ts";
import { startRawServer } from "./raw-server.ts";
import { BODY, type ResponseCase } from "./response-case.ts";
import { createTestClient, echo, runAll } from "./test-client.ts";

type Job = Readonly<{ example: ResponseCase; index: number; closes: boolean }>;

const JOBS: readonly Job[] = RESPONSE_CASES.flatMap((example, index) => [
  { example, index, closes: false },
  { example, index, closes: true },
]);
/** Most of a case that never ends is waiting. */
const WORKERS = 64;
/** Long enough for a busy machine to answer a case that does end. */
const HEAD_MS = 10_000;
const IDLE_MS = 3_000;

/** Answers “/<index>/close” or “/<index>/open” with the bytes of that case, and everything else with what was sent. */
function startCases() {
  const delivered = new Map<string, number>();
  const server = startRawServer((connection, request) => {
    const [, index, ending] = /^\/(\d+)\/(open|close)/.exec(request.path) ?? [];
    const example = RESPONSE_CASES[Number(index)];
    if (!example) return void connection.write(echo(request));
    delivered.set(request.path, (delivered.get(request.path) ?? 0) + 1);
    void connection.write(example.bytes).then(() => ending === "close" && connection.end());
  });
  return { server, delivered };
}

const pathOf = ({ index, closes }: Job): string => `/${index}/${closes ? "close" : "open"}`;

const PERMITTED: Readonly<Record<ResponseCase["outcome"], readonly string[]>> = {
  body: ["body"],
  failure: ["failure"],
  "body-or-failure": ["body", "failure"],
  part: ["body", "part", "failure"],
  any: ["body", "part", "failure", "other"],
};

test("there are at least 500 of them, all different", () => {
  expect(new Set(RESPONSE_CASES.map(({ name }) => name)).size).toBe(RESPONSE_CASES.length);
  expect(RESPONSE_CASES.length).toBeGreaterThanOrEqual(500);
});

test("each call ends, is sent once, and spoils no other", async () => {
  const wrong: string[] = [];
  await runAll(JOBS, WORKERS, () => {
    const { server, delivered } = startCases();
    const client = createTestClient({ headMs: HEAD_MS, idleMs: IDLE_MS });
    const ask = async (path: string, body: string): Promise<string> => {
      try {
        const { status, text } = await client.fetchText(server.url + path, body);
        if (status !== 200) return "other";
        if (text === BODY || text === body) return "body";
        return BODY.startsWith(text) ? "part" : "other";
      } catch {
        return "failure";
      }
    };
    return {
      async run(job) {
        const path = pathOf(job);
        const outcome = await ask(path, "x");
        const next = [await ask("/echo", `first after ${path}`), await ask("/echo", `second after ${path}`)];
        const { name, outcome: expected } = job.example;
        if (PERMITTED[expected].includes(outcome) && next.every((each) => each === "body") && delivered.get(path) === 1)
          return;
        wrong.push(`${name} (${path}): ${outcome}, then ${next}, delivered ${delivered.get(path)} times`);
      },
      stop: server.stop,
    };
  });
  expect(wrong).toEqual([]);
}, 120_000);

/** Every so many cases go through the whole relay, as a call and as a stream. */
const SAMPLE = 13;

test.each([false, true])(
  "through the relay (stream: %p) the next channel answers, and nothing stays held",
  async (stream) => {
    const wrong: string[] = [];
    const good = startUpstream(() => Response.json(chatReply()));
    const jobs = JOBS.filter(({ index }) => index % SAMPLE === 0);
    await runAll(jobs, 16, () => {
      const { server, delivered } = startCases();
      return {
        async run(job) {
          const path = pathOf(job);
          // What a broken channel leaves behind, its cool-down above all, ends with its relay.
          const relay = startRelay({
            channels: [
              { baseUrl: `${server.url}${path}`, priority: 9 },
              { baseUrl: good.url, priority: 1 },
            ],
            options: { RetryTimes: "1" },
            config: { relayTimeoutMs: HEAD_MS, streamingTimeoutMs: IDLE_MS, maxResponseBodyBytes: 4_000_000 },
          });
          const ask = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }], stream };
          const response = await relay.post("/v1/chat/completions", ask);
          const text = await response.text();
          await until(() => relay.billing.openHolds === 0);
          // What came too late is not asked again elsewhere.
          const isRight = response.status === 504 || (response.status === 200 && text.includes("Hello there"));
          const isPart = job.example.outcome === "any" || job.example.outcome === "part";
          if (!(isRight || isPart) || delivered.get(`${path}/v1/chat/completions`) !== 1) {
            wrong.push(`${job.example.name} (${path}): ${response.status} ${text.slice(0, 200)}`);
          }
          await relay.stop();
        },
        stop: server.stop,
      };
    });
    await good.stop();
    expect(wrong).toEqual([]);
  },
  120_000,
);
