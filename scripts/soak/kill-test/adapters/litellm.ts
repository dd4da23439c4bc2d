import { type Adapter, countIds, listOf, member, readJson } from "./adapter.ts";

const asAdmin = (adminKey: string) => ({ authorization: `Bearer ${adminKey}`, "content-type": "application/json" });

/**
 * LiteLLM's proxy with a database. Its configuration names the model, its price and the upstream (`api_base`); `--admin-key` is
 * the master key. https://docs.litellm.ai/docs/proxy/virtual_keys
 */
export const litellm: Adapter = {
  readyPath: "/health/readiness",
  async prepare({ url, adminKey, model, key: known }) {
    const made = known
      ? { key: known }
      : await readJson(`${url}/key/generate`, {
          method: "POST",
          headers: asAdmin(adminKey),
          body: JSON.stringify({ models: [model] }),
        });
    const key = String(member(made, "key"));
    return { path: "/v1/chat/completions", headers: { authorization: `Bearer ${key}` }, model };
  },
  // A row of the log has the id of the answer.
  idOf: (_, body) => /"id":\s*"([^"]+)"/.exec(body)?.[1] ?? null,
  async count({ url, adminKey }, { headers }) {
    const key = (headers.authorization ?? "").replace("Bearer ", "");
    const init = { headers: asAdmin(adminKey) };
    const rows = listOf(await readJson(`${url}/spend/logs?api_key=${encodeURIComponent(key)}`, init));
    const charged = rows.filter((row) => Number(member(row, "spend")) > 0);
    const info = await readJson(`${url}/key/info?key=${encodeURIComponent(key)}`, init);
    return {
      rows: charged.length,
      charged: charged.reduce<number>((sum, row) => sum + Number(member(row, "spend")), 0),
      spent: Number(member(info, "info", "spend")),
      rowsById: countIds(charged.map((row) => String(member(row, "request_id")))),
    };
  },
};
