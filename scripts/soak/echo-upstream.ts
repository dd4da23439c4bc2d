import { chunk, DONE, sse, usageChunk } from "../../test/support/gateway/start-upstream.ts";

/** What each of its answers uses. */
const USAGE = { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 };

/** What an answer costs at a ratio of 1, one from the cache, and one by the caller's own key; quota units. */
export const [MADE, HIT, BY_OWN_KEY] = [150, 15, 15 + 50];

/** Answered from the cache; by a key that comes with the call, alone; by a key that its account has stored, first. */
export const ECHO = { cached: "echo-cached", sent: "echo-sent", stored: "echo-stored" } as const;
export const ECHO_MODELS = Object.values(ECHO);

/** Options with which calls cost that. */
export const ECHO_OPTIONS = {
  ...{ ResponseCacheEnabled: true, ResponseCacheHitPercent: 10 },
  ResponseCacheRules: { [ECHO.cached]: { ttl_seconds: 3 } },
  ...{ ProviderKeys: "both", ProviderKeyFeePercent: "10", ProviderKeyFeePerCall: "0.0001" },
};

const LATENCY_MS = 40;
const [FAILING_SHARE, BREAKING_SHARE] = [0.08, 0.05];

/** Starts an upstream on a free loopback port that answers with what it was sent; some answers fail or break. */
export function startEchoUpstream() {
  const server = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0, development: false },
    async fetch(request) {
      const { messages, stream, model } = (await request.json()) as EchoRequest;
      await Bun.sleep(Math.random() * LATENCY_MS);
      const content = messages.at(-1)?.content ?? "";
      const dice = Math.random();
      if (dice < FAILING_SHARE) return Response.json({ error: { message: "out of order" } }, { status: 500 });
      if (stream) {
        const begin = chunk({ role: "assistant" }) + chunk({ content });
        return sse(dice > 1 - BREAKING_SHARE ? begin : begin + chunk({}, {}, "stop") + usageChunk(USAGE) + DONE);
      }
      const choices = [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }];
      return Response.json({ id: "echo", object: "chat.completion", created: 1, model, choices, usage: USAGE });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

type EchoRequest = Readonly<{ messages: readonly { content: string }[]; stream?: boolean; model: string }>;
