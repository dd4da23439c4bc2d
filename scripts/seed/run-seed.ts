/**
 * Fills the database of DATABASE_URL (or the embedded one in DATA_DIR, which nobody may be using) with made-up channels,
 * users, API keys and log rows, to see how lists and charts do with many. Nothing is removed.
 *   --channels=N --users=N --tokens=N --logs=N   default 10000, 100000, 1000000, 10000000
 */
import { parseArgs } from "node:util";
import { openDatabase } from "../../db/connect.ts";
import { createVault } from "../../src/lib/security/crypto.ts";
import { loadSecrets } from "../../src/lib/security/secrets.ts";
import { readConfig } from "../../src/server/config.ts";
import { FULL_SIZE, seed } from "./seed.ts";

const { values: flags } = parseArgs({
  options: {
    channels: { type: "string", default: String(FULL_SIZE.channels) },
    users: { type: "string", default: String(FULL_SIZE.users) },
    tokens: { type: "string", default: String(FULL_SIZE.tokens) },
    logs: { type: "string", default: String(FULL_SIZE.logs) },
  },
});

const config = readConfig();
const vault = createVault(await loadSecrets(config));
const database = await openDatabase(config);
try {
  await seed(
    { database, vault, say: (line) => process.stderr.write(`${line}\n`) },
    {
      channels: Number(flags.channels),
      users: Number(flags.users),
      tokens: Number(flags.tokens),
      logs: Number(flags.logs),
    },
  );
} finally {
  await database.close();
}
