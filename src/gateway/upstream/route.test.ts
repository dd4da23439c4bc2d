import { expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../test/support/gateway/start-upstream.ts";

test("Azure is called in the version of the client's URL, else in the channel's", async () => {
  const versions: (string | null)[] = [];
  const upstream = startUpstream((_received, { url }) => {
    versions.push(new URL(url).searchParams.get("api-version"));
    return Response.json({ data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1, total_tokens: 1 } });
  });
  const model = "text-embedding-3-small";
  const relay = startRelay({
    channels: [{ type: 3, baseUrl: upstream.url, other: "2025-04-01-preview", models: [model] }],
  });
  for (const query of ["", "?api-version=2024-10-21", "?api-version="]) {
    expect((await relay.post(`/v1/embeddings${query}`, { model, input: "hi" })).status).toBe(200);
  }
  expect(versions).toEqual(["2025-04-01-preview", "2024-10-21", "2025-04-01-preview"]);
  relay.stop();
  upstream.stop();
});
