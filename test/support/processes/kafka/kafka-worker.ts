/** Sends one call to the broker named on the command line by TLS, trusting what NODE_EXTRA_CA_CERTS has. Prints "sent" or why not. */

import type { ExportedCall } from "../../../../src/domain/logs/sinks/sink-type.ts";
import { kafka } from "../../../../src/domain/logs/sinks/types/kafka.ts";
import { createAddressPolicy } from "../../../../src/lib/outbound/address-policy.ts";
import { createResolve } from "../../../../src/lib/outbound/resolve.ts";
import { createSafeFetch } from "../../../../src/lib/outbound/safe-fetch.ts";

const policy = createAddressPolicy(true);
const config = { brokers: process.argv[2] ?? "", topic: "usage", security: "tls" };
const calls = [{ id: "a" } as ExportedCall];
await kafka
  .send(config, { id: "usage-1", calls }, { fetch: createSafeFetch(policy), resolve: createResolve(policy) })
  .then(
    () => process.stdout.write("sent"),
    (error: Error) => process.stdout.write(error.message),
  );
