import { configurationSchema } from "../../server/control-plane/management-api.ts";

/** Prints the JSON schema of files for `sluice apply`. Returns the exit code. */
export function printSchema(): number {
  process.stdout.write(`${JSON.stringify(configurationSchema.json(), null, 2)}\n`);
  return 0;
}
