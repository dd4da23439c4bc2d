/** Bytes of an answer that is larger than most. */
const HUGE_BYTES = 3_000_000;

/** What an upstream answers that is no completion, or hardly one, by the model's name. */
const ANSWERS: Readonly<Record<string, () => Response>> = {
  html: () => new Response("<html>Log in first</html>", { headers: { "content-type": "text/html" } }),
  "not-json": () => new Response("this is not json", { headers: { "content-type": "application/json" } }),
  "empty-body": () => new Response("", { headers: { "content-type": "application/json" } }),
  "other-json": () => Response.json({ hello: 1 }),
  "bad-stream": () =>
    new Response("data: {not json}\n\ndata: [DONE]\n\n", { headers: { "content-type": "text/event-stream" } }),
  // Served by a sound channel, too, that is asked next.
  rescued: () => new Response("<html>Log in first</html>", { headers: { "content-type": "text/html" } }),
  huge: () => Response.json(completion("huge", "word ".repeat(HUGE_BYTES / 5))),
};

export const FAULTY_MODELS = Object.keys(ANSWERS);

/** Starts an upstream on a free loopback port whose answers are malformed or huge. */
export function startFaultyUpstream() {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    async fetch(request) {
      const body: unknown = await request.json().catch(() => null);
      const model = typeof body === "object" && body !== null && "model" in body ? String(body.model) : "";
      return ANSWERS[model]?.() ?? new Response("{}", { status: 404 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

const completion = (model: string, content: string) => ({
  id: "chatcmpl-soak",
  object: "chat.completion",
  created: 1_700_000_000,
  model,
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 900, total_tokens: 905 },
});
