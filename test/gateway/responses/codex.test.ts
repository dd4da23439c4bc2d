/** Codex itself (npm: @openai/codex), where it is installed, over HTTP and WebSocket, onto native and other upstreams. */
import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PLAIN } from "../../contracts/matrix/conversation.ts";
import { upstreams } from "../../contracts/matrix/upstreams/index.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const CODEX = Bun.which("codex");

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const FAMILIES = ["openai-responses", "openai-chat", "anthropic", "gemini"] as const;
const RUNS = FAMILIES.flatMap((family) => [false, true].map((webSockets) => [family, webSockets] as const));

test.if(CODEX !== null).each(RUNS)(
  "Codex is answered by %s and charged once (WebSocket: %p)",
  async (family, webSockets) => {
    const { type, model, key, speak } = upstreams[family];
    const upstream = startUpstream(({ path }) =>
      family === "openai-chat" && path === "/v1/responses"
        ? new Response("404 page not found", { status: 404 })
        : speak(PLAIN, true),
    );
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
      options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
    const home = await mkdtemp(join(tmpdir(), "sluice-codex-"));
    stops.push(upstream.stop, relay.stop, () => rm(home, { recursive: true, force: true }));
    const provider = `name = "Sluice"\nbase_url = "${relay.url}/v1"\nenv_key = "SLUICE_KEY"\nwire_api = "responses"`;
    await Bun.write(
      join(home, "config.toml"),
      `model = "${model}"\nmodel_provider = "sluice"\n[model_providers.sluice]\n${provider}\nsupports_websockets = ${webSockets}\n`,
    );
    const child = Bun.spawn([CODEX ?? "", "exec", "--skip-git-repo-check", "--json", "What is the weather in Ghent?"], {
      cwd: home,
      env: { ...process.env, CODEX_HOME: home, SLUICE_KEY: "sk-test" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    const output = await Bun.readableStreamToText(child.stdout);
    expect(await child.exited).toBe(0);
    expect(output).toContain(JSON.stringify(PLAIN.text));
    expect(output).toContain('"turn.completed"');
    await relay.billing.nextRecord();
    const { prompt, completion } = PLAIN.usage;
    expect(relay.billing.records).toMatchObject([
      { promptTokens: prompt, completionTokens: completion, other: { usage_evidence: "reported", ending: "complete" } },
    ]);
    expect(relay.billing.openHolds).toBe(0);
  },
);
