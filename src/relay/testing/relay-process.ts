/** The relay as a process of its own, for tests that look at its memory. Prints its address. */
import { startRelay } from "./start-relay.ts";

const MOST_BYTES = 256 * 1_048_576;

const relay = startRelay({
  channels: (process.env.UPSTREAMS ?? "")
    .split(",")
    .map((baseUrl, at) => ({ baseUrl, models: ["whisper-1"], priority: -at })),
  options: { RetryTimes: "1" },
  config: { maxRequestBodyBytes: MOST_BYTES, dataDir: process.env.DATA_DIR ?? "" },
});
process.stdout.write(`${relay.url}\n`);
