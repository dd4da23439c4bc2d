import { Elysia } from "elysia";
import { readFromPrimary } from "../../../db/server/replica.ts";
import { apiKeyRoutes } from "../../../src/console/api-keys/api-keys.ts";
import { channelCheckRoutes } from "../../../src/console/channels/authenticity.ts";
import { channelRoutes } from "../../../src/console/channels/channels.ts";
import { channelKeyRoutes } from "../../../src/console/channels/keys.ts";
import { channelTransferRoutes } from "../../../src/console/channels/transfer.ts";
import { channelUpstreamRoutes } from "../../../src/console/channels/upstream.ts";
import { logRoutes } from "../../../src/console/logs/logs.ts";
import { dataRoutes } from "../../../src/console/logs/usage.ts";
import { modelRoutes } from "../../../src/console/models/models.ts";
import { firstStepsRoutes } from "../../../src/console/system/first-steps.ts";
import { redemptionRoutes } from "../../../src/console/wallet/codes.ts";
import { createApiKeyDirectory } from "../../../src/domain/api-keys/directory/index.ts";
import type { ChannelLive, ReadLive } from "../../../src/domain/channels/current-state.ts";
import { createChannelDirectory } from "../../../src/domain/channels/directory.ts";
import type { ChannelEntry } from "../../../src/domain/channels/entry.ts";
import type { OnDisabled } from "../../../src/domain/channels/status/set-status.ts";
import { createChannelTester } from "../../../src/domain/channels/upstream/test-all.ts";
import type { BalanceReading } from "../../../src/domain/channels/upstream/update-balance.ts";
import { countText } from "../../../src/gateway/money/count-tokens.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../src/lib/reason.ts";
import { startTestConsole } from "./start-console.ts";

type Headers = Record<string, string>;

/** The console with channels, API keys, codes and the log, and somebody of each role logged in. */
export async function startTestOperations() {
  const close: (() => void)[] = [];
  let fixtures: (Awaited<ReturnType<typeof openFixtures>> & Pick<Services, "database">) | undefined;
  const app = await startTestConsole(undefined, async (services, guarded) => {
    fixtures = { ...(await openFixtures(services)), database: services.database };
    close.push(fixtures.channels.close, fixtures.tokens.close);
    const shared = { ...services, ...fixtures, reads: readFromPrimary(services.db) };
    return new Elysia()
      .use(channelUpstreamRoutes(shared, guarded))
      .use(channelCheckRoutes({ ...shared, countTokens: countText }, guarded))
      .use(modelRoutes(shared, guarded))
      .use(firstStepsRoutes(shared, guarded))
      .use(channelRoutes(shared, guarded))
      .use(channelTransferRoutes({ ...shared, version: "test" }, guarded))
      .use(channelKeyRoutes(shared, guarded))
      .use(apiKeyRoutes(shared, guarded))
      .use(redemptionRoutes(shared, guarded))
      .use(dataRoutes(shared, guarded))
      .use(logRoutes(shared, guarded));
  });
  if (!fixtures) throw new Error("the fixtures were not opened");
  const people = { user: "user", other: "user", admin: "admin", root: "root" } as const;
  const ids = {} as Record<keyof typeof people, number>;
  const as = {} as Record<keyof typeof people, Headers>;
  for (const [name, role] of Object.entries(people) as [keyof typeof people, "user" | "admin" | "root"][]) {
    ids[name] = await app.addUser(name, role);
    as[name] = await app.login(name);
  }
  return {
    ...app,
    ...fixtures,
    ids,
    as,
    close: async () => {
      for (const end of close) end();
      await app.close();
    },
  };
}

export type TestOperations = Awaited<ReturnType<typeof startTestOperations>>;

type Services = Parameters<NonNullable<Parameters<typeof startTestConsole>[1]>>[0];

async function openFixtures(services: Services) {
  const channels = await createChannelDirectory(services);
  const tokens = await createApiKeyDirectory(services);
  const fetch = createSafeFetch(createAddressPolicy(true));
  const wentOff: { channel: string; isKeyOnly: boolean; reason: Reason }[] = [];
  const onDisabled: OnDisabled = ({ name }, isKeyOnly, reason) => {
    wentOff.push({ channel: name, isKeyOnly, reason });
  };
  const tester = createChannelTester({ ...services, directory: channels, fetch, onDisabled, onEnabled: () => {} });
  const lives = new Map<number, ChannelLive>();
  const readLive: ReadLive = ({ id, keys }) => lives.get(id) ?? idle(keys.length);
  const lowBalances: { channel: string; amount: number; currency: string; limit: number }[] = [];
  const onLowBalance = (channel: ChannelEntry, reading: BalanceReading, limit: number) => {
    lowBalances.push({ channel: channel.name, ...reading, limit });
  };
  return { channels, tokens, fetch, tester, readLive, lives, onLowBalance, lowBalances, onDisabled, wentOff };
}

/** A channel that nobody calls. */
export function idle(keys: number): ChannelLive {
  const rest = { inFlight: 0, calls: 0, failed: 0, latencyMs: null };
  const slots = Array.from({ length: 12 }, () => ({ count: 0, failed: 0 }));
  const key = { ...rest, isCooling: false, coolingUntil: null, failures: 0 };
  return { ...rest, slots, keys: Array.from({ length: keys }, () => key) };
}

/** A provider on the loopback address that answers as configured and records its requests. */
export function startFakeUpstream() {
  type Seen = { path: string; headers: Headers; body: Record<string, unknown> | null };
  const seen: Seen[] = [];
  let answer: (request: Seen) => Response | Promise<Response> = () => Response.json({ choices: [] });
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const messageRequest = {
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        body: text === "" ? null : JSON.parse(text),
      };
      seen.push(messageRequest);
      return answer(messageRequest);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    answerWith(next: typeof answer) {
      seen.length = 0;
      answer = next;
    },
    stop: () => server.stop(true),
  };
}
