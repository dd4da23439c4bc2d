import { type Adapter, countIds, listOf, member } from "./adapter.ts";

/**
 * Any other gateway: it is configured by you, with `--key` and `--model`, and `command` prints what it has counted as JSON:
 * {"rows":N,"charged":N,"spent":N,"ids":["…"]}; without `ids`, which are those of its header X-Request-Id, rows are matched by number.
 */
export const commandAdapter = (command: string, readyPath: string): Adapter => ({
  readyPath,
  prepare: async ({ key, model }) => ({
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${key}` },
    model,
  }),
  idOf: (headers) => headers.get("x-request-id"),
  async count() {
    const printed: unknown = JSON.parse(await Bun.$`sh -c ${command}`.text());
    const [ids, spent] = [member(printed, "ids"), member(printed, "spent")];
    return {
      rows: Number(member(printed, "rows")),
      charged: Number(member(printed, "charged")),
      spent: spent === undefined || spent === null ? null : Number(spent),
      rowsById: ids === undefined ? null : countIds(listOf(ids).map(String)),
    };
  },
});
