import { afterEach, expect, jest, test } from "bun:test";
import { userEntry } from "../../../../test/support/gateway/entries.ts";
import { startRelay } from "../../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../../test/support/gateway/start-upstream.ts";
import { until } from "../../../../test/support/lib/until.ts";
import { createHostSlots, SlotCounter } from "../../../lib/limits/host-slots.ts";
import type { Call } from "../../call/call.ts";
import { createUserLimits } from "./user-limits.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const slotsOf = (counter: SlotCounter, worker: number) =>
  createHostSlots(async (question) => counter.count(question, worker));

const ASK = '{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}';
const post = (relay: ReturnType<typeof startRelay>) => relay.post("/v1/chat/completions", ASK);

test("a user's concurrent calls are limited; each end releases a slot", async () => {
  const open = Promise.withResolvers<void>();
  const upstream = startUpstream(async () => {
    await open.promise;
    return Response.json(chatReply());
  });
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], user: { maxConcurrency: 2 } });
  stops.push(upstream.stop, relay.stop);
  const first = [post(relay), post(relay)];
  await until(() => upstream.received.length >= 2);
  const refused = await post(relay);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  open.resolve();
  expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await post(relay)).status).toBe(200);
  expect(relay.billing.openHolds).toBe(0);
});

test("a failed call releases its slot", async () => {
  const upstream = startUpstream(() => new Response("{}", { status: 400 }));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], user: { maxConcurrency: 1 } });
  stops.push(upstream.stop, relay.stop);
  for (const _ of [1, 2, 3]) expect((await post(relay)).status).toBe(400);
});

test("a call that another model takes over releases its slot", async () => {
  const upstream = startUpstream(({ text }) =>
    text.includes('"gpt-4o"') ? new Response("{}", { status: 500 }) : Response.json(chatReply()),
  );
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["gpt-4o", "gpt-4o-mini"] }],
    options: { ModelRatio: '{"gpt-4o":1,"gpt-4o-mini":1}', ModelFallbacks: '{"gpt-4o":["gpt-4o-mini"]}' },
    user: { maxConcurrency: 1 },
  });
  stops.push(upstream.stop, relay.stop);
  for (const _ of [1, 2, 3]) expect((await post(relay)).status).toBe(200);
});

test("a user with a limit makes that many calls per minute", async () => {
  const upstream = startUpstream(() => Response.json(chatReply()));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], user: { requestsPerMinute: 2 } });
  stops.push(upstream.stop, relay.stop);
  const statuses = [];
  for (const _ of [1, 2, 3]) statuses.push((await post(relay)).status);
  expect(statuses).toEqual([200, 200, 429]);
});

test("a slot released by one worker is available to another", async () => {
  const counter = new SlotCounter();
  const [here, there] = [1, 2].map((worker) => createUserLimits(null, slotsOf(counter, worker)));
  const callOf = () =>
    ({ caller: { user: { id: 7, maxConcurrency: 2 } }, progress: { client: {} } }) as unknown as Call;
  const [first, second, third] = [callOf(), callOf(), callOf()];
  await here?.begin(first);
  await there?.begin(second);
  await expect(Promise.resolve(here?.begin(third))).rejects.toMatchObject({ status: 429 });
  there?.end(second);
  there?.end(second);
  await here?.begin(third);
  here?.end(first);
  here?.end(third);
  await Promise.all([there?.begin(first), there?.begin(second)]);
  await expect(Promise.resolve(here?.begin(third))).rejects.toMatchObject({ status: 429 });
});

test("a call that ends twice gives back one place", async () => {
  const limits = createUserLimits(null, slotsOf(new SlotCounter(), 1));
  const [first, second, third, fourth] = [1, 2, 3, 4].map(
    () => ({ caller: { user: { id: 7, maxConcurrency: 2 } }, progress: { client: {} } }) as unknown as Call,
  ) as [Call, Call, Call, Call];
  await limits.begin(first);
  await limits.begin(second);
  for (const _ of [1, 2]) limits.end(first);
  await limits.begin(third);
  await expect(limits.begin(fourth)).rejects.toMatchObject({ status: 429 });
});

test("a call that ends while its slot is requested does not keep it", async () => {
  const limits = createUserLimits(null, slotsOf(new SlotCounter(), 1));
  const call = { caller: { user: { id: 7, maxConcurrency: 1 } }, progress: { client: {} } } as unknown as Call;
  const begun = limits.begin(call);
  limits.end(call);
  await begun;
  await limits.begin(call);
});

test("calls of organizations count in the limits of their owners", async () => {
  const limits = createUserLimits(null);
  const person = { id: 7, maxConcurrency: 2, requestsPerMinute: 0 };
  const callOf = (id: number) =>
    ({
      caller: id === 7 ? { user: person } : { user: { id, maxConcurrency: 0 }, owners: [person] },
      progress: { client: {} },
    }) as unknown as Call;
  const [own, first, second, other] = [callOf(7), callOf(8), callOf(9), callOf(10)];
  await limits.begin(own);
  await limits.begin(first);
  for (const call of [second, other]) await expect(limits.begin(call)).rejects.toMatchObject({ status: 429 });
  limits.end(first);
  await limits.begin(second);
  limits.end(own);
  limits.end(second);
  await Promise.all([limits.begin(own), limits.begin(other)]);
});

test.each([
  ["in one process", () => null],
  ["among workers", () => slotsOf(new SlotCounter(), 1)],
])("%s, a call that its owner's limit refuses leaves the organization's places free", async (_, slots) => {
  const limits = createUserLimits(null, slots());
  const callOf = (owner: number) => {
    const owners = [{ id: owner, maxConcurrency: 1 }];
    return { caller: { user: { id: 8, maxConcurrency: 2 }, owners }, progress: { client: {} } } as unknown as Call;
  };
  const [first, refused, other, third] = [callOf(1), callOf(1), callOf(2), callOf(3)];
  await limits.begin(first);
  await expect(limits.begin(refused)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
  await limits.begin(other);
  await expect(limits.begin(third)).rejects.toMatchObject({ limit: "user_concurrency" });
  limits.end(refused);
  limits.end(other);
  await limits.begin(third);
});

test("the minute of a user is a sliding one, whose rest a refusal names", async () => {
  jest.useFakeTimers({ now: 1_800_000_000_000 });
  try {
    const limits = createUserLimits(null);
    const user = userEntry({ requestsPerMinute: 1 });
    await limits.admit(user);
    const refused = await limits.admit(user).catch((error) => error);
    expect(refused).toMatchObject({ status: 429, limit: "user_requests_per_minute" });
    jest.advanceTimersByTime((refused.retryAfterSeconds - 1) * 1000);
    await expect(limits.admit(user)).rejects.toMatchObject({ retryAfterSeconds: 1 });
    jest.advanceTimersByTime(1000);
    await limits.admit(user);
    for (const _ of [1, 2]) await limits.admit(userEntry({ id: 2 }));
  } finally {
    jest.useRealTimers();
  }
});
