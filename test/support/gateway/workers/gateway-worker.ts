/**
 * The relay as a process of its own, with the limits of a new installation, for tests that look at its memory. Prints its
 * address.
 */
import { readConfig } from "../../../../src/server/config.ts";
import { startRelay } from "../start-gateway.ts";

const { maxRequestBodyBytes, maxUploadBytes, requestBodyTimeoutMs } = readConfig({});
const relay = startRelay({
  channels: (process.env.UPSTREAMS ?? "")
    .split(",")
    .map((baseUrl, at) => ({ baseUrl, models: ["whisper-1"], priority: -at })),
  options: { RetryTimes: "1" },
  config: { maxRequestBodyBytes, maxUploadBytes, requestBodyTimeoutMs, dataDir: process.env.DATA_DIR ?? "" },
});
process.stdout.write(`${relay.url}\n`);
