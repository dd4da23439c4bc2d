import { expect, test } from "bun:test";

test("the client sets no timer in the past, of which the runtime warns", async () => {
  // Its queue reckoned from the time until which a broker throttles, which is -1 while none does.
  const run = Bun.spawn(
    [
      process.execPath,
      "-e",
      `const Queue = require("kafkajs/src/network/requestQueue");
       const queue = new Queue({ logger: { namespace: () => ({ debug() {} }) }, isConnected: () => true });
       queue.scheduleCheckPendingRequests();`,
    ],
    { cwd: `${import.meta.dir}/../../../../..`, stderr: "pipe" },
  );
  expect([await new Response(run.stderr).text(), await run.exited]).toEqual(["", 0]);
});
