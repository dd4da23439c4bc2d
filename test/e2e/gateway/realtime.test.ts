import { afterAll, expect, test } from "bun:test";
import { waitForLogs } from "../../support/billing/books.ts";
import { createApiKey, createChannel, login, ROOT_NAME, ROOT_PASSWORD } from "../../support/e2e/console-client.ts";
import { type Session, setOption, setUp, startOn } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

/** An upstream for realtime sessions: a response is done when the test says so. */
function startTalkingUpstream() {
  const peers: Bun.ServerWebSocket<unknown>[] = [];
  const server = Bun.serve<unknown>({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, bun) {
      bun.upgrade(request, { data: null });
    },
    websocket: {
      open: (peer) => void peer.send(JSON.stringify({ type: "session.created", session: {} })),
      message(peer) {
        peers.push(peer);
        peer.send(JSON.stringify({ type: "response.created", response: { id: "r" } }));
      },
    },
  });
  const usage = { input_tokens: 100, output_tokens: 50, total_tokens: 150 };
  const done = JSON.stringify({ type: "response.done", response: { id: "r", status: "completed", usage } });
  return {
    url: `http://127.0.0.1:${server.port}`,
    finish: () => peers.shift()?.send(done),
    stop: () => server.stop(true),
  };
}

const upstream = startTalkingUpstream();
afterAll(() => upstream.stop());

test("a session is charged in the database, and a restart waits for its response", async () => {
  const gateway = await startOn("embedded");
  const root = await setUp(gateway);
  await createChannel(root, upstream.url, ["gpt-realtime"]);
  await setOption(root, "ModelRatio", { "gpt-realtime": 1 });
  await setOption(root, "CompletionRatio", { "gpt-realtime": 4 });
  const { key } = await createApiKey(root);

  const address = `${gateway.url.replace("http", "ws")}/v1/realtime?model=gpt-realtime`;
  const socket = new WebSocket(address, ["realtime", `openai-insecure-api-key.${key}`]);
  const types: string[] = [];
  const closed = Promise.withResolvers<number>();
  socket.onmessage = ({ data }) => void types.push(JSON.parse(String(data)).type);
  socket.onclose = ({ code }) => closed.resolve(code);
  const waitForEvents = (type: string, count: number) =>
    until(() => types.filter((each) => each === type).length >= count);

  await waitForEvents("session.created", 1);
  socket.send(JSON.stringify({ type: "response.create" }));
  await waitForEvents("response.created", 1);
  upstream.finish();
  const first = await loggedQuota(root, 1);
  expect(first).toEqual([300]);

  socket.send(JSON.stringify({ type: "response.create" }));
  await waitForEvents("response.created", 2);
  const ending = gateway.stop();
  await Bun.sleep(300);
  expect(socket.readyState).toBe(WebSocket.OPEN);
  upstream.finish();
  await waitForEvents("response.done", 2);
  expect(await closed.promise).toBe(1001);
  expect(await ending).toBe(0);

  const again = await startOn("embedded", { dataDir: gateway.dataDir });
  expect(await loggedQuota(await login(again, ROOT_NAME, ROOT_PASSWORD), 2)).toEqual([300, 300]);
  expect(await again.stop()).toBe(0);
}, 120_000);

/** The charges in the log, once there are so many. */
async function loggedQuota(root: Session, count: number): Promise<number[]> {
  const rows = await waitForLogs(root, () => true, count);
  return rows.map(({ quota }) => quota);
}
