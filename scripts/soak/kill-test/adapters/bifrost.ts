import { type Adapter, listOf, member, readJson } from "./adapter.ts";

const PAGE = 100;

/**
 * Bifrost with its log and a virtual key, whose provider's address is the upstream; `--model` is PROVIDER/MODEL. Rows are matched by
 * number: they carry an id that answers do not have. https://docs.getbifrost.ai/features/governance/virtual-keys
 */
export const bifrost: Adapter = {
  readyPath: "/health",
  prepare: async ({ model, key }) => ({ path: "/v1/chat/completions", headers: { "x-bf-vk": key }, model }),
  idOf: () => null,
  async count({ url }, { headers }) {
    const rows: unknown[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const found = listOf(member(await readJson(`${url}/api/logs?limit=${PAGE}&offset=${offset}`), "logs"));
      rows.push(...found);
      if (found.length < PAGE) break;
    }
    const charged = rows.filter((row) => Number(member(row, "cost")) > 0);
    const keys = listOf(member(await readJson(`${url}/api/governance/virtual-keys`), "virtual_keys"));
    const own = keys.find((each) => member(each, "value") === headers["x-bf-vk"]);
    const usage = member(own, "budget", "current_usage");
    return {
      rows: charged.length,
      charged: charged.reduce<number>((sum, row) => sum + Number(member(row, "cost")), 0),
      spent: usage === undefined ? null : Number(usage),
      rowsById: null,
    };
  },
};
