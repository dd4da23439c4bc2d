import { parseArgs } from "node:util";
import type { Adapter } from "./adapters/adapter.ts";
import { bifrost } from "./adapters/bifrost.ts";
import { commandAdapter } from "./adapters/command.ts";
import { litellm } from "./adapters/litellm.ts";
import { newApi, sluice } from "./adapters/one-api.ts";

const ADAPTERS: Readonly<Record<string, Adapter>> = { sluice, "new-api": newApi, litellm, bifrost };

export const USAGE = `bun run kill-test --start CMD --url URL --count-with ADAPTER
  --start CMD          starts the gateway in the foreground, on what it has left; run by sh
  --url URL            where it listens
  --count-with WHAT    ${Object.keys(ADAPTERS).join(", ")}, or a command that prints {"rows":N,"charged":N,"spent":N,"ids":[…]}
  --kills N            20
  --clients N          8
  --least S, --most S  seconds between a start and a kill: 1 and 5
  --upstream-port N    of the provider that it calls, on this machine: 4010
  --key, --model, --admin-key   where the adapter can't make them
  --ready PATH         answers 2xx once it takes calls, with a command: /health`;

/** What the command line asks for. Throws, with a sentence, for one that makes no sense. */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      start: { type: "string", default: "" },
      url: { type: "string", default: "" },
      "count-with": { type: "string", default: "" },
      kills: { type: "string", default: "20" },
      clients: { type: "string", default: "8" },
      least: { type: "string", default: "1" },
      most: { type: "string", default: "5" },
      "upstream-port": { type: "string", default: "4010" },
      key: { type: "string", default: "" },
      model: { type: "string", default: "" },
      "admin-key": { type: "string", default: "" },
      ready: { type: "string", default: "/health" },
    },
  });
  const { start, url, "count-with": counting, kills, clients, least, most, "upstream-port": port } = values;
  if (!start || !URL.canParse(url) || !counting) throw new Error(USAGE);
  const numbers = { kills: Number(kills), clients: Number(clients), least: Number(least), most: Number(most) };
  if (!Object.values(numbers).every((number) => number > 0) || numbers.least > numbers.most) throw new Error(USAGE);
  return {
    ...numbers,
    start,
    upstreamPort: Number(port),
    adapter: ADAPTERS[counting] ?? commandAdapter(counting, values.ready),
    site: { url: url.replace(/\/$/, ""), adminKey: values["admin-key"], key: values.key, model: values.model },
  };
}
