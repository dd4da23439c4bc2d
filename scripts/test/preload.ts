import { afterAll } from "bun:test";
import { ensureSeed } from "../build/seed.ts";
import { endLeftovers } from "../processes/gateway.ts";

// The embedded database's worker imports the seed, which a fresh clone does not have yet.
await ensureSeed();
// The test runner ends without the process's "exit" event, so what a failed test left running is ended here.
afterAll(endLeftovers);
