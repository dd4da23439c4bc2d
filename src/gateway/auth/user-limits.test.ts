import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import { until } from "../../../test/support/lib/until.ts";
import { createHostSlots, SlotCounter } from "../../lib/limits/host-slots.ts";
import type { Call } from "../call/call.ts";
import type { Caller } from "../call/caller.ts";
import type { GatewayContext } from "../endpoints/context.ts";
import { createModelRequestLimit, rateLimit } from "./rate-limit.ts";
import { createUserLimits } from "./user-limits.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

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
  const [here, there] = [1, 2].map((worker) =>
    createUserLimits(
      null,
      createHostSlots(async (question) => counter.count(question, worker)),
    ),
  );
  const callOf = () => ({ caller: { user: { id: 7, maxConcurrency: 2 } } }) as unknown as Call;
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

test("a call that ends while its slot is requested does not keep it", async () => {
  const counter = new SlotCounter();
  const limits = createUserLimits(
    null,
    createHostSlots(async (question) => counter.count(question, 1)),
  );
  const call = { caller: { user: { id: 7, maxConcurrency: 1 } } } as unknown as Call;
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

test("what the site allows a user in a minute is for all organizations of a person together", async () => {
  const settings = fixedSettings({ ModelRequestRateLimitEnabled: "true", ModelRequestRateLimitCount: "3" });
  const requestLimit = createModelRequestLimit(settings, null);
  const context = { services: { settings }, requestLimit } as unknown as GatewayContext;
  const person = { id: 7, requestsPerMinute: 0 };
  const callers = [7, 8, 9, 10].map((id) => ({ user: { id, requestsPerMinute: 0 }, owners: [person], token: null }));
  const outcomes = [];
  for (const caller of callers) {
    outcomes.push(
      await rateLimit(context, caller as unknown as Caller).then(
        () => 200,
        (error) => error.status,
      ),
    );
  }
  expect(outcomes).toEqual([200, 200, 200, 429]);
});
