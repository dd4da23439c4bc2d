import { afterAll, expect, test } from "bun:test";
import { FakeBilling } from "../../../test/support/gateway/fake-billing.ts";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { until } from "../../../test/support/lib/until.ts";

const CHAT = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };

/** Number of calls that reached the upstream, and of their closed connections. */
let arrived = 0;
let closed = 0;
const upstream = startUpstream(async (_, request) => {
  arrived++;
  request.signal.addEventListener("abort", () => closed++);
  await Bun.sleep(60_000);
  return Response.json({});
});
const relay = startRelay({ channels: [{ baseUrl: upstream.url }] });
afterAll(async () => {
  await relay.stop();
  await upstream.stop();
});

test.each([20, 600])(
  "a client that disconnects %d ms after its call arrived stops an upstream that has not responded",
  async (ms) => {
    const before = closed;
    const client = new AbortController();
    const response = relay.post("/v1/chat/completions", CHAT, { signal: client.signal });
    // Before the call arrives there is nothing to close.
    void until(() => arrived === before + 1).then(() => setTimeout(() => client.abort(), ms));
    await expect(response).rejects.toThrow();
    // The upstream would take a minute: only the client's disconnect closes its connection.
    await until(() => closed === before + 1 && relay.billing.openHolds === 0);
    expect(relay.billing.records.at(-1)).toMatchObject({ quota: 0, other: { ending: "client_left", status: 499 } });
  },
);

test("calls whose clients disconnect while waiting for their holds are neither sent nor charged", async () => {
  const billing = new FakeBilling();
  const database = Promise.withResolvers<void>();
  let waiting = 0;
  const { service } = billing;
  const reserve: typeof service.reserve = async (request) => {
    waiting++;
    await database.promise;
    return service.reserve(request);
  };
  const provider = startUpstream(() => Response.json({ id: "1", object: "chat.completion", choices: [], usage: {} }));
  const waits = startRelay({ channels: [{ baseUrl: provider.url }], billing: { ...service, reserve } });
  const client = new AbortController();
  const calls = Array.from({ length: 250 }, () =>
    waits.post("/v1/chat/completions", { ...CHAT, stream: true }, { signal: client.signal }).catch(() => null),
  );
  await until(() => waiting === 250);
  const remaining = waits.post("/v1/chat/completions", CHAT);
  await until(() => waiting === 251);
  client.abort();
  await Promise.all(calls);
  // The runtime reports a closed connection shortly after the client closed it.
  await Bun.sleep(1000);
  database.resolve();
  await remaining;
  await until(() => billing.records.length === 251 && billing.openHolds === 0);
  expect(provider.received).toHaveLength(1);
  const left = billing.records.filter(({ other }) => other.ending === "client_left");
  expect(left).toHaveLength(250);
  expect(left.every(({ quota }) => quota === 0)).toBe(true);
  await waits.stop();
  await provider.stop();
});
