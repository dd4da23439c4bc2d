/** Upstreams for the examples that the usual fake upstream cannot answer: background responses, Google's Live API, music. */

/** The models of the examples, by the type of their channel. */
export const EXAMPLE_MODELS: readonly (readonly [type: number, model: string])[] = [
  [1, "gpt-5"],
  [14, "claude-sonnet-4-5"],
  [24, "gemini-live-2.5-flash-preview"],
  [35, "music-2.6"],
  [36, "suno_music"],
];

const LIVE_PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent";

/** Starts one server for all of them on a free loopback port. */
export function startExampleUpstreams() {
  const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
  const content = [{ type: "output_text", text: "First, rain.", annotations: [] }];
  const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content };
  let made = 0;
  const response = (id: string, isOver: boolean) =>
    Response.json({
      ...{ id, object: "response", created_at: 1, model: "gpt-5", background: true },
      ...(isOver ? { status: "completed", output: [message], usage } : { status: "queued", output: [], usage: null }),
    });
  const server = Bun.serve<unknown>({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request, bun) {
      const { pathname } = new URL(request.url);
      if (pathname === LIVE_PATH && bun.upgrade(request, { data: null })) return;
      const stored = /^\/v1\/responses\/(\w+)$/.exec(pathname)?.[1];
      if (stored) return response(stored, true);
      if (pathname === "/v1/responses") return response(`resp_example${++made}`, false);
      if (pathname === "/v1/music_generation")
        return Response.json({
          data: { audio: "494433", status: 2 },
          base_resp: { status_code: 0, status_msg: "success" },
        });
      if (pathname === "/v1/messages") return Response.json(memoryCall(request));
      if (pathname.startsWith("/suno/submit/"))
        return Response.json({ code: "success", message: "", data: `song-${++made}` });
      if (pathname === "/suno/fetch") {
        const { ids } = (await request.json()) as { ids: string[] };
        const data = ids.map((task_id) => ({ task_id, status: "SUCCESS", progress: "100%", data: [] }));
        return Response.json({ code: "success", message: "", data });
      }
      return Response.json({ error: { message: `no such page: ${pathname}` } }, { status: 404 });
    },
    websocket: {
      message(peer, frame) {
        const say = (answer: object) => void peer.send(Buffer.from(JSON.stringify(answer)));
        if (JSON.parse(String(frame)).setup) return say({ setupComplete: {} });
        say({ serverContent: { modelTurn: { role: "model", parts: [{ text: "Hello" }] } } });
        const usageMetadata = { promptTokenCount: 10, responseTokenCount: 5, totalTokenCount: 15 };
        say({ serverContent: { turnComplete: true }, usageMetadata });
      },
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

/** Anthropic's answer to the example of its betas: a call of the memory tool, if all betas were requested. */
function memoryCall({ headers }: Request): object {
  const betas = (headers.get("anthropic-beta") ?? "").split(",").length;
  const content = [
    { type: "thinking", thinking: "I look into my memory.", signature: "c2lnbmVk" },
    { type: "tool_use", id: "toolu_1", name: "memory", input: { command: "view", path: "/memories" } },
  ];
  return {
    ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", stop_reason: "tool_use" },
    ...{ content: betas === 3 ? content : [], usage: { input_tokens: 100, output_tokens: 20 } },
  };
}
