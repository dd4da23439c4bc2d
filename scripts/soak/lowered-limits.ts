import { createApiKey, login, ROOT_NAME, ROOT_PASSWORD, type Session } from "../../test/support/e2e/console-client.ts";
import type { Finding } from "./audit.ts";
import type { Targets } from "./clients.ts";

/** A call of this model has a fixed price, so that what is set aside for it is what it costs; quota units. */
export const PRICED_MODEL = "gpt-4o-mini";
export const CALL_PRICE = 1000;

const AMPLE = 20_000_000;
const ROOM = 2;
const WARM_UP = 8;
const BURST = 60;
const CALL_TIMEOUT_MS = 20_000;
const PAUSE_MS = 200;
/** Of limits that are lowered, and how often this is tried at the end. */
const KINDS = 2;
const LAST_ROUNDS = 6;
const WRITTEN_WITHIN_MS = 8000;
const POLL_MS = 100;
const PASSWORD = "soak-password-1";

/** Somebody who calls, with what is left of their limit. */
type Limited = Readonly<{
  key: string;
  /** Quota units that were charged. */
  readUsed: () => Promise<number>;
  lower: () => Promise<unknown>;
}>;

/**
 * Lowers the quota of a key, or a balance, to room for two calls, again and again until `stop`, and calls at once on all
 * gateways when that is answered. What a fault interrupts is not judged.
 */
export function startLimits(targets: Targets) {
  let isOver = false;
  const counts = { lowered: 0, beyond: 0, interrupted: 0 };
  const anyUrl = () => targets.urls[Math.floor(Math.random() * targets.urls.length)] ?? "";

  const judge = async (round: number) => {
    try {
      const root = await login({ url: anyUrl() }, ROOT_NAME, ROOT_PASSWORD);
      const limited = await (round % 2 === 0 ? limitKey(root) : limitUser(root, anyUrl()));
      const served = await lowerAndCall(targets, limited);
      counts.lowered += 1;
      counts.beyond += Math.max(0, served - ROOM);
    } catch {
      counts.interrupted += 1;
    }
  };
  const run = async () => {
    for (let round = 0; !isOver; round += 1) {
      await judge(round);
      await Bun.sleep(PAUSE_MS);
    }
    // Nothing breaks any more: also a short run judges both kinds.
    for (let round = 0; counts.lowered < KINDS && round < LAST_ROUNDS; round += 1) await judge(round);
  };
  const running = run();
  return {
    /** Resolves when the last round has ended. */
    async stop(): Promise<Readonly<{ lowered: number; findings: readonly Finding[] }>> {
      isOver = true;
      await running;
      const findings = [{ name: "calls served beyond a lowered limit", expected: 0, found: counts.beyond }];
      return { lowered: counts.lowered, findings };
    },
  };
}

async function limitKey(root: Session): Promise<Limited> {
  const { id, key } = await createApiKey(root, { unlimited_quota: false, remain_quota: AMPLE });
  return {
    key,
    readUsed: async () => (await root.get(`/api/token/${id}`)).used_quota,
    lower: () => root.put("/api/token/", { id, remain_quota: ROOM * CALL_PRICE }),
  };
}

async function limitUser(root: Session, url: string): Promise<Limited> {
  const username = `soak-${Bun.randomUUIDv7().slice(-10)}`;
  await root.post("/api/user/", { username, password: PASSWORD });
  const user = await login({ url }, username, PASSWORD);
  await root.put("/api/user/", { id: user.userId, quota: AMPLE });
  const { key } = await createApiKey(user);
  return {
    key,
    readUsed: async () => (await root.get(`/api/user/${user.userId}`)).used_quota,
    lower: () => root.put("/api/user/", { id: user.userId, quota: ROOM * CALL_PRICE }),
  };
}

/** How many of the calls were served that came right after the answer. Rejects when a fault came in between. */
async function lowerAndCall(targets: Targets, { key, readUsed, lower }: Limited): Promise<number> {
  const warm = await callMany(targets, key, WARM_UP);
  if (warm < WARM_UP) throw new Error("not every call was served");
  // A charge that is written later would be taken out of the new balance.
  const deadline = performance.now() + WRITTEN_WITHIN_MS;
  while ((await readUsed()) < warm * CALL_PRICE) {
    if (performance.now() > deadline) throw new Error("charges are not written");
    await Bun.sleep(POLL_MS);
  }
  await lower();
  return callMany(targets, key, BURST);
}

async function callMany({ urls }: Targets, key: string, count: number): Promise<number> {
  const statuses = await Promise.all(
    Array.from({ length: count }, (_, index) => call(urls[index % urls.length] ?? "", key)),
  );
  return statuses.filter((status) => status === 200).length;
}

/** The status; 0: there was no answer. */
async function call(url: string, key: string): Promise<number> {
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: PRICED_MODEL, messages: [{ role: "user", content: "hello" }] }),
    });
    await answer.text();
    return answer.status;
  } catch {
    return 0;
  }
}
