import { afterAll } from "bun:test";
import { plugin } from "bun";
import { endLeftovers } from "../../test/support/processes/gateway.ts";
import textsPlugin from "../build/console/texts-plugin.ts";
import { ensureSeed } from "../build/seed.ts";

// The embedded database's worker imports the seed, which a fresh clone does not have yet.
await ensureSeed();
await plugin(textsPlugin);
// The test runner ends without the process's "exit" event, so what a failed test left running is ended here.
afterAll(endLeftovers);
