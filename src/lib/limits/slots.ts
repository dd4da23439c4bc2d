import { type HostSlots, SlotCounter } from "./host-slots.ts";

/** Places that this process alone counts. */
export function createOwnSlots(): HostSlots {
  const counter = new SlotCounter();
  return {
    async enter(name, count, key) {
      if (!counter.count(["enter", name, count, key], 0)) return null;
      return () => void counter.count(["leave", name, 0, key], 0);
    },
  };
}

/** How long a place stays taken after its process last renewed it, and how often a process says that it has it. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;

/**
 * Takes a place of KEYS[1] for ARGV[2] if fewer than ARGV[1] are taken; places that nobody renewed for ARGV[3] ms are free. The
 * time is the server's, the same for all processes.
 */
const ENTER = `
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', time)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], time + tonumber(ARGV[3]), ARGV[2])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[3]))
return 1`;
const RENEW = `
local clock = redis.call('TIME')
local time = clock[1] * 1000 + math.floor(clock[2] / 1000)
redis.call('ZADD', KEYS[1], time + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]))
return 1`;

/**
 * Places that all processes count in Redis: each is a lease that its process renews, so that those of a process that died are free
 * after a minute. While Redis does not answer, everybody has a place.
 */
export function createRedisSlots(send: (command: string, parameters: string[]) => Promise<unknown>): HostSlots {
  const held = new Map<string, string>();
  const evaluate = (script: string, place: string, ...parameters: (string | number)[]) =>
    send("EVAL", [script, "1", place, ...parameters.map(String)]);
  const timer = setInterval(() => {
    for (const [holder, place] of held) void evaluate(RENEW, place, holder, LEASE_MS);
  }, RENEW_MS);
  timer.unref();
  return {
    async enter(name, count, key) {
      const holder = crypto.randomUUID();
      const place = `sluice:slots:${name}:${key}`;
      const taken = await evaluate(ENTER, place, count, holder, LEASE_MS);
      if (taken === 0) return null;
      held.set(holder, place);
      return () => {
        held.delete(holder);
        void send("ZREM", [place, holder]);
      };
    },
  };
}
